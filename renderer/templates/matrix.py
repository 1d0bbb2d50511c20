"""The rows of a matrix: every combination of its axes, as in a workflow of GitHub Actions.

``exclude`` drops the combinations that have all pairs of one of its entries. Then each entry of ``include``
adds its values to every combination that has nothing else for them on the axes; one that fits nowhere is a
row of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from renderer.model.fields import Fields, nearest_hint
from renderer.model.json import Json, JsonObject, text_at
from renderer.model.limits import limits, way_out
from renderer.model.location import Site
from renderer.templates.definition import Row
from renderer.templates.value_names import check_name
from renderer.templates.values import Values

_MAX_COMPARISONS = 1_000_000
_LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class _Cell:
    """A value on an axis, and where it stands."""

    value: Json
    site: Site
    label: str


_Axes: TypeAlias = Mapping[str, Sequence[_Cell]]


def read_rows(matrix: Fields, values: Values) -> tuple[Row, ...]:
    """The rows, each with ``values`` besides its own; what is wrong is noted."""
    axes = _axes(matrix, values)
    count = math.prod(map(len, axes.values()))
    include, exclude = tuple(matrix.elements("include")), tuple(matrix.elements("exclude"))
    if not axes and not include:
        return ()
    most = limits().template_rows
    if count + len(include) > most:
        message = f"{matrix.name()} has {count + len(include)} rows, more than {most}"
        matrix.reject(None, message, way_out("template_rows"))
        return ()
    if count * (len(include) + len(exclude)) > _MAX_COMPARISONS:
        matrix.reject(None, f"{matrix.name()} has too many entries under include and exclude for its rows")
        return ()
    rows = _without_excluded(matrix, _combinations(axes), exclude, tuple(axes))
    rows = _with_included(rows, include, tuple(axes))
    if not rows:
        matrix.reject("exclude", f"{matrix.name('exclude')} leaves no row")
    return tuple(Row({**values.content, **row.values}, row.label, row.site) for row in rows)


def _axes(matrix: Fields, values: Values) -> _Axes:
    axes: dict[str, Sequence[_Cell]] = {}
    for name in matrix.content:
        if name in ("include", "exclude") or not check_name(matrix, name):
            continue
        if name in values.content:
            hint = "an axis gives each row a value; remove the other, or give it another name"
            matrix.reject(name, f"there are two values {name}: an axis, and one for all rows", hint)
            continue
        cells = _cells(matrix, name, values)
        if cells:
            axes[name] = cells
    return axes


def _cells(matrix: Fields, name: str, values: Values) -> Sequence[_Cell]:
    """The values of an axis: those written there, or in a value that it names."""
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
    return [
        _Cell(value, site.below(index), f"{name}={_shown(value, index)}")
        for index, value in enumerate(listed)
    ]


def _combinations(axes: _Axes) -> list[Row]:
    """The first axis changes slowest."""
    if not axes:
        return []
    return [
        Row(
            dict(zip(axes, (cell.value for cell in cells), strict=True)),
            ", ".join(cell.label for cell in cells),
            cells[0].site,
        )
        for cells in itertools.product(*axes.values())
    ]


def _without_excluded(
    matrix: Fields, rows: list[Row], exclude: Sequence[Fields], axes: tuple[str, ...]
) -> list[Row]:
    for entry in exclude:
        unknown = [key for key in entry.content if key not in axes]
        for key in unknown:
            entry.reject(key, f"there is no axis {key}", nearest_hint(key, axes))
        kept = [row for row in rows if not _has(row.values, entry.content)]
        if len(kept) == len(rows) and rows and not unknown:
            entry.reject(
                None,
                f"{entry.name()} excludes nothing",
                f"look for a typing error, or remove it from {matrix.name()}",
            )
        rows = kept
    return rows


def _with_included(rows: list[Row], include: Sequence[Fields], axes: tuple[str, ...]) -> list[Row]:
    original = [row.values for row in rows]
    added: list[Row] = []
    for entry in include:
        for name in entry.content:
            check_name(entry, name)
        on_axes = {name: value for name, value in entry.content.items() if name in axes}
        fits = [_has(values, on_axes) for values in original]
        if not any(fits):
            label = ", ".join(f"{name}={_shown(value, None)}" for name, value in entry.content.items())
            added.append(Row(entry.content, label, entry.site))
        rows = [
            Row({**row.values, **entry.content}, row.label, row.site) if fit else row
            for row, fit in zip(rows, fits, strict=True)
        ]
    return [*rows, *added]


def _has(values: JsonObject, wanted: JsonObject) -> bool:
    return all(key in values and _same(values[key], value) for key, value in wanted.items())


def _same(left: Json, right: Json) -> bool:
    """As JSON has it, where true is not 1."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _shown(value: Json, index: int | None) -> str:
    """How a message names a value: as it is when that is short, else by its name or place."""
    if isinstance(value, dict):
        name = text_at(value, "name") or text_at(value, "id")
        return name or (f"[{index}]" if index is not None else "{…}")
    if isinstance(value, list):
        return f"[{index}]" if index is not None else "[…]"
    text = str(value).lower() if isinstance(value, bool) or value is None else str(value)
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"
