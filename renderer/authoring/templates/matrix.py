"""The values of a Template, and the rows of its matrix: every combination of its axes, as in GitHub Actions.

``exclude`` drops the combinations that match all pairs of one of its entries. Then each entry of ``include``
adds its values to every combination whose axes do not have other values for them; an entry that matches no
combination is a row of its own.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from renderer.authoring.templates.attributes import FUNCTIONS
from renderer.kubevirt.facts.lists import is_equal
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.fields import Fields, nearest_hint
from renderer.model.kube.json import EMPTY, Json, JsonObject, text_at
from renderer.model.kube.location import Site
from renderer.model.run.limits import limit_hint, limits
from renderer.model.source_tree import ListedFile, ListedFiles
from renderer.model.suggest import suggest
from renderer.yamlio.decode import decode_documents

_MAX_COMPARISONS = 1_000_000
_LONGEST_LABEL = 40
_LONGEST_RANGE = 20
_NO_AXES = ("include", "exclude")
_RANGE = re.compile(r"([0-9]{1,9})\s*\.\.\.?\s*([0-9]{1,9})")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: The keywords of Jinja's expressions, and the names that Jinja itself assigns.
RESERVED_NAMES = frozenset(
    {
        *(
            "and",
            "else",
            "false",
            "False",
            "if",
            "import",
            "in",
            "is",
            "none",
            "None",
            "not",
            "or",
            "true",
            "True",
        ),
        *("caller", "kwargs", "loop", "self", "super", "varargs"),
        *FUNCTIONS,
    }
)


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The values of one rendering, their name for users, and their place."""

    values: JsonObject
    label: str
    site: Site


@dataclass(frozen=True, slots=True)
class Template:
    """The file and the rows that it is rendered for, in order."""

    file: ListedFile
    rows: tuple[MatrixRow, ...]


class Values(NamedTuple):
    """Values by name, and the place where each was last written."""

    content: JsonObject
    sites: Mapping[str, Site]

    def merged(self, content: JsonObject, sites: Mapping[str, Site]) -> Values:
        """Return these values, overridden by ``content``."""
        return Values(_merged(self.content, content), {**self.sites, **sites})


@dataclass(frozen=True, slots=True)
class _Cell:
    """A value on an axis, and its place."""

    value: Json
    site: Site
    label: str


_Axes: TypeAlias = Mapping[str, Sequence[_Cell]]


def check_name(fields: Fields, name: str, key: str | None = None) -> bool:
    """Return True if a template can use the value ``name``; otherwise reject the field ``key``."""
    if _NAME.fullmatch(name) and name not in RESERVED_NAMES:
        return True
    reason = (
        "the template language reserves it" if name in RESERVED_NAMES else "a name has letters, digits and _"
    )
    fields.reject(key or name, f"a value of a template cannot be named {name}", reason)
    return False


def read_values(spec: Fields, files: ListedFiles, findings: list[Diagnostic]) -> Values:
    """Return the values of ``valuesFrom`` and ``values``; problems are added to ``findings``."""
    values = Values(EMPTY, EMPTY)
    named: dict[str, Fields] = {}
    for entry in spec.elements("valuesFrom", bare="file"):
        entry.only("file", "name")
        name = entry.text("name")
        other = named.setdefault(name, entry) if name else entry
        if name and other is not entry:
            related = Related(f"{other.name()} is the other one", (other.site_of("name"),))
            entry.reject("name", f"there are two values {name}", "give one of them another name", (related,))
        values = values.merged(*_values_of_file(entry, name, files, findings))
    inline = spec.child("values")
    return values.merged(*_named_values(inline))


def _values_of_file(
    entry: Fields, name: str | None, files: ListedFiles, findings: list[Diagnostic]
) -> tuple[JsonObject, Mapping[str, Site]]:
    path = entry.text("file")
    file = files.get(path) if path else None
    if file is None:
        if "file" not in entry:
            entry.reject(None, f"{entry.name()} names no file")
        return EMPTY, EMPTY
    try:
        documents = decode_documents(file.content, file.path)
    except DiagnosticError as error:
        findings += error.diagnostics
        return EMPTY, EMPTY
    if len(documents) > 1:
        entry.reject("file", f"{file.path} has more than one document", "values are in a single document")
    content = documents[0] if documents else None
    site = Site(file.path)
    if name is not None:
        return ({name: content}, {name: site}) if check_name(entry, name, "name") else (EMPTY, EMPTY)
    if content is None:
        return EMPTY, EMPTY
    if not isinstance(content, dict):
        entry.reject("file", f"{path} is not a mapping of values", "give the file a name, with name:")
        return EMPTY, EMPTY
    return _named_values(Fields(content, site, findings, Code.TEMPLATE_INVALID))


def _named_values(fields: Fields) -> tuple[JsonObject, Mapping[str, Site]]:
    content = {name: value for name, value in fields.content.items() if check_name(fields, name)}
    return content, {name: fields.site_of(name) for name in content}


