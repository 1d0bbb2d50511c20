"""Paths of fields with list elements by name, so that a field can be found again in other versions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from renderer.model.difference import NoValue, Value
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.kube.json import Json
from renderer.model.kube.list_elements import (
    SHORT_LIST,
    LongList,
    child_at,
    element_index,
    element_names,
    value_at,
)
from renderer.model.run.work import spend


def leaves(value: Json, at: FieldPath = ROOT) -> Iterator[tuple[FieldPath, Json]]:
    """Yield every scalar and every empty mapping or list below ``value``, whose own path is ``at``."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from leaves(child, at.child(key))
    elif isinstance(value, list) and value:
        for segment, element in zip(_segments(value), value, strict=True):
            yield from leaves(element, at.child(segment))
    else:
        yield at, value


def field_value(value: Json, path: FieldPath) -> Value:
    """Return the value at ``path``, or ``NoValue.ABSENT``; as fast in long lists as in short ones."""
    return value_at(value, path.segments, NoValue.ABSENT)


def indexed(value: Json, path: FieldPath) -> FieldPath:
    """Return the path with indices instead of the names of existing elements."""
    segments: list[Segment] = []
    found: Value = value
    for segment in path.segments:
        index = element_index(found, segment) if isinstance(found, list) else None
        segments.append(segment if index is None else index)
        found = child_at(found, segment, NoValue.ABSENT)
    return FieldPath(tuple(segments))


def named(value: Json, path: FieldPath) -> FieldPath:
    """Return the path with names instead of the indices of elements that have a name."""
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
    """Return the path of the field at ``path`` of ``here`` in another version of the resource.

    If that version lacks the field, return the path where it would be.
    """
    segments: list[Segment] = []
    mine: Value = here
    theirs: Value = there
    for segment in path.segments:
        other = segment
        if isinstance(mine, list) and isinstance(theirs, list):
            other = _counterpart_of_element(mine, theirs, segment)
        segments.append(other)
        mine, theirs = (
            child_at(mine, segment, NoValue.ABSENT),
            child_at(theirs, other, NoValue.ABSENT),
        )
    return FieldPath(tuple(segments))


def _segments(elements: Sequence[Json]) -> Sequence[Segment]:
    """Return a segment for each element of a list: all by name, or all by number."""
    if len(elements) > SHORT_LIST:
        return _segments_of(LongList(elements)).in_order
    return element_names(elements) or range(len(elements))


def _counterpart_of_element(mine: Sequence[Json], theirs: Sequence[Json], segment: Segment) -> Segment:
    """Return the element of the same name or value, else the one at its index if the length is equal."""
    index = element_index(mine, segment)
    if index is None or (isinstance(segment, ElementName) and segment in _names(theirs)):
        return segment
    spend(3 * (len(mine) + len(theirs)), "following fields through their versions")
    names = _segments(theirs)
    element = mine[index]
    if element in theirs:
        return names[index if theirs[index : index + 1] == [element] else theirs.index(element)]
    is_free = isinstance(segment, int) or (index < len(names) and names[index] not in _names(mine))
    if len(theirs) == len(mine) and is_free:
        return names[index]
    return len(theirs) if isinstance(segment, int) else segment  # which does not exist there


class _Segments(NamedTuple):
    in_order: Sequence[Segment]
    known: Collection[Segment]


@lru_cache(maxsize=64)
def _segments_of(long: LongList) -> _Segments:
    segments = element_names(long.elements) or range(len(long.elements))
    return _Segments(segments, segments if isinstance(segments, range) else frozenset(segments))


def _names(elements: Sequence[Json]) -> Collection[Segment]:
    """Return a table of the segments of a list, for lookups."""
    return _segments_of(LongList(elements)).known if len(elements) > SHORT_LIST else _segments(elements)
