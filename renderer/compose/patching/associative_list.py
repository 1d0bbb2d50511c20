"""Lists whose elements are known by keys (kustomize ``kyaml/yaml/walk/associative_sequence.go``, ``fns.go``).

Elements are matched by the text of their keys. The key of a list of scalars is the scalar itself, which is
written as the empty name. Where a key is missing in some elements upstream's rules are odd; they are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from renderer.compose.absent import ABSENT, Slot
from renderer.model.json import Json, JsonObject, scalar_text

Keys: TypeAlias = "tuple[str, ...]"
#: The texts of an element's keys, empty where it has none.
Values: TypeAlias = "tuple[str, ...]"

#: The key of a list of scalars.
ITSELF: Keys = ("",)

_MIXED = "a list that merges by key holds something that is no mapping"


class ElementError(Exception):
    """A list that is to be merged by key holds an element that has no keys."""


def element_values(elements: Iterable[Json], keys: Keys) -> list[Values]:
    """The key values of each element (``ElementValuesList``)."""
    return [tuple(_key_text(element, key) for key in keys) for element in elements]


def _key_text(element: Json, key: str) -> str:
    if not key:
        return scalar_text(element)
    value = key_value(element, key) if isinstance(element, dict) else None
    return "" if value is None or value is ABSENT else scalar_text(value)


def key_value(element: JsonObject, key: str) -> Slot:
    """The value of an element's key, which may stand deeper in it: ``metadata.name``."""
    outer, dot, inner = key.partition(".")
    if not dot:
        return element.get(key, ABSENT)
    child = element.get(outer)
    return key_value(child, inner) if isinstance(child, dict) else ABSENT


def find_element(elements: Sequence[Json], keys: Keys, values: Values) -> int | None:
    """The position of the first element with all the key values (``ElementMatcher``)."""
    for index, element in enumerate(elements):
        if keys[0] == "":
            if scalar_text(element) == values[0]:
                return index
        elif isinstance(element, dict) and all(
            _text(key_value(element, key)) == value for key, value in zip(keys, values, strict=True)
        ):
            return index
    return None


def set_element(elements: Sequence[Json], element: Json, keys: Keys, values: Values) -> list[Json]:
    """The list with ``element`` in the place of each that matches, else at its end (``ElementSetter``)."""
    kept, matched = _replaced(elements, [element], keys, values)
    return kept if matched else [*kept, element]


def delete_elements(elements: Sequence[Json], keys: Keys, values: Values) -> list[Json]:
    """The list without the elements that match, and without empty ones (``ElementSetter``)."""
    return _replaced(elements, [], keys, values)[0]


def _replaced(
    elements: Sequence[Json], replacement: list[Json], keys: Keys, values: Values
) -> tuple[list[Json], bool]:
    is_for_mappings = bool(keys[0] and values and values[0])
    kept: list[Json] = []
    any_matched = False
    for element in elements:
        if element is None or element == {}:
            continue
        if is_for_mappings and not isinstance(element, dict):
            kept.append(element)
        elif _matches(element, keys, values):
            any_matched = True
            kept += replacement
        elif values:  # without values nothing is kept: an upstream oddity
            kept.append(element)
    return kept, any_matched


def _matches(element: Json, keys: Keys, values: Values) -> bool:
    """Whether the element has the key values; a key beyond the values matches as the one before it did."""
    matched = False
    for position, key in enumerate(keys):
        if position < len(values):
            matched = _has_value(element, key, values[position])
        if not matched:
            return False
    return True


def _has_value(element: Json, key: str, value: str) -> bool:
    """``FieldMatcher``: an empty value matches any."""
    if isinstance(element, dict) == (not key) or isinstance(element, list):
        raise ElementError(_MIXED)
    if not key:
        return scalar_text(element) == value
    found = _text(key_value(element, key)) if isinstance(element, dict) else None
    return found is not None and value in ("", found)


def _text(value: Slot) -> str | None:
    return None if value is ABSENT else scalar_text(value)


def append_elements(target: list[Json], source: Sequence[Json], keys: Keys) -> list[Json]:
    """``target`` with each of ``source`` in place of its match, else at the end (``appendListNode``)."""
    for element in source:
        if keys == ITSELF:
            target = set_element(target, element, keys, (scalar_text(element),))
            continue
        if not isinstance(element, dict | None):
            raise ElementError(_MIXED)
        values: Values = ()
        for key in keys:
            text = None if element is None else _text(key_value(element, key))
            if text is not None:
                values = (*values, text)
            else:
                target = [*target, element]
        if len(keys) > 1:
            target = delete_elements(target, keys, values)
        target = set_element(target, element, keys, values)
    return target


def in_order_of(elements: Sequence[Json], merged: Sequence[Json], keys: Keys) -> list[Json]:
    """``merged`` with what is in ``elements`` in its order there, and what is new behind it."""
    positions = {values: position for position, values in enumerate(element_values(elements, keys))}
    placed = zip(element_values(merged, keys), merged, strict=True)
    return [element for _, element in sorted(placed, key=lambda each: positions.get(each[0], len(positions)))]


def complete_values(found: list[Values]) -> list[Values]:
    """Key values where what is missing in one is taken from another that agrees with it (``mergeValues``)."""
    completed = list(found)
    for index in range(len(completed)):
        current = completed[index]
        for other in range(len(completed)):
            merged = _agreed(current, completed[other])
            if merged is not None:
                completed[index] = completed[other] = merged
    return completed


def _agreed(left: Values, right: Values) -> Values | None:
    if any(one and other and one != other for one, other in zip(left, right, strict=True)):
        return None
    if all(one != other for one, other in zip(left, right, strict=True)):
        return None
    return tuple(one or other for one, other in zip(left, right, strict=True))


def used_keys(found: Iterable[Values], values: Values, keys: Keys) -> tuple[Keys, Values]:
    """The keys that any element has, with their values in one; all where none has any (``validateKeys``)."""
    used = {key for each in found for key, value in zip(keys, each, strict=True) if value}
    if not used:
        return keys, values
    pairs = [(key, value) for key, value in zip(keys, values, strict=True) if key in used]
    return tuple(key for key, _ in pairs), tuple(value for _, value in pairs)
