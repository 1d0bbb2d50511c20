"""Filters for lists, mappings and numbers, where Jinja's own are missing or unbounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, cast

from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.limits import check_items
from renderer.authoring.templates.values import describe

_MAX_DIGITS = 15
_ROUNDING: Final[Mapping[str, Callable[[float], float]]] = {
    "common": round,
    "ceil": math.ceil,
    "floor": math.floor,
}


def pairs(mapping: object) -> list[tuple[object, object]]:
    """Return the keys of a mapping with their values, in the order of writing."""
    if not isinstance(mapping, dict):
        raise TemplateError(f"{describe(mapping)} is not a mapping")
    return list(mapping.items())


def combine(mapping: object, *others: object) -> dict[object, object]:
    """Return a mapping merged with others, which add or override keys."""
    merged: dict[object, object] = {}
    for each in (mapping, *others):
        merged.update(pairs(each))
    return merged


def batch(values: object, size: int, fill: object = None) -> list[list[object]]:
    """Yield lists of ``size`` values each; the last one is padded if a fill value is given."""
    if size < 1:
        raise TemplateError("a batch has at least one value")
    listed = elements(values)
    batches = [list(listed[start : start + size]) for start in range(0, len(listed), size)]
    if fill is not None and batches:
        check_items(size)
        batches[-1] += [fill] * (size - len(batches[-1]))
    return batches


def rounded(value: float, precision: int = 0, method: str = "common") -> float:
    """Return the rounded number: an integer, unless there is a precision."""
    if method not in _ROUNDING or abs(precision) > _MAX_DIGITS:
        raise TemplateError(
            "invalid arguments of round",
            f"the precision is up to {_MAX_DIGITS}, the method common, ceil or floor",
        )
    if not precision:
        return int(_ROUNDING[method](value))
    factor = 10.0**precision
    return round(value, precision) if method == "common" else _ROUNDING[method](value * factor) / factor


@pass_environment
def total(
    environment: Environment, values: object, attribute: str | int | None = None, start: object = 0
) -> object:
    """Return the sum of numbers, or of each value's ``attribute``; lists are concatenated."""
    summands: Sequence[object] = elements(values)
    if attribute is not None:
        summands = [*map(make_attrgetter(environment, attribute), summands)]
    if isinstance(start, list | tuple):
        return _concatenated((start, *summands))
    for value in (start, *summands):
        if isinstance(value, bool) or not isinstance(value, int | float):
            hint = "lists are joined with sum(start=[]), text with join"
            raise TemplateError(f"{describe(value)} cannot be summed up", hint)
    return sum(cast("Sequence[float]", summands), cast("float", start))


def _concatenated(lists: Sequence[object]) -> list[object]:
    for value in lists:
        if not isinstance(value, list | tuple):
            raise TemplateError(f"{describe(value)} cannot be appended to a list")
    listed = cast("Sequence[Sequence[object]]", lists)
    check_items(sum(map(len, listed)))
    return [value for each in listed for value in each]


def elements(value: object) -> Sequence[object]:
    """Return the elements of a loop: a list's values, a mapping's keys, a text's characters."""
    if isinstance(value, list | tuple | range | str):
        return value
    if isinstance(value, dict) and isinstance(value, Iterable):
        return list(value)
    raise TemplateError(
        f"{describe(value)} is not a list", None if value is not None else "null has no elements"
    )
