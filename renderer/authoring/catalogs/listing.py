"""List entries: a table for people, values for scripts; and describe a single entry as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from textwrap import fill, indent
from typing import NamedTuple

from renderer.authoring.catalogs.entry import CatalogEntry, EntryScope, EntryType, scope_words
from renderer.model.kube.json import Json
from renderer.model.log_line import log_line

_HEADER = ("NAME", "KIND", "SCOPE", "VCPUS", "MEMORY", "CLASS", "FEATURES", "DESCRIPTION")
_LONGEST_DESCRIPTION = 60
_GAP = "  "
#: The minimum width, in characters, of a truncated column.
_LEAST_CUT = 16
#: The width of a description.
_WIDTH = 100
_INDENT = "  "

#: An instance type or preference in all its scopes.
Offer = Sequence[CatalogEntry]


def offers(entries: Iterable[CatalogEntry]) -> list[Offer]:
    """Return the entries in order; cluster-wide and namespaced ones with one name and spec are joined."""
    found: list[Offer] = []
    for _, group in groupby(entries, key=lambda entry: (entry.type, entry.name)):
        alike: list[list[CatalogEntry]] = []
        for entry in group:
            same = next(
                (one for one in alike if (one[0].spec, one[0].clusters) == (entry.spec, entry.clusters)), None
            )
            if same is None:
                alike.append([entry])
            else:
                same.append(entry)
        found += alike
    return found


def names(entries: Iterable[CatalogEntry]) -> str:
    """Return each name once, on a line of its own."""
    return "".join(f"{log_line(name)}\n" for name in dict.fromkeys(entry.name for entry in entries))


def table(entries: Iterable[CatalogEntry], width: int | None = None) -> str:
    """Return the offers as lines in columns; an empty text without offers.

    With a ``width``, in characters, lines are not longer: the last columns are truncated, and dropped if too
    little of a column would remain.
    """
    listed = offers(entries)
    rows = [_row(offer) for offer in listed]
    if not rows:
        return ""
    rows.insert(0, _HEADER)
    clusters = [offer[0].clusters for offer in listed]
    if any(clusters):
        every = set().union(*clusters)
        named = ("all" if set(each) == every else ", ".join(map(cluster_text, each)) for each in clusters)
        rows = [(row[0], cell, *row[1:]) for row, cell in zip(rows, ("CLUSTERS", *named), strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width is not None:
        widths = _fitted_widths(widths, width)
    lines: list[str] = []
    for row in rows:
        cells = (
            (cell if len(cell) <= column else f"{cell[: column - 1]}…").ljust(column)
            for cell, column in zip(row, widths, strict=False)
        )
        lines.append(_GAP.join(cells).rstrip() + "\n")
    return "".join(lines)


def cluster_text(name: str) -> str:
    """Return the name of a cluster for people."""
    return log_line(name) if name else "(default)"


def as_json(entries: Iterable[CatalogEntry]) -> list[Json]:
    """Return a mapping for each offer."""
    return [_values(offer) for offer in offers(entries)]


def scopes(offer: Offer) -> str:
    """Return ``cluster``, ``namespaced`` with the namespace if it is written, or ``both``."""
    if {entry.scope for entry in offer} == set(EntryScope):
        return "both"
    namespaces = sorted({entry.resource.namespace for entry in offer if entry.resource.namespace})
    return f"{offer[0].scope} ({', '.join(namespaces)})" if namespaces else str(offer[0].scope)


def summary(entry: CatalogEntry) -> str:
    """Return the first words of its description."""
    text = entry.description if entry.type is EntryType.INSTANCETYPE else entry.display_name
    words = " ".join((text or entry.display_name or entry.description).split())
    if len(words) <= _LONGEST_DESCRIPTION:
        return words
    return f"{words[:_LONGEST_DESCRIPTION].rpartition(' ')[0].rstrip(',;:')} …"


def _row(offer: Offer) -> tuple[str, ...]:
    entry = offer[0]
    least = "" if entry.type is EntryType.INSTANCETYPE else ">="
    cells = (
        entry.name,
        str(entry.type),
        scopes(offer),
        f"{least}{entry.vcpus.json}" if entry.vcpus else "-",
        f"{least}{entry.memory.json}" if entry.memory else "-",
        entry.class_name or "-",
        " ".join(entry.features) or "-",
        summary(entry),
    )
    return tuple(map(log_line, cells))


def _fitted_widths(widths: Sequence[int], most: int) -> list[int]:
    """Return the widths of the columns that fit; the last may be narrower, and the name is never dropped."""
    fitting = list(widths)
    while (excess := sum(fitting) + len(_GAP) * (len(fitting) - 1) - most) > 0 and len(fitting) > 1:
        last = fitting.pop()
        if last - excess >= _LEAST_CUT:
            return [*fitting, last - excess]
    return fitting


def _values(offer: Offer) -> Json:
    entry = offer[0]
    return {
        "name": entry.name,
        **({"clusters": list[Json](entry.clusters)} if entry.clusters else {}),
        "kind": str(entry.type),
        "scopes": sorted({str(each.scope) for each in offer}),
        "namespaces": sorted({each.resource.namespace for each in offer if each.resource.namespace}),
        "vcpus": entry.vcpus.value() if entry.vcpus else None,
        "memory": entry.memory.json if entry.memory else None,
        "class": entry.class_name or None,
        "architecture": entry.architecture or None,
        "features": list(entry.features),
        "displayName": entry.display_name or None,
        "description": entry.description or None,
        "catalog": entry.catalog,
        "file": entry.resource.origin.path,
    }


class Fit(NamedTuple):
    """The entries of the other type: the ones that can be combined with this one, and the others."""

    fitting: Sequence[CatalogEntry] = ()
    others: Sequence[CatalogEntry] = ()


def describe(offer: Offer, place: str, fit: Fit, warnings: Iterable[str], spec_text: str) -> str:
    """Return a text about an offer, written at ``place``; ``spec_text`` is its spec as YAML."""
    entry = offer[0]
    is_instancetype = entry.type is EntryType.INSTANCETYPE
    title = f"{entry.type.noun} {entry.name}" + (f": {entry.display_name}" if entry.display_name else "")
    if is_instancetype:
        custom = "a size that the virtual machine sets" if entry.is_custom else ""
        size = ", ".join(filter(None, (entry.amounts, custom)))
    else:
        size = f"requires {entry.amounts or 'nothing'}"
    facts = (size, entry.architecture and f"for {entry.architecture}", scope_words(offer))
    labels = [log_line(f"{_INDENT}{key}: {value}") for key, value in sorted(entry.resource.labels.items())]
    sections = (
        f"{log_line(title)}\n{_INDENT}{'; '.join(filter(None, facts))}",
        indent(entry.description, _INDENT),
        f"catalog\n{_INDENT}{log_line(entry.catalog)}\nwritten in\n{_INDENT}{log_line(place)}",
        "\n".join(("labels", *labels)) if labels else "",
        "\n".join(log_line(f"warning: {warning}") for warning in warnings),
        f"spec\n{indent(spec_text.rstrip(), _INDENT)}",
        _matching_preferences(entry, fit) if is_instancetype else _matching_instancetypes(fit),
    )
    return "\n\n".join(filter(None, sections)) + "\n"


def _matching_preferences(entry: CatalogEntry, fit: Fit) -> str:
    """Return the preferences whose requirements it satisfies, and the preferences that require more."""
    condition = ", when the virtual machine sets enough" if entry.is_custom else ""
    text = f"preferences whose requirements it satisfies{condition}: {_counted(fit)}"
    if fit.fitting:
        text += f"\n{_names(fit.fitting)}"
    required: dict[str, list[CatalogEntry]] = {}
    for other in fit.others:
        required.setdefault(other.amounts, []).append(other)
    for amounts, entries in sorted(required.items()):
        text += f"\n\ntoo small for those that require {amounts}\n{_names(entries)}"
    return text


def _matching_instancetypes(fit: Fit) -> str:
    text = f"instance types that satisfy its requirements: {_counted(fit)}"
    return text + (f"\n\ntoo small\n{_names(fit.others)}" if fit.others else "")


def _counted(fit: Fit) -> str:
    return f"{len(fit.fitting)} of {len(fit.fitting) + len(fit.others)}"


def _names(entries: Iterable[CatalogEntry]) -> str:
    names = ", ".join(dict.fromkeys(log_line(entry.name) for entry in entries))
    return fill(
        names,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
        break_long_words=False,
    )
