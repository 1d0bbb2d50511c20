"""The fields that name the elements of lists in Kubernetes objects, and lookup of values by path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar, overload

from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.model.kube.json import Json

_Absent = TypeVar("_Absent")

#: The first of these fields that all elements of a list have, with distinct values, names them.
ELEMENT_KEYS = (
    "name",
    "metadata.name",  # of dataVolumeTemplates
    "id",
    "deviceName",
    "mountPath",
    "key",
    "containerPort",
    "port",
    "uid",
)
#: The elements of a longer list are looked up in a table.
SHORT_LIST = 16


def element_key(*lists: Sequence[Json]) -> str | None:
    """Return the field that names all elements of all ``lists``; None if there is none."""
    if not all(isinstance(each, dict) for elements in lists for each in elements):
        return None
    return next((key for key in ELEMENT_KEYS if all(_names_all(elements, key) for elements in lists)), None)


def element_names(elements: Sequence[Json]) -> Sequence[ElementName] | None:
    """Return the names of all elements of a list; None if they have none, or if names are not unique."""
    key = element_key(elements)
    return None if key is None else [ElementName(key, element_text(each, key)) for each in elements]


def element_name(elements: Sequence[Json], index: int) -> ElementName | None:
    """Return the name of one element, even if others have none; None if no name is unique to it."""
    for key in ELEMENT_KEYS:
        name = element_text(elements[index], key)
        if name and _count_named(elements, key, name) == 1:
            return ElementName(key, name)
    return None


def _count_named(elements: Sequence[Json], key: str, name: str) -> int:
    """Return the number of elements with that name; a long list uses a table that is made once."""
    if len(elements) > SHORT_LIST:
        return _name_counts(LongList(elements), key).get(name, 0)
    return sum(element_text(each, key) == name for each in elements)


class LongList:
    """A list as a key of tables, compared by identity. No list of a resource changes."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[Json]) -> None:
        self.elements = elements

    def __hash__(self) -> int:
        return id(self.elements)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LongList) and other.elements is self.elements


@lru_cache(maxsize=64)
def _name_counts(long: LongList, key: str) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for element in long.elements:
        text = element_text(element, key)
        counts[text] = counts.get(text, 0) + 1
    return counts


@lru_cache(maxsize=64)
def _first_places(long: LongList, key: str) -> Mapping[str, int]:
    places: dict[str, int] = {}
    for index, element in enumerate(long.elements):
        places.setdefault(element_text(element, key), index)
    return places


def element_index(elements: Sequence[Json], segment: Segment) -> int | None:
    """Return the position of the element for ``segment``; None if there is no such element."""
    if isinstance(segment, int):
        return segment if 0 <= segment < len(elements) else None
    if isinstance(segment, str):
        return None
    if len(elements) > SHORT_LIST:
        return _first_places(LongList(elements), segment.key).get(segment.value)
    texts = (element_text(each, segment.key) for each in elements)
    return next((index for index, text in enumerate(texts) if text == segment.value), None)


@overload
def value_at(value: Json, segments: Iterable[Segment]) -> Json: ...
@overload
def value_at(value: Json, segments: Iterable[Segment], absent: _Absent) -> Json | _Absent: ...
def value_at(value: Json, segments: Iterable[Segment], absent: _Absent | None = None) -> Json | _Absent:
    """Return the value at a path; ``absent`` if there is none.

    ``FieldLookup`` returns the same for many paths of one object.
    """
    found: Json | _Absent = value
    for segment in segments:
        found = child_at(found, segment, absent)
        if found is absent:
            break
    return found


def child_at(value: object, segment: Segment, absent: _Absent) -> Json | _Absent:
    """Return the field or element of a value for ``segment``; ``absent`` if it has none."""
    if isinstance(segment, str):
        return value.get(segment, absent) if isinstance(value, dict) else absent
    if not isinstance(value, list):
        return absent
    index = element_index(value, segment)
    return absent if index is None else value[index]


class FieldLookup:
    """Finds the values of one object by their paths, in long lists as quickly as in short ones."""

    def __init__(self, content: Json) -> None:
        self._content = content
        self._positions: dict[tuple[int, str], dict[str, int]] = {}

    def value(self, field: FieldPath) -> Json:
        """Return the value of a field; None if there is none."""
        value = self._content
        for segment in field.segments:
            value = self.child(value, segment)
        return value

    def child(self, value: Json, segment: Segment) -> Json:
        """Return the field or element of a value of the object for ``segment``; None if there is none."""
        if isinstance(segment, ElementName) and isinstance(value, list):
            place = id(value), segment.key
            if place not in self._positions:
                texts = [element_text(each, segment.key) for each in value]
                self._positions[place] = {text: index for index, text in reversed([*enumerate(texts)])}
            segment = self._positions[place].get(segment.value, -1)
        return child_at(value, segment, None)


def element_path(key: str) -> tuple[str, ...]:
    """Return the path from an element to the field ``key`` that names it."""
    return ("metadata", "name") if key == "metadata.name" else (key,)


def element_text(element: Json, key: str) -> str:
    """Return the text or number at ``key`` in a list element; an empty text if there is none."""
    value = element
    for part in element_path(key):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _names_all(elements: Sequence[Json], key: str) -> bool:
    texts = [element_text(element, key) for element in elements]
    return all(texts) and len(set(texts)) == len(texts)