def _merged(base: JsonObject, override: JsonObject) -> JsonObject:
    """Return ``base`` overridden by another value: mappings are merged, everything else is replaced."""
    merged: dict[str, Json] = dict(base)
    for key, value in override.items():
        present = merged.get(key)
        merged[key] = (
            _merged(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
        )
    return merged


def read_rows(matrix: Fields, values: Values) -> tuple[MatrixRow, ...]:
    """Return the rows, each with ``values`` in addition to its own; errors are added to the findings."""
    axes = _axes(matrix, values)
    count = math.prod(map(len, axes.values()))
    include, exclude = tuple(matrix.elements("include")), tuple(matrix.elements("exclude"))
    if not axes and not include:
        return ()
    most = limits().template_rows
    if count + len(include) > most:
        message = f"{matrix.name()} has {count + len(include)} rows, more than {most}"
        matrix.reject(None, message, limit_hint("template_rows"))
        return ()
    if count * (len(include) + len(exclude)) > _MAX_COMPARISONS:
        matrix.reject(None, f"{matrix.name()} has too many entries under include and exclude for its rows")
        return ()
    rows = _without_excluded(matrix, _combinations(axes), exclude, tuple(axes))
    rows = _with_included(rows, include, tuple(axes))
    if not rows:
        matrix.reject("exclude", f"{matrix.name('exclude')} leaves no row")
    return tuple(MatrixRow({**values.content, **row.values}, row.label, row.site) for row in rows)


def _axes(matrix: Fields, values: Values) -> _Axes:
    axes: dict[str, Sequence[_Cell]] = {}
    for name in matrix.content:
        if name in _NO_AXES or not check_name(matrix, name) or _is_misspelt(matrix, name):
            continue
        if name in values.content:
            hint = "an axis gives each row a value; remove the other, or give it another name"
            matrix.reject(name, f"there are two values {name}: an axis, and one for all rows", hint)
            continue
        cells = _cells(matrix, name, values)
        if cells:
            axes[name] = cells
    return axes


def _is_misspelt(matrix: Fields, name: str) -> bool:
    """Return True if a list of mappings was probably meant as ``include`` or ``exclude``; report it then."""
    listed = matrix.content[name]
    suggested = suggest(name, _NO_AXES, most=1, cutoff=0.8)
    if not suggested or not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        return False
    matrix.reject(name, f"{matrix.name(name)} is an axis of mappings", f"did you mean {suggested[0]}?")
    return True


def _check_range(matrix: Fields, name: str, listed: Sequence[Json]) -> None:
    """Report a value of an axis that looks like a range, which is plain text in YAML."""
    for index, value in enumerate(listed):
        found = _RANGE.fullmatch(value) if isinstance(value, str) else None
        if found:
            first, last = int(found[1]), int(found[2])
            numbers = (
                ", ".join(map(str, range(first, last + 1))) if 0 < last - first < _LONGEST_RANGE else "…"
            )
            message = f"{matrix.name(name, index)} is the text {value}, not a range of numbers"
            matrix.reject(name, message, f"write each value: [{numbers}]")


def _cells(matrix: Fields, name: str, values: Values) -> Sequence[_Cell]:
    """Return the values of an axis: written in place, or in a value that it names."""
    listed, site = matrix.content[name], matrix.site_of(name)
    if isinstance(listed, dict):
        source = matrix.child(name)
        source.only("from")
        key = source.text("from")
        if key is None or key not in values.content:
            known = tuple(values.content)
            hint = nearest_hint(key, known) if key and known else "write the name of a value that is a list"
            source.reject("from" if key else None, f"there is no value {key or ''} for {source.name()}", hint)
            return ()
        listed, site = values.content[key], values.sites[key]
    if not isinstance(listed, list) or not listed:
        matrix.reject(name, f"{matrix.name(name)} must be a list of values, or from: a value that is one")
        return ()
    _check_range(matrix, name, listed)
    return [
        _Cell(value, site.below(index), f"{name}={_value_label(value, index)}")
        for index, value in enumerate(listed)
    ]


def _combinations(axes: _Axes) -> list[MatrixRow]:
    """Return a row for each combination of values; the first axis changes slowest."""
    if not axes:
        return []
    return [
        MatrixRow(
            dict(zip(axes, (cell.value for cell in cells), strict=True)),
            ", ".join(cell.label for cell in cells),
            cells[0].site,
        )
        for cells in itertools.product(*axes.values())
    ]


def _without_excluded(
    matrix: Fields, rows: list[MatrixRow], exclude: Sequence[Fields], axes: tuple[str, ...]
) -> list[MatrixRow]:
    for entry in exclude:
        unknown = [key for key in entry.content if key not in axes]
        for key in unknown:
            entry.misnamed(key, f"there is no axis {key}", axes)
        remaining = [row for row in rows if not _has_values(row.values, entry.content)]
        if len(remaining) == len(rows) and rows and not unknown:
            entry.reject(
                None,
                f"{entry.name()} excludes nothing",
                f"look for a typing error, or remove it from {matrix.name()}",
            )
        rows = remaining
    return rows


def _with_included(
    rows: list[MatrixRow], include: Sequence[Fields], axes: tuple[str, ...]
) -> list[MatrixRow]:
    original = [row.values for row in rows]
    added: list[MatrixRow] = []
    for entry in include:
        for name in entry.content:
            check_name(entry, name)
        on_axes = {name: value for name, value in entry.content.items() if name in axes}
        fits = [_has_values(values, on_axes) for values in original]
        if not any(fits):
            label = ", ".join(f"{name}={_value_label(value, None)}" for name, value in entry.content.items())
            added.append(MatrixRow(entry.content, label, entry.site))
        rows = [
            MatrixRow({**row.values, **entry.content}, row.label, row.site) if fit else row
            for row, fit in zip(rows, fits, strict=True)
        ]
    return [*rows, *added]


def _has_values(values: JsonObject, expected: JsonObject) -> bool:
    return all(key in values and is_equal(values[key], value) for key, value in expected.items())


def _value_label(value: Json, index: int | None) -> str:
    """Return the name of a value for a message: a short value itself, otherwise its name or place."""
    if isinstance(value, dict):
        name = text_at(value, "name") or text_at(value, "id")
        return name or (f"[{index}]" if index is not None else "{…}")
    if isinstance(value, list):
        return f"[{index}]" if index is not None else "[…]"
    text = str(value).lower() if isinstance(value, bool) or value is None else str(value)
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"
