"""Paths of fields, with list elements by name, so that a field is found again in other versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.model.difference import NoValue, Value
from renderer.model.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.json import Json
from renderer.model.list_elements import child_at, element_index, element_names, value_at
from renderer.model.work import spend


def leaves(value: Json, at: FieldPath = ROOT) -> Iterator[tuple[FieldPath, Json]]:
    """Yield every scalar and every empty mapping or list below ``value``, which stands ``at``."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from leaves(child, at.child(key))
    elif isinstance(value, list) and value:
        for segment, element in zip(_segments(value), value, strict=True):
            yield from leaves(element, at.child(segment))
    else:
        yield at, value


def field_value(value: Json, path: FieldPath) -> Value:
    """Return the value at ``path``, or ``NoValue.ABSENT``."""
    return value_at(value, path.segments, NoValue.ABSENT)


def indexed(value: Json, path: FieldPath) -> FieldPath:
    """Return the path with indices in place of the names of elements that are there."""
    segments: list[Segment] = []
    found: Value = value
    for segment in path.segments:
        index = _index(found, segment)
        segments.append(segment if index is None else index)
        found = child_at(found, segment, NoValue.ABSENT)
    return FieldPath(tuple(segments))


def named(value: Json, path: FieldPath) -> FieldPath:
    """Return the path with names in place of the indices of elements that have one."""
    segments: list[Segment] = []
    found: Value = value
    for segment in path.segments:
        name = segment
        if isinstance(found, list) and isinstance(segment, int) and segment < len(found):
            name = _segments(found)[segment]
        segments.append(name)
        found = child_at(found, segment, NoValue.ABSENT)
    return FieldPath(tuple(segments))


def counterpart(path: FieldPath, here: Json, there: Json) -> FieldPath:
    """Return the path that the field at ``path`` of ``here`` has in another version of the resource.

    Where it is not in that version, the path says where it would be.
    """
    segments: list[Segment] = []
    mine: Value = here
    theirs: Value = there
    for segment in path.segments:
        other = segment
        if isinstance(mine, list) and isinstance(theirs, list):
            other = _counterpart_of_element(mine, theirs, segment)
        segments.append(other)
        mine, theirs = child_at(mine, segment, NoValue.ABSENT), child_at(theirs, other, NoValue.ABSENT)
    return FieldPath(tuple(segments))


def _index(value: Value, segment: Segment) -> int | None:
    return element_index(value, segment) if isinstance(value, list) else None


def _segments(elements: Sequence[Json]) -> Sequence[Segment]:
    """Return a segment for each element of a list: all by name, or all by number."""
    return element_names(elements) or range(len(elements))


def _counterpart_of_element(mine: Sequence[Json], theirs: Sequence[Json], segment: Segment) -> Segment:
    """Return the element of the same name or value, else the one in its place if none came or went."""
    spend(3 * (len(mine) + len(theirs)), "following fields through their versions")
    index = _index(mine, segment)
    names = _segments(theirs)
    if index is None or (isinstance(segment, ElementName) and segment in names):
        return segment
    element = mine[index]
    if element in theirs:
        return names[index if theirs[index : index + 1] == [element] else theirs.index(element)]
    is_free = isinstance(segment, int) or (index < len(names) and names[index] not in _segments(mine))
    if len(theirs) == len(mine) and is_free:
        return names[index]
    return len(theirs) if isinstance(segment, int) else segment  # which is not there
