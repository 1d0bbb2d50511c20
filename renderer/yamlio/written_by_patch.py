"""Which operation of a JSON 6902 patch wrote a field (RFC 6901 for its pointers)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.yamlio.nodes import Node

_WRITING = ("add", "replace", "copy", "move")


def is_json_patch(root: Node) -> bool:
    """Whether the document is a list of operations."""
    elements = root.elements()
    return bool(elements) and all(_texts(element).keys() >= {"op", "path"} for element in elements)


def written_by(patch: Node, field: FieldPath, indexed: FieldPath) -> tuple[Node, FieldPath] | None:
    """The last operation that wrote ``field``, and what remains of the field below its value.

    It may also be the one that removed it, if the field is known by name: a number may by now be that of
    another element. ``indexed`` is the field with the indices that named elements have in the patched object,
    where known.
    """
    for operation in reversed(patch.elements()):
        texts = _texts(operation)
        pointer = _segments(texts["path"])
        if len(pointer) > len(field.segments):
            continue
        named = tuple(zip(pointer, field.segments, indexed.segments, strict=False))
        if not all(_means(*each) for each in named):
            continue
        if texts["op"] in _WRITING:
            return operation, FieldPath(field.segments[len(pointer) :])
        if texts["op"] == "remove" and all(_is_certain(*each) for each in named):
            return operation, FieldPath()
    return None


def _is_certain(_written: str, segment: Segment, indexed: Segment) -> bool:
    return not isinstance(segment, int) and not isinstance(indexed, ElementName)


def _texts(operation: Node) -> Mapping[str, str]:
    return {
        key.text: value.text
        for key, value in operation.entries()
        if key.text is not None and value.text is not None
    }


def _segments(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _means(written: str, segment: Segment, indexed: Segment) -> bool:
    if isinstance(segment, str):
        return written == segment
    if written == "-":
        return True
    if isinstance(indexed, ElementName):  # the element is not in the base, so its index is not known
        return written.isdecimal()
    return written == str(indexed)
