"""The merge of two lists by key (kustomize ``kyaml/yaml/walk/associative_sequence.go``, ``fns.go``).

Elements are matched by the text of their keys. The key of a list of scalars is the scalar itself, and is
written as the empty name. If some elements lack a key, upstream's rules are odd; they are kept.
``$patch`` in an element or a list is a directive (``kyaml/yaml/merge2/smpdirective.go``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

from renderer.kustomize.values import ABSENT, Slot
from renderer.model.kube.json import Json, JsonObject, scalar_text, with_value
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum

Keys: TypeAlias = "tuple[str, ...]"
#: The texts of an element's keys, empty for a missing key.
KeyValues: TypeAlias = "tuple[str, ...]"

#: The key of a list of scalars.
ITSELF: Keys = ("",)

_MERGING = "merging lists"
_MIXED = "a list that merges by key contains both mappings and other values"


#: Lists with missing or repeated keys of up to this length are searched element by element, as in upstream.
_MAX_ODD_ELEMENTS = 2000
_DIRECTIVE = "$patch"
#: Returns the merged element for an element of the object and an element of the patch.
MergeElement: TypeAlias = Callable[[Slot, Slot], Slot]


class Directive(TextEnum):
    """The values of ``$patch``."""

    MERGE = "merge"
    REPLACE = "replace"
    DELETE = "delete"


class DirectiveError(Exception):
    """``$patch`` has an unknown value."""


class ElementError(Exception):
    """A list cannot be merged by key: its elements are mixed, or too many have no key."""


def element_values(elements: Iterable[Json], keys: Keys) -> list[KeyValues]:
    """Return the key values of each element (``ElementValuesList``)."""
    return [tuple(_key_text(element, key) for key in keys) for element in elements]


def _key_text(element: Json, key: str) -> str:
    if not key:
        return scalar_text(element)
    value = key_value(element, key) if isinstance(element, dict) else None
    return "" if value is None or value is ABSENT else scalar_text(value)


def key_value(element: JsonObject, key: str) -> Slot:
    """Return the value of an element's key, which may be nested: ``metadata.name``."""
    outer, dot, inner = key.partition(".")
    if not dot:
        return element.get(key, ABSENT)
    child = element.get(outer)
    return key_value(child, inner) if isinstance(child, dict) else ABSENT


def find_element(elements: Sequence[Json], keys: Keys, values: KeyValues) -> int | None:
    """Return the position of the first element with all the key values (``ElementMatcher``), or None."""
    spend(len(elements), _MERGING)
    for index, element in enumerate(elements):
        if keys[0] == "":
            if scalar_text(element) == values[0]:
                return index
        elif isinstance(element, dict) and all(
            _text(key_value(element, key)) == value for key, value in zip(keys, values, strict=True)
        ):
            return index
    return None


def set_element(elements: Sequence[Json], element: Json, keys: Keys, values: KeyValues) -> list[Json]:
    """Return the list with ``element`` in place of each match, else at its end (``ElementSetter``).

    Raises ``ElementError``.
    """
    replaced, matched = _replace_matches(elements, [element], keys, values)
    return replaced if matched else [*replaced, element]


def delete_elements(elements: Sequence[Json], keys: Keys, values: KeyValues) -> list[Json]:
    """Return the list without matching elements and without empty ones (``ElementSetter``).

    Raises ``ElementError``.
    """
    return _replace_matches(elements, [], keys, values)[0]


def _replace_matches(
    elements: Sequence[Json], replacement: list[Json], keys: Keys, values: KeyValues
) -> tuple[list[Json], bool]:
    is_for_mappings = bool(keys[0] and values and values[0])
    result: list[Json] = []
    any_matched = False
    spend(len(elements), _MERGING)
    for element in elements:
        if element is None or element == {}:
            continue
        if is_for_mappings and not isinstance(element, dict):
            result.append(element)
        elif _matches(element, keys, values):
            any_matched = True
            result += replacement
        elif values:  # without values nothing is kept: an upstream oddity
            result.append(element)
    return result, any_matched


def _matches(element: Json, keys: Keys, values: KeyValues) -> bool:
    """Return True if the element has the key values.

    Keys in excess of the values match if the key before them matched.
    """
    matched = False
    for position, key in enumerate(keys):
        if position < len(values):
            matched = _has_value(element, key, values[position])
        if not matched:
            return False
    return True


