"""What a resource file says that a JSON tree does not: how scalars are written.

To kustomize a field that holds nothing is not one that holds ``null``, and an annotation that is a number is
the text of that number, ``1.10`` for example. Files are looked at again only where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json, object_at, with_value
from renderer.model.resource import Resource
from renderer.yamlio.marks import MarkedFile

_ANNOTATIONS = ("metadata", "annotations")


def as_written(resource: Resource, file: MarkedFile, document: int, place: FieldPath) -> Resource:
    """The resource that stands at ``place`` in a document of a file, with what its JSON tree leaves out."""
    nulls = [FieldPath(path) for path in _nulls(resource.content)] if _has_null(resource.content) else []
    annotations = object_at(resource.content, *_ANNOTATIONS)
    odd = [key for key, value in annotations.items() if isinstance(value, bool | int | float)]
    if not nulls and not odd:
        return resource
    fields = (*nulls, *(FieldPath.of(*_ANNOTATIONS, key) for key in odd))
    found = dict(zip(fields, file.texts(document, [place.child(*f.segments) for f in fields]), strict=True))
    blank = tuple(field for field in nulls if found[field] == "")
    written = {key: found[FieldPath.of(*_ANNOTATIONS, key)] for key in odd}
    kept: Json = {**annotations, **{key: text for key, text in written.items() if text}}
    return resource._replace(
        content=with_value(resource.content, _ANNOTATIONS, kept) if odd else resource.content,
        blank_fields=blank,
    )


def _has_null(value: Json) -> bool:
    # A plain loop and exact types, as this goes through everything that is read.
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if child is None:
            return True
        if (type(child) is dict or type(child) is list) and _has_null(child):
            return True
    return False


def _nulls(value: Json, path: tuple[Segment, ...] = ()) -> Iterator[tuple[Segment, ...]]:
    """The paths of the fields of mappings that hold null."""
    if isinstance(value, dict):
        for key, child in value.items():
            if child is None:
                yield (*path, key)
            else:
                yield from _nulls(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _nulls(child, (*path, index))
