"""Describe one entry of a catalog as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill, indent
from typing import NamedTuple

from renderer.catalogs.entry import CatalogEntry, EntryType, scope_words
from renderer.model.log_line import log_line

_WIDTH = 100
_INDENT = "  "


class Fit(NamedTuple):
    """The entries of the other type by whether they go with this one, and those that cannot be read."""

    fitting: Sequence[CatalogEntry] = ()
    others: Sequence[CatalogEntry] = ()


def describe(
    offer: Sequence[CatalogEntry], place: str, fit: Fit, warnings: Iterable[str], spec_text: str
) -> str:
    """``offer`` is the entry in all its scopes, ``place`` where it is written, ``spec_text`` its spec."""
    entry = offer[0]
    sections = (
        _heading(entry, offer),
        indent(entry.description, _INDENT),
        f"catalog\n{_INDENT}{log_line(entry.catalog)}\nwritten in\n{_INDENT}{log_line(place)}",
        _labels(entry),
        "\n".join(log_line(f"warning: {warning}") for warning in warnings),
        f"spec\n{indent(spec_text.rstrip(), _INDENT)}",
        _fit_of_instancetype(entry, fit) if entry.type is EntryType.INSTANCETYPE else _fit_of_preference(fit),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _heading(entry: CatalogEntry, offer: Sequence[CatalogEntry]) -> str:
    title = f"{entry.type.noun} {entry.name}" + (f": {entry.display_name}" if entry.display_name else "")
    facts = (_size(entry), entry.architecture and f"for {entry.architecture}", scope_words(offer))
    return f"{log_line(title)}\n{_INDENT}{'; '.join(fact for fact in facts if fact)}"


def _size(entry: CatalogEntry) -> str:
    if entry.type is EntryType.INSTANCETYPE:
        own = "a size that the virtual machine sets" if entry.is_custom else ""
        return ", ".join(filter(None, (entry.amounts, own)))
    return f"requires {entry.amounts or 'nothing'}"


def _labels(entry: CatalogEntry) -> str:
    labels = (log_line(f"{_INDENT}{key}: {value}") for key, value in sorted(entry.resource.labels.items()))
    return "\n".join(("labels", *labels)) if entry.resource.labels else ""


def _fit_of_instancetype(entry: CatalogEntry, fit: Fit) -> str:
    """List the preferences that it satisfies, and those that it is too small for, by their requirements."""
    given = ", when the virtual machine sets enough" if entry.is_custom else ""
    text = f"preferences whose requirements it satisfies{given}: {_counted(fit)}"
    if fit.fitting:
        text += f"\n{_names(fit.fitting)}"
    required: dict[str, list[CatalogEntry]] = {}
    for other in fit.others:
        required.setdefault(other.amounts, []).append(other)
    for amounts, entries in sorted(required.items()):
        text += f"\n\ntoo small for those that require {amounts}\n{_names(entries)}"
    return text


def _fit_of_preference(fit: Fit) -> str:
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
