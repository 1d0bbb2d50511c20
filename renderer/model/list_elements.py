"""The fields that name the elements of lists in Kubernetes objects."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.model.field_path import ElementName, Segment
from renderer.model.json import Json

#: The first field that all elements of a list have, each with another value, names them.
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


def element_key(*lists: Sequence[Json]) -> str | None:
    """Return the field that names all elements of all ``lists``; None when no field does."""
    return next((key for key in ELEMENT_KEYS if all(_names_all(elements, key) for elements in lists)), None)


def element_names(elements: Sequence[Json]) -> Sequence[ElementName] | None:
    """Return the names of all elements of a list; None when they have none, or not one each."""
    key = element_key(elements)
    return None if key is None else [ElementName(key, element_text(each, key)) for each in elements]


def element_name(elements: Sequence[Json], index: int) -> ElementName | None:
    """Return the name of one element, also where others have none; None when nothing names it alone."""
    for key in ELEMENT_KEYS:
        name = element_text(elements[index], key)
        if name and sum(element_text(each, key) == name for each in elements) == 1:
            return ElementName(key, name)
    return None


def element_index(elements: Sequence[Json], segment: Segment) -> int | None:
    """Return the position of the element that ``segment`` means; None when there is no such element."""
    if isinstance(segment, int):
        return segment if 0 <= segment < len(elements) else None
    if isinstance(segment, str):
        return None
    texts = (element_text(each, segment.key) for each in elements)
    return next((index for index, text in enumerate(texts) if text == segment.value), None)


def element_path(key: str) -> tuple[str, ...]:
    """Return the path from an element to the field ``key`` that names it."""
    return ("metadata", "name") if key == "metadata.name" else (key,)


def element_text(element: Json, key: str) -> str:
    """Return the text or number at ``key`` in a list element; an empty text when there is none."""
    value = element
    for part in element_path(key):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _names_all(elements: Sequence[Json], key: str) -> bool:
    texts = [element_text(element, key) for element in elements]
    return all(texts) and len(set(texts)) == len(texts)