def _has_value(element: Json, key: str, value: str) -> bool:
    """Return True if the element has the value (``FieldMatcher``); an empty value matches any."""
    if isinstance(element, dict) == (not key) or isinstance(element, list):
        raise ElementError(_MIXED)
    if not key:
        return scalar_text(element) == value
    text = _text(key_value(element, key)) if isinstance(element, dict) else None
    return text is not None and value in ("", text)


def _text(value: Slot) -> str | None:
    return None if value is ABSENT else scalar_text(value)


def append_elements(target: list[Json], source: Sequence[Json], keys: Keys) -> list[Json]:
    """Return ``target`` with each of ``source`` in place of its match, else at the end (``appendListNode``).

    Raises ``ElementError``.
    """
    for element in source:
        if keys == ITSELF:
            target = set_element(target, element, keys, (scalar_text(element),))
            continue
        if not isinstance(element, dict | None):
            raise ElementError(_MIXED)
        values: KeyValues = ()
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
    """Return ``merged`` in the order of ``elements``, followed by new elements."""
    positions = {values: position for position, values in enumerate(element_values(elements, keys))}
    keyed = zip(element_values(merged, keys), merged, strict=True)
    return [element for _, element in sorted(keyed, key=lambda each: positions.get(each[0], len(positions)))]


def complete_values(all_values: list[KeyValues]) -> list[KeyValues]:
    """Return the key values, each completed from others that it can be merged with (``mergeValues``)."""
    completed = list(all_values)
    spend(len(all_values) * len(all_values), _MERGING)
    for index in range(len(completed)):
        current = completed[index]
        for other in range(len(completed)):
            merged = _merged_values(current, completed[other])
            if merged is not None:
                completed[index] = completed[other] = merged
    return completed


def _merged_values(left: KeyValues, right: KeyValues) -> KeyValues | None:
    """Return the key values of both; None if they contradict each other or have none in common."""
    if any(one and other and one != other for one, other in zip(left, right, strict=True)):
        return None
    if all(one != other for one, other in zip(left, right, strict=True)):
        return None
    return tuple(one or other for one, other in zip(left, right, strict=True))


def used_keys(all_values: Iterable[KeyValues], values: KeyValues, keys: Keys) -> tuple[Keys, KeyValues]:
    """Return the keys that at least one element has, and their ``values``.

    If no element has a key, return ``keys`` and ``values`` unchanged (``validateKeys``).
    """
    used = {key for each in all_values for key, value in zip(keys, each, strict=True) if value}
    if not used:
        return keys, values
    pairs = [(key, value) for key, value in zip(keys, values, strict=True) if key in used]
    return tuple(key for key, _ in pairs), tuple(value for _, value in pairs)


def mapping_directive(patch: JsonObject) -> tuple[Directive, JsonObject]:
    """Return the directive in a mapping, and the mapping without it. Raises ``DirectiveError``."""
    if _DIRECTIVE not in patch:
        return Directive.MERGE, patch
    directive = _parse_directive(patch[_DIRECTIVE])
    return directive, {key: value for key, value in patch.items() if key != _DIRECTIVE}


def list_directive(patch: list[Json]) -> tuple[Directive, list[Json]]:
    """Return the directive of a list, an element that holds nothing else, and the list without it.

    Only the first element with ``$patch`` counts. Raises ``DirectiveError``.
    """
    first = next((element for element in patch if isinstance(element, dict) and _DIRECTIVE in element), None)
    if first is None or len(cast("JsonObject", first)) > 1:
        return Directive.MERGE, patch
    directive = _parse_directive(cast("JsonObject", first)[_DIRECTIVE])
    return directive, delete_elements(patch, (_DIRECTIVE,), (directive.value,))


def _parse_directive(value: Json) -> Directive:
    text = scalar_text(value)
    if text not in set(Directive):
        raise DirectiveError(f"$patch cannot be {text}; it is one of {', '.join(Directive)}")
    return Directive(text)


