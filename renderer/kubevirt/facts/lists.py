"""Pair list elements by name, and find the fields in which two JSON trees differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from renderer.model.difference import FieldChange, NoValue
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.kube.json import Json
from renderer.model.kube.list_elements import element_key, element_names, element_text
from renderer.model.kube.sharing import once_for_same
from renderer.model.quantity import are_equal_amounts

#: Fields whose value is a quantity. ``cpu.guest`` of an instance type is a number, which is also a quantity.
_QUANTITIES = frozenset(
    {
        "capacity",  # of an emptyDisk
        "divisor",
        "guest",
        "maxGuest",
        "memoryRequest",
        "pageSize",
        "reservedOverhead",
        "sizeLimit",
    }
)
#: Fields whose mapping holds quantities by resource name.
_QUANTITY_MAPS = frozenset(
    {
        "capacity",
        "default",  # these of a LimitRange
        "defaultRequest",
        "hard",
        "limits",
        "max",
        "maxLimitRequestRatio",
        "min",
        "overhead",
        "requests",
    }
)
#: Texts that replace true and false, because Python treats them as 1 and 0. No YAML has such a character.
_FLAGS = {"\0true": True, "\0false": False}


@once_for_same
def field_changes(before: Json, after: Json) -> tuple[FieldChange, ...]:
    """Return the deepest fields that differ, in the order of their paths as texts.

    Mappings are compared by key, lists with named elements by name, other lists by position, and quantities
    by amount (``1Gi`` equals ``1024Mi``). Null in a mapping equals a missing key. A named list in another
    order is a change of its own (``FieldChange.reordered``).
    """
    return tuple(sorted(_changes(before, after, ROOT), key=lambda change: str(change.field)))


def is_equal(before: Json, after: Json) -> bool:
    """Return True if two trees are equal as JSON: 1 equals 1.0, but not true."""
    if before is after:
        return True
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(is_equal(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_equal, before, after))
    return before == after and isinstance(before, bool) is isinstance(after, bool)


def is_same(before: Json, after: Json) -> bool:
    """Return the result of ``is_equal``, but faster for large objects, which are mostly equal."""
    if before != after:
        return False
    if isinstance(before, dict | list) and isinstance(after, dict | list):
        return before is after or _has_same_flags(before, after)
    return isinstance(before, bool) is isinstance(after, bool)


@once_for_same
def _has_same_flags(before: Any, after: Any) -> bool:  # noqa: ANN401 - two mappings or two lists
    """Return True if trees that are equal for Python, where 1 is true, have the same flags."""
    is_mapping = isinstance(before, dict)
    pairs = (before.values(), map(after.get, before)) if is_mapping else (before, after)
    return all(
        _has_same_flags(one, other)
        if isinstance(one, dict | list)
        else isinstance(one, bool) is isinstance(other, bool)
        for one, other in zip(*pairs, strict=True)
        if one is not other
    )


def _changes(before: Json, after: Json, field: FieldPath) -> Iterator[FieldChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _mapping_changes(_without_nulls(before), _without_nulls(after), field)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _list_changes(before, after, field)
    elif not is_equal(before, after):
        yield FieldChange(field, before, after)


def _mapping_changes(
    before: Mapping[Segment, Json], after: Mapping[Segment, Json], field: FieldPath
) -> Iterator[FieldChange]:
    parent = field.segments[-1] if field.segments else ""
    for key in dict.fromkeys((*before, *after)):
        value = before.get(key)
        if value is after.get(key) or (isinstance(value, str) and value == after.get(key)):
            continue  # as most fields of large objects
        place = field.child(key)
        if key not in after:
            yield from _one_sided_changes(before[key], place, is_added=False)
        elif key not in before:
            yield from _one_sided_changes(after[key], place, is_added=True)
        elif not is_same_amount(before[key], after[key], key, parent):
            yield from _changes(before[key], after[key], place)


def _one_sided_changes(value: Json, field: FieldPath, *, is_added: bool) -> Iterator[FieldChange]:
    """Yield the changes of a field that one side lacks: a list of named elements counts as empty there."""
    names = element_names(value) if isinstance(value, list) and value else None
    if isinstance(value, list) and names is not None:
        for name, element in zip(names, value, strict=True):
            yield _added_or_removed(element, field.child(name), is_added=is_added)
    else:
        yield _added_or_removed(value, field, is_added=is_added)


def _added_or_removed(value: Json, field: FieldPath, *, is_added: bool) -> FieldChange:
    absent = NoValue.ABSENT
    return FieldChange(field, absent, value) if is_added else FieldChange(field, value, absent)


def _list_changes(before: Sequence[Json], after: Sequence[Json], field: FieldPath) -> Iterator[FieldChange]:
    paired = named_elements(before, after)
    if paired is None:
        if any(isinstance(element, dict | list) for element in (*before, *after)):
            yield from _changes_by_position(before, after, field)
        else:
            yield from _scalar_changes(before, after, field)
        return
    old, new = paired
    kept, order = [key for key in old if key in new], [key for key in new if key in old]
    if kept != order:
        yield FieldChange(field, _names(kept), _names(order), reordered=True)
    yield from _mapping_changes(old, new, field)


def _names(names: Sequence[Segment]) -> Sequence[str]:
    return [name.value for name in names if isinstance(name, ElementName)]


def named_elements(
    before: Sequence[Json], after: Sequence[Json]
) -> tuple[Mapping[Segment, Json], Mapping[Segment, Json]] | None:
    """Return the elements of two lists by name; None unless one key names all elements of both."""
    key = element_key(before, after)
    if key is None:
        return None
    return _by_name(before, key), _by_name(after, key)


def _by_name(elements: Sequence[Json], key: str) -> Mapping[Segment, Json]:
    return {ElementName(key, element_text(element, key)): element for element in elements}


def _changes_by_position(
    before: Sequence[Json], after: Sequence[Json], field: FieldPath
) -> Iterator[FieldChange]:
    shared = min(len(before), len(after))
    for index in range(shared):
        yield from _changes(before[index], after[index], field.child(index))
    for index in range(shared, len(before)):
        yield _added_or_removed(before[index], field.child(index), is_added=False)
    for index in range(shared, len(after)):
        yield _added_or_removed(after[index], field.child(index), is_added=True)


def _without_flags(elements: Sequence[Json]) -> list[Json]:
    texts = {flag: text for text, flag in _FLAGS.items()}
    return [texts[each] if isinstance(each, bool) else each for each in elements]


def _with_flag(element: Json) -> Json:
    return _FLAGS.get(element, element) if isinstance(element, str) else element


def _scalar_changes(before: Sequence[Json], after: Sequence[Json], field: FieldPath) -> Iterator[FieldChange]:
    """Yield the changes of a list of scalars: replacements, insertions and removals."""
    from deepdiff import DeepDiff  # noqa: PLC0415 - it takes as long to import as a small overlay to render

    found = DeepDiff(_without_flags(before), _without_flags(after), view="tree")
    for change_type, levels in found.items():
        for level in levels:
            place = field.child(level.path(output_format="list")[-1])
            old, new = _with_flag(level.t1), _with_flag(level.t2)
            if change_type == "iterable_item_added":
                yield _added_or_removed(new, place, is_added=True)
            elif change_type == "iterable_item_removed":
                yield _added_or_removed(old, place, is_added=False)
            elif not is_equal(old, new):  # 1 and 1.0 have different types but are the same value
                yield FieldChange(place, old, new)


def is_same_amount(before: Json, after: Json, field: Segment, parent: Segment) -> bool:
    """Return True if two values of ``field`` in ``parent`` are equal quantities: ``1Gi`` is ``1024Mi``."""
    is_quantity = field in _QUANTITIES or parent in _QUANTITY_MAPS
    return is_quantity and are_equal_amounts(before, after)


def _without_nulls(mapping: Mapping[Any, Json]) -> Mapping[Segment, Json]:
    if None not in mapping.values():
        return mapping
    return {key: value for key, value in mapping.items() if value is not None}
