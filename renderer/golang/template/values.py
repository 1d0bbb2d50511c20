"""Values as in Go's templates: truth, equality, and the text of each value.

Text, lists and mappings are Python's own. ``int`` is Go's int, ``float`` its float64, None its nil, ``range``
a list of integers that is counted when it is used. Numbers of YAML and JSON are floats, as Go decodes them.
Values are trees: no function puts a mapping into itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

from renderer.golang.template.cost import charge, charge_text, check_depth
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.strconv import well_formed
from renderer.model.kube.json import Json
from renderer.yamlio.go_numbers import format_float

_STEPS_TO_FORMAT, _STEPS_TO_COPY, _STEPS_TO_COMPARE = 2, 6, 4
#: Go's slices.
GoList: TypeAlias = list[object] | range


class MissingKey:
    """A key that a mapping does not have; nil to functions, and the text ``<no value>``."""

    def __repr__(self) -> str:
        return "<no value>"


ABSENT = MissingKey()


class TextMap(dict[str, str]):
    """Go's ``map[string]string``, the type of labels: functions that require a dict refuse it."""


def go_value(value: Json, depth: int = 0) -> object:
    """Return a value of YAML or JSON as Go decodes it: every number is a float.

    Raises ``GoTemplateError`` for a number that is too large for Go, and for too many levels.
    """
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            raise GoTemplateError("a number is too large for float64") from None
    if isinstance(value, Mapping):
        check_depth(depth)
        charge(len(value))
        return {well_formed(key): go_value(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        check_depth(depth)
        charge(len(value))
        return [go_value(each, depth + 1) for each in value]
    return value


def deep_copy(value: object, depth: int = 0) -> object:
    """Return the value with mappings and lists of its own."""
    if isinstance(value, TextMap):
        charge(_STEPS_TO_COPY * len(value))
        return TextMap(value)
    if isinstance(value, dict):
        check_depth(depth)
        charge(_STEPS_TO_COPY * len(value))
        return {key: deep_copy(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        check_depth(depth)
        charge(_STEPS_TO_COPY * len(value))
        return [deep_copy(each, depth + 1) for each in value]
    return value


def contains_mapping(value: object, mapping: Mapping[str, object]) -> bool:
    """Return True if the value is the mapping, or has it at any depth."""
    remaining, visited = [value], set[int]()
    while remaining:
        one = remaining.pop()
        if one is mapping:
            return True
        if not isinstance(one, dict | list) or id(one) in visited:
            continue
        visited.add(id(one))
        charge(len(one))
        remaining += one.values() if isinstance(one, dict) else one
    return False


def is_nil(value: object) -> bool:
    """Return True for Go's nil, and for a key that a map does not have."""
    return value is None or value is ABSENT


def is_true(value: object) -> bool:
    """Return True for a value that is true in ``if`` (``text/template`` ``exec.go`` IsTrue)."""
    return not is_nil(value) and bool(value)


def type_name(value: object) -> str:
    """Return the text that ``%T`` writes."""
    if is_nil(value):
        return "<nil>"
    if isinstance(value, TextMap):
        return "map[string]string"
    names: tuple[tuple[type, str], ...] = (
        (bool, "bool"),
        (str, "string"),
        (int, "int"),
        (float, "float64"),
        (dict, "map[string]interface {}"),
        (list, "[]interface {}"),
        (range, "[]int"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)


def kind_name(value: object) -> str:
    """Return the result of sprig's ``kindOf``."""
    if is_nil(value):
        return "invalid"
    if isinstance(value, dict):
        return "map"
    return "slice" if isinstance(value, list | range) else type_name(value)


def format_value(value: object, *, nested: bool = False, depth: int = 0) -> str:
    """Return the text that ``%v`` writes; ``nested``: for a value inside another one or in a function."""
    if isinstance(value, str):
        return value
    if is_nil(value):
        return "<nil>" if nested else "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if not isinstance(value, dict | list | range):
        return str(value)
    check_depth(depth)
    charge(_STEPS_TO_FORMAT * len(value))
    if isinstance(value, dict):
        texts = [f"{key}:{format_value(value[key], nested=True, depth=depth + 1)}" for key in sorted(value)]
    else:
        texts = [format_value(each, nested=True, depth=depth + 1) for each in value]
    charge_text(sum(map(len, texts)))
    return f"{'map' if isinstance(value, dict) else ''}[{' '.join(texts)}]"


def go_float(value: float) -> str:
    """Return the text that ``%v`` writes for a float."""
    if math.isfinite(value):
        return format_float(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def are_equal(one: object, other: object) -> bool:
    """Return the result of ``eq``. Raises ``GoTemplateError`` for types that cannot be compared."""
    if is_nil(one) or is_nil(other):
        return is_nil(one) and is_nil(other)
    if isinstance(one, dict | list | range) or isinstance(other, dict | list | range):
        raise GoTemplateError("non-comparable type in eq")
    if type(one) is not type(other):
        raise GoTemplateError("incompatible types for comparison")
    return one == other


def is_less(one: object, other: object) -> bool:
    """Return the result of ``lt``. Raises ``GoTemplateError`` for types that have no order."""
    if isinstance(one, bool) or not isinstance(one, str | int | float):
        raise GoTemplateError("invalid type for comparison")
    if type(one) is not type(other):
        raise GoTemplateError("incompatible types for comparison")
    return one < other  # type: ignore[operator]  # both are of one type, which has an order


def deep_equal(one: object, other: object) -> bool:
    """Return True if Go's ``reflect.DeepEqual`` does: numbers of different types differ."""
    return _deep_equal(one, other, set(), 0)


def _deep_equal(one: object, other: object, visited: set[tuple[int, int]], depth: int) -> bool:
    """``visited`` are the pairs of mappings and lists that are compared already, as in ``reflect``."""
    if is_nil(one) or is_nil(other):
        return is_nil(one) and is_nil(other)
    if type(one) is not type(other):
        return False
    if isinstance(one, str) and isinstance(other, str):
        charge_text(min(len(one), len(other)))
        return one == other
    if not isinstance(one, dict | list | range):
        charge(1)
        return one == other
    assert isinstance(other, dict | list | range)  # noqa: S101 - both are of one type
    charge(_STEPS_TO_COMPARE)
    if len(one) != len(other):
        return False
    if isinstance(one, range):
        return one == other
    pair = (id(one), id(other))
    if one is other or pair in visited:
        return True
    visited.add(pair)
    check_depth(depth)
    charge(_STEPS_TO_COMPARE * len(one))
    if isinstance(one, dict):
        assert isinstance(other, dict)  # noqa: S101 - as above
        return one.keys() == other.keys() and all(
            _deep_equal(one[key], other[key], visited, depth + 1) for key in one
        )
    return all(_deep_equal(*each, visited, depth + 1) for each in zip(one, other, strict=True))