def merge_elements(
    dest: Sequence[Json], patch: Sequence[Json], keys: Keys, merge: MergeElement
) -> list[Json]:
    """Return the elements of the patch, merged with their matches in ``dest``, then the rest of ``dest``.

    If only the patch has the list, the caller passes it twice, as the same object. Raises
    ``ElementError``.
    """
    all_values = list(dict.fromkeys((*element_values(patch, keys), *element_values(dest, keys))))
    if not all_values:
        return list(dest)
    used, values = used_keys(all_values, all_values[0], keys)
    old, new = _by_values(dest, used), _by_values(patch, used)
    if all(values) and old is not None and new is not None:
        return _merge_each(old, old if patch is dest else new, used, merge)
    if len(dest) + len(patch) > _MAX_ODD_ELEMENTS:
        raise ElementError(f"of more than {_MAX_ODD_ELEMENTS} elements, some have the same key or none")
    if len(keys) > 1:
        all_values = complete_values(all_values)
    merging = _ElementMerge(dest, patch, merge)
    for values in all_values:
        merging.merge_matching(*used_keys(all_values, values, keys))
    return append_elements(merging.merged, merging.remaining, used_keys(all_values, all_values[0], keys)[0])


def _by_values(elements: Sequence[Json], keys: Keys) -> dict[KeyValues, Json] | None:
    """Return the elements by their key values, or None if keys are missing or repeated."""
    kind = (str, int, float) if keys == ITSELF else dict
    if not all(isinstance(element, kind) for element in elements):
        return None
    by_values = dict(zip(element_values(elements, keys), elements, strict=True))
    return by_values if len(by_values) == len(elements) and all(map(all, by_values)) else None


def _merge_each(
    remaining: dict[KeyValues, Json], patch: dict[KeyValues, Json], keys: Keys, merge: MergeElement
) -> list[Json]:
    """Merge lists whose keys are complete and unique, with the same result as ``_ElementMerge``."""
    merged: dict[KeyValues, Json] = {}
    for values in dict.fromkeys((*patch, *remaining)):
        old, new = remaining.get(values, ABSENT), patch.get(values, ABSENT)
        element = merge(old, new)
        directive = Directive.MERGE
        if new is not ABSENT:
            directive, patch[values] = _without_directive(new)
        if element is ABSENT or element is None or element == {}:
            remaining.pop(values, None)
            continue
        element = _with_keys(element, keys, values)
        if isinstance(old, dict) and (old is new or directive is not Directive.REPLACE):
            remaining[values] = element
        merged[values] = element
    if len(keys) == 1:
        return [*{**merged, **remaining}.values()]
    return [*(element for values, element in merged.items() if values not in remaining), *remaining.values()]


class _ElementMerge:
    """Lists while elements are merged one by one: ``merged`` grows, ``remaining`` is the rest of ``dest``."""

    def __init__(self, dest: Sequence[Json], patch: Sequence[Json], merge: MergeElement) -> None:
        self._merge = merge
        self.merged: list[Json] = []
        self.remaining = list(dest)
        self._patch = self.remaining if patch is dest else list(patch)

    def merge_matching(self, keys: Keys, values: KeyValues) -> None:
        """Merge the elements that have the key values."""
        position, old = _lookup(self.remaining, keys, values)
        source, new = _lookup(self._patch, keys, values)
        element = self._merge(old, new)
        directive = Directive.MERGE
        if new is not ABSENT:
            directive, self._patch[source] = _without_directive(new)
        if element is ABSENT or element is None or element == {}:
            self.remaining[:] = delete_elements(self.remaining, keys, values)
            return
        element = _with_keys(element, keys, values)
        if isinstance(old, dict) and (old is new or directive is not Directive.REPLACE):
            # An upstream oddity: an element that is replaced stays.
            self.remaining[position] = element
        self.merged = set_element(self.merged, element, keys, values)


def _without_directive(element: Json) -> tuple[Directive, Json]:
    """Return the directive of an element of the patch, and the element without it; an unknown one stays."""
    if not isinstance(element, dict) or _DIRECTIVE not in element:
        return Directive.MERGE, element
    try:
        return mapping_directive(element)
    except DirectiveError:
        return Directive.MERGE, element


def _lookup(elements: Sequence[Json], keys: Keys, values: KeyValues) -> tuple[int, Slot]:
    position = find_element(elements, *used_keys([values], values, keys))
    return (-1, ABSENT) if position is None else (position, elements[position])


def _with_keys(element: Json, keys: Keys, values: KeyValues) -> Json:
    """Return the element with the keys by which it was matched."""
    if not isinstance(element, dict):
        return element
    for key, value in zip(keys, values, strict=True):
        if value and key_value(element, key) is ABSENT:
            element = with_value(element, key.split("."), value)
    return element
