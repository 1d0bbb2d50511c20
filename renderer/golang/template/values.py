"""Values as in Go's templates: truth, equality, and the text of each value.

Text, lists and mappings are Python's own. ``int`` is Go's int, ``float`` its float64, None its nil. Numbers
of YAML and JSON are floats, as Go decodes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.model.kube.json import Json
from renderer.yamlio.go_numbers import format_float


class GoTemplateError(ValueError):
    """The message says what is wrong, without a value of the template's input."""


class MissingKey:
    """A key that a mapping does not have; nil to functions, and the text ``<no value>``."""

    def __repr__(self) -> str:
        return "<no value>"


ABSENT = MissingKey()


class TextMap(dict[str, str]):
    """Go's ``map[string]string``, the type of labels: functions that require a dict refuse it."""


def go_value(value: Json) -> object:
    """Return a value of YAML or JSON as Go decodes it: every number is a float."""
    if isinstance(value, bool) or not isinstance(value, int | dict | list):
        return value
    if isinstance(value, int):
        return float(value)
    if isinstance(value, Mapping):
        return {key: go_value(each) for key, each in value.items()}
    return [go_value(each) for each in value]


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
    )
    return next((name for kind, name in names if isinstance(value, kind)), type(value).__name__)


def kind_name(value: object) -> str:
    """Return the result of sprig's ``kindOf``."""
    if is_nil(value):
        return "invalid"
    return {"map": "map", "[]in": "slice"}.get(
        type_name(value)[: 3 + type_name(value).startswith("[]")], type_name(value)
    )


def format_value(value: object, *, nested: bool = False) -> str:
    """Return the text that ``%v`` writes; ``nested``: for a value inside another one or in a function."""
    if is_nil(value):
        return "<nil>" if nested else "<no value>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_float(value)
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{key}:{format_value(value[key], nested=True)}' for key in sorted(value))}]"
    if isinstance(value, list | tuple):
        return f"[{' '.join(format_value(each, nested=True) for each in value)}]"
    return str(value)


def are_equal(one: object, other: object) -> bool:
    """Return the result of ``eq``. Raises ``GoTemplateError`` for types that cannot be compared."""
    if is_nil(one) or is_nil(other):
        return is_nil(one) and is_nil(other)
    if isinstance(one, dict | list) or isinstance(other, dict | list):
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
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        return len(one) == len(other) and all(map(deep_equal, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(deep_equal(one[key], other[key]) for key in one)
    return (is_nil(one) and is_nil(other)) or (type(one) is type(other) and one == other)
