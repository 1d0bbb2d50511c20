"""sprig's functions for lists, mappings and defaults.

``list.go``, ``dict.go``, ``defaults.go``, ``reflect.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from renderer.golang.template.cost import charge, charge_value, check_depth
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.number_functions import integer
from renderer.golang.template.text_functions import sorted_texts, text_of
from renderer.golang.template.values import (
    GoList,
    contains_mapping,
    deep_copy,
    deep_equal,
    is_nil,
    kind_name,
    type_name,
)

_STEPS_TO_MERGE, _STEPS_TO_FIND = 6, 4


def is_empty(value: object) -> bool:
    """Return True for nil, false, 0 and anything without elements, like sprig's ``empty``."""
    return is_nil(value) or not value


def _default(default: object, *values: object) -> object:
    return default if not values or is_empty(values[0]) else values[0]


def _dict(*values: object) -> dict[str, object]:
    mapping: dict[str, object] = {}
    for index in range(0, len(values), 2):
        mapping[text_of(values[index])] = values[index + 1] if index + 1 < len(values) else ""
    return mapping


def _set(mapping: dict[str, object], key: str, value: object) -> dict[str, object]:
    """Change the mapping in place, as sprig does: the next action sees the change."""
    _check_stays_a_tree(mapping, value)
    mapping[key] = value
    return mapping


def _check_stays_a_tree(mapping: Mapping[str, object], value: object) -> None:
    """Raise ``GoTemplateError`` if ``mapping`` would contain itself: Go crashes when it writes that."""
    if contains_mapping(value, mapping):
        raise GoTemplateError("a mapping would contain itself")


def _unset(mapping: dict[str, object], key: str) -> dict[str, object]:
    mapping.pop(key, None)
    return mapping


def _pick(mapping: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: mapping[key] for key in keys if key in mapping}


def _omit(mapping: Mapping[str, object], *keys: str) -> dict[str, object]:
    omitted = frozenset(keys)
    return {key: value for key, value in mapping.items() if key not in omitted}


def _keys(*mappings: Mapping[str, object]) -> list[object]:
    """Return the keys, sorted; in Go their order differs each time."""
    return [key for mapping in mappings for key in sorted(mapping)]


def merged(
    target: Mapping[str, object], other: Mapping[str, object], *, overwrite: bool, depth: int = 0
) -> dict[str, object]:
    """Return ``target`` with the missing values from ``other`` (``mergo.Merge``).

    With ``overwrite``, all non-empty values of ``other`` are used. Raises ``GoTemplateError`` for mappings
    that are nested too deep.
    """
    check_depth(depth)
    charge(_STEPS_TO_MERGE * (1 + len(target) + len(other)))
    result = dict(target)
    for key, value in other.items():
        present = result.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            result[key] = merged(present, value, overwrite=overwrite, depth=depth + 1)
        elif key not in result or is_empty(present) or (overwrite and not is_empty(value)):
            result[key] = value
    return result


def _merge(*, overwrite: bool) -> Callable[..., object]:
    def merge(target: dict[str, object], *others: dict[str, object]) -> object:
        for other in others:
            if other is not target:
                _check_stays_a_tree(target, other)
                target.update(merged(target, other, overwrite=overwrite))
        return target

    return merge


def _dig(*values: object) -> object:
    if len(values) < 3:  # noqa: PLR2004 - a key, the default, the mapping
        raise GoTemplateError("dig needs at least three arguments")
    *keys, default, value = values
    for key in keys:
        if not isinstance(value, dict) or not isinstance(key, str):
            raise GoTemplateError(f"dig needs mappings and text keys, not {type_name(value)}")
        if key not in value:
            return default
        value = value[key]
    return value


class _Seen:
    """The values seen so far; scalars are found by their hash, as long lists have mostly scalars."""

    def __init__(self, values: Iterable[object] = ()) -> None:
        self._scalars: set[tuple[type, object]] = set()
        self._others: list[object] = []
        for value in values:
            self.add(value)

    def add(self, value: object) -> None:
        if isinstance(value, dict | list | range):
            self._others.append(value)
        elif value == value:  # noqa: PLR0124 - NaN equals nothing
            self._scalars.add(_scalar(value))

    def __contains__(self, value: object) -> bool:
        if isinstance(value, dict | list | range):
            return any(deep_equal(value, other) for other in self._others)
        return value == value and _scalar(value) in self._scalars  # noqa: PLR0124 - as above


def _scalar(value: object) -> tuple[type, object]:
    return (type(None), None) if is_nil(value) else (type(value), value)


def _unique(values: GoList) -> list[object]:
    unique: list[object] = []
    seen = _Seen()
    charge(_STEPS_TO_FIND * len(values))
    for value in values:
        charge_value(value)
        if value not in seen:
            seen.add(value)
            unique.append(value)
    return unique


