"""sprig's functions for lists, mappings and defaults.

``list.go``, ``dict.go``, ``defaults.go``, ``reflect.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.number_functions import integer
from renderer.golang.template.text_functions import text_of, texts_of
from renderer.golang.template.values import GoTemplateError, deep_equal, is_nil, kind_name, type_name


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
    mapping[key] = value
    return mapping


def _unset(mapping: dict[str, object], key: str) -> dict[str, object]:
    mapping.pop(key, None)
    return mapping


def _pick(mapping: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: mapping[key] for key in keys if key in mapping}


def _omit(mapping: Mapping[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _keys(*mappings: Mapping[str, object]) -> list[object]:
    """Return the keys, sorted; in Go their order differs each time."""
    return [key for mapping in mappings for key in sorted(mapping)]


def merged(
    target: Mapping[str, object], other: Mapping[str, object], *, overwrite: bool
) -> dict[str, object]:
    """Return ``target`` with the missing values from ``other`` (``mergo.Merge``).

    With ``overwrite``, all non-empty values of ``other`` are used.
    """
    result = dict(target)
    for key, value in other.items():
        present = result.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            result[key] = merged(present, value, overwrite=overwrite)
        elif key not in result or is_empty(present) or (overwrite and not is_empty(value)):
            result[key] = value
    return result


def _merge(*, overwrite: bool) -> Callable[..., object]:
    def merge(target: dict[str, object], *others: dict[str, object]) -> object:
        for other in others:
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


def _unique(values: list[object]) -> list[object]:
    unique: list[object] = []
    for value in values:
        if not any(deep_equal(value, other) for other in unique):
            unique.append(value)
    return unique


def _has(needle: object, values: list[object]) -> bool:
    return any(deep_equal(needle, value) for value in values)


def _without(values: list[object], *omitted: object) -> list[object]:
    return [value for value in values if not _has(value, list(omitted))]


def _slice(values: list[object], *bounds: object) -> object:
    if not values:
        return None
    start = integer(bounds[0]) if bounds else 0
    end = integer(bounds[1]) if len(bounds) > 1 else len(values)
    if not 0 <= start <= end <= len(values):
        raise GoTemplateError("slice bounds out of range")
    return values[start:end]


def _chunk(size: int, values: list[object]) -> list[list[object]]:
    if size < 1:
        raise GoTemplateError("chunk needs a size of at least 1")
    return [values[start : start + size] for start in range(0, len(values), size)]


def _element_at(index: int) -> Callable[[list[object]], object]:
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
    "deepCopy": GoFunction(lambda value: value, "a"),
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
    "sortAlpha": GoFunction(lambda values: sorted(texts_of(values)), "a"),
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
