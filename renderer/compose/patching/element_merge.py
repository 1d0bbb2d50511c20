"""The merge of two lists by key (kustomize ``kyaml/yaml/walk/associative_sequence.go``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from renderer.compose.absent import ABSENT, Slot
from renderer.compose.patching.associative_list import (
    ITSELF,
    ElementError,
    Keys,
    Values,
    append_elements,
    complete_values,
    delete_elements,
    element_values,
    find_element,
    key_value,
    set_element,
    used_keys,
)
from renderer.compose.patching.patch_directive import Directive, DirectiveError, mapping_directive
from renderer.model.json import Json, with_value

#: Elements of which each is searched for among all the others, as upstream does it.
_MOST_ODD = 2000
#: What becomes of an element that was the first and of which the patch says the second.
MergeElement: TypeAlias = Callable[[Slot, Slot], Slot]


def merge_elements(
    dest: Sequence[Json], patch: Sequence[Json], keys: Keys, merge: MergeElement
) -> list[Json]:
    """The elements of the patch, merged with those of ``dest`` that they match, then the rest of ``dest``.

    What is added is merged with itself: then ``dest`` and ``patch`` are one list. Raises ``ElementError``.
    """
    found = list(dict.fromkeys((*element_values(patch, keys), *element_values(dest, keys))))
    if not found:
        return list(dest)
    used, values = used_keys(found, found[0], keys)
    old, new = _by_values(dest, used), _by_values(patch, used)
    if all(values) and old is not None and new is not None:
        return _merge_each(old, old if patch is dest else new, used, merge)
    if len(dest) + len(patch) > _MOST_ODD:
        raise ElementError(f"of more than {_MOST_ODD} elements, some have the same key or none")
    if len(keys) > 1:
        found = complete_values(found)
    merging = _ElementMerge(dest, patch, merge)
    for values in found:
        merging.merge_matching(*used_keys(found, values, keys))
    return append_elements(merging.merged, merging.kept, used_keys(found, found[0], keys)[0])


def _by_values(elements: Sequence[Json], keys: Keys) -> dict[Values, Json] | None:
    """The elements by their key values; None where upstream's rules for what is missing or doubled count."""
    kind = (str, int, float) if keys == ITSELF else dict
    if not all(isinstance(element, kind) for element in elements):
        return None
    found = dict(zip(element_values(elements, keys), elements, strict=True))
    return found if len(found) == len(elements) and all(map(all, found)) else None


def _merge_each(
    kept: dict[Values, Json], patch: dict[Values, Json], keys: Keys, merge: MergeElement
) -> list[Json]:
    """As ``_ElementMerge``, without a search for each element."""
    merged: dict[Values, Json] = {}
    for values in dict.fromkeys((*patch, *kept)):
        old, new = kept.get(values, ABSENT), patch.get(values, ABSENT)
        element = merge(old, new)
        directive = Directive.MERGE
        if new is not ABSENT:
            directive, patch[values] = _without_directive(new)
        if element is ABSENT or element is None or element == {}:
            kept.pop(values, None)
            continue
        element = _with_keys(element, keys, values)
        if isinstance(old, dict) and (old is new or directive is not Directive.REPLACE):
            kept[values] = element
        merged[values] = element
    if len(keys) == 1:
        return [*{**merged, **kept}.values()]
    return [*(element for values, element in merged.items() if values not in kept), *kept.values()]


class _ElementMerge:
    """The lists while elements are merged one by one: ``merged`` grows, ``kept`` is what ``dest`` becomes."""

    def __init__(self, dest: Sequence[Json], patch: Sequence[Json], merge: MergeElement) -> None:
        self._merge = merge
        self.merged: list[Json] = []
        self.kept = list(dest)
        self._patch = self.kept if patch is dest else list(patch)

    def merge_matching(self, keys: Keys, values: Values) -> None:
        """Merges the elements that have the key values."""
        position, old = _found(self.kept, keys, values)
        source, new = _found(self._patch, keys, values)
        element = self._merge(old, new)
        replaces = self._take_directive(source, new) is Directive.REPLACE
        if element is ABSENT or element is None or element == {}:
            self.kept[:] = delete_elements(self.kept, keys, values)
            return
        element = _with_keys(element, keys, values)
        if isinstance(old, dict) and (old is new or not replaces):  # by an oddity what is replaced stays
            self.kept[position] = element
        self.merged = set_element(self.merged, element, keys, values)

    def _take_directive(self, position: int, element: Slot) -> Directive:
        if element is ABSENT:
            return Directive.MERGE
        directive, self._patch[position] = _without_directive(element)
        return directive


def _without_directive(element: Json) -> tuple[Directive, Json]:
    """The directive of an element of the patch, which counts once; one that means nothing stays."""
    if not isinstance(element, dict) or "$patch" not in element:
        return Directive.MERGE, element
    try:
        return mapping_directive(element)
    except DirectiveError:
        return Directive.MERGE, element


def _found(elements: Sequence[Json], keys: Keys, values: Values) -> tuple[int, Slot]:
    position = find_element(elements, *used_keys([values], values, keys))
    return (-1, ABSENT) if position is None else (position, elements[position])


def _with_keys(element: Json, keys: Keys, values: Values) -> Json:
    """The element with the keys that it was found by."""
    if not isinstance(element, dict):
        return element
    for key, value in zip(keys, values, strict=True):
        if value and key_value(element, key) is ABSENT:
            element = with_value(element, key.split("."), value)
    return element