def _has(needle: object, values: GoList) -> bool:
    charge(len(values))
    return any(deep_equal(needle, value) for value in values)


def _without(values: GoList, *omitted: object) -> list[object]:
    seen = _Seen(omitted)
    kept: list[object] = []
    charge(_STEPS_TO_FIND * len(values))
    for value in values:
        charge_value(value)
        if value not in seen:
            kept.append(value)
    return kept


def _slice(values: GoList, *bounds: object) -> object:
    if not values:
        return None
    start = integer(bounds[0]) if bounds else 0
    end = integer(bounds[1]) if len(bounds) > 1 else len(values)
    if not 0 <= start <= end <= len(values):
        raise GoTemplateError("slice bounds out of range")
    return values[start:end]


def _chunk(size: int, values: GoList) -> list[GoList]:
    if size < 1:
        raise GoTemplateError("chunk needs a size of at least 1")
    return [values[start : start + size] for start in range(0, len(values), size)]


def _element_at(index: int) -> Callable[[GoList], object]:
    return lambda values: values[index] if values else None


def _fail(message: str) -> object:
    raise GoTemplateError(message)


_WITH_MUST: Mapping[str, GoFunction] = {
    "append": GoFunction(lambda values, value: [*values, value], "la"),
    "push": GoFunction(lambda values, value: [*values, value], "la"),
    "prepend": GoFunction(lambda values, value: [value, *values], "la"),
    "first": GoFunction(_element_at(0), "l"),
    "last": GoFunction(_element_at(-1), "l"),
    "rest": GoFunction(lambda values: values[1:] if values else None, "l"),
    "initial": GoFunction(lambda values: values[:-1] if values else None, "l"),
    "reverse": GoFunction(lambda values: values[::-1], "l"),
    "uniq": GoFunction(_unique, "l"),
    "without": GoFunction(_without, "l", "a"),
    "has": GoFunction(_has, "al"),
    "slice": GoFunction(_slice, "l", "a"),
    "chunk": GoFunction(_chunk, "il"),
    "compact": GoFunction(lambda values: [value for value in values if not is_empty(value)], "l"),
    "merge": GoFunction(_merge(overwrite=False), "m", "m"),
    "mergeOverwrite": GoFunction(_merge(overwrite=True), "m", "m"),
    "deepCopy": GoFunction(deep_copy, "a"),
}

COLLECTION_FUNCTIONS: Mapping[str, GoFunction] = {
    **_WITH_MUST,
    **{f"must{name[0].upper()}{name[1:]}": function for name, function in _WITH_MUST.items()},
    "default": GoFunction(_default, "a", "a"),
    "empty": GoFunction(is_empty, "a"),
    "coalesce": GoFunction(lambda *values: next((one for one in values if not is_empty(one)), None), "", "a"),
    "all": GoFunction(lambda *values: not any(map(is_empty, values)), "", "a"),
    "any": GoFunction(lambda *values: not all(map(is_empty, values)), "", "a"),
    "ternary": GoFunction(lambda yes, no, condition: yes if condition else no, "aab"),
    "list": GoFunction(lambda *values: list(values), "", "a"),
    "tuple": GoFunction(lambda *values: list(values), "", "a"),
    "concat": GoFunction(lambda *lists: [value for values in lists for value in values], "", "l"),
    "sortAlpha": GoFunction(sorted_texts, "a"),
    "dict": GoFunction(_dict, "", "a"),
    "get": GoFunction(lambda mapping, key: mapping.get(key, ""), "ms"),
    "set": GoFunction(_set, "msa"),
    "unset": GoFunction(_unset, "ms"),
    "hasKey": GoFunction(lambda mapping, key: key in mapping, "ms"),
    "pluck": GoFunction(lambda key, *mappings: [each[key] for each in mappings if key in each], "s", "m"),
    "keys": GoFunction(_keys, "", "m"),
    "values": GoFunction(lambda mapping: [mapping[key] for key in sorted(mapping)], "m"),
    "pick": GoFunction(_pick, "m", "s"),
    "omit": GoFunction(_omit, "m", "s"),
    "dig": GoFunction(_dig, "", "a"),
    "typeOf": GoFunction(type_name, "a"),
    "typeIs": GoFunction(lambda name, value: name == type_name(value), "sa"),
    "typeIsLike": GoFunction(lambda name, value: type_name(value) in (name, f"*{name}"), "sa"),
    "kindOf": GoFunction(kind_name, "a"),
    "kindIs": GoFunction(lambda name, value: name == kind_name(value), "sa"),
    "deepEqual": GoFunction(deep_equal, "aa"),
    "fail": GoFunction(_fail, "s"),
}
