"""JSON 6902 patches: an operation is judged as the part of an object that it writes.

The pointer and value of an operation make an object that holds nothing else; what the rules say of that is
brought back to the operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.migration.change import Change, Finding, Left
from renderer.migration.rules import findings_in_part
from renderer.model.field_edit import AddField, FieldEdit, RenameField, SetField
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json, JsonObject, object_at, text_at

_WITH_VALUE = ("add", "replace", "test")
_WITH_SOURCE = ("copy", "move")


def is_json_patch(document: Json) -> bool:
    return isinstance(document, list) and all("op" in object_at(operation) for operation in document)


def findings_in_patch(operations: list[Json], kinds: str) -> Iterator[Finding]:
    """What there is to say of a patch of objects whose kind matches ``kinds``; empty stands for any."""
    for index, operation in enumerate(operations):
        place = FieldPath.of(index)
        for found in _in_operation(object_at(operation), kinds):
            yield found.below(place)


def _in_operation(operation: JsonObject, kinds: str) -> Iterator[Finding]:
    name = text_at(operation, "op")
    pointer = _segments(text_at(operation, "path"))
    if name in _WITH_SOURCE:
        yield from _in_source(operation, kinds)
        return
    value = operation.get("value") if name in _WITH_VALUE else None
    for found in findings_in_part(_part(pointer, value), kinds):
        if isinstance(found, Left):
            yield found._replace(field=_in_value(found.field, pointer))
        else:
            yield _of_operation(found, pointer)


def _in_source(operation: JsonObject, kinds: str) -> Iterator[Left]:
    for name in ("from", "path"):
        pointer = _segments(text_at(operation, name))
        for found in findings_in_part(_part(pointer, True), kinds):  # noqa: FBT003 - a value that stands for any
            message = f"{pointer[-1]} is deprecated, and is the target of {text_at(operation, 'op')}"
            yield Left(FieldPath.of(name), message, "write the operation anew", found.since)


def _of_operation(change: Change, pointer: list[str]) -> Finding:
    try:
        edits = tuple(_edit(edit, pointer) for edit in change.edits)
    except LookupError:
        return Left(
            _in_value(change.field, pointer),
            f"{change.before} is deprecated, and takes more than one operation to replace",
            f"write {change.after}",
            change.since,
        )
    return change._replace(field=_in_value(change.field, pointer), edits=edits)


def _edit(edit: FieldEdit, pointer: list[str]) -> FieldEdit:
    """The edit of the operation. Raises ``LookupError`` for one outside of what the operation writes.

    A mapping in the place of another value is outside, too: it would replace what the object has there.
    """
    field = edit.into if isinstance(edit, AddField) else edit.field
    *parent, name = field.segments
    depth = len(pointer)
    if list(field.segments) == pointer and isinstance(edit, RenameField):
        return SetField(FieldPath.of("path"), "/" + "/".join(map(_escaped, [*pointer[:-1], edit.name])))
    is_beside = len(field.segments) == depth and parent == pointer[:-1]
    if is_beside and isinstance(edit, SetField) and not (edit.value and isinstance(edit.value, dict)):
        return SetField(FieldPath.of("value"), edit.value)
    is_within = list(field.segments[:depth]) == pointer
    if not is_within or (len(field.segments) == depth and not isinstance(edit, AddField)):
        raise LookupError(name)
    inner = FieldPath.of("value", *field.segments[depth:])
    return edit._replace(into=inner) if isinstance(edit, AddField) else edit._replace(field=inner)


def _part(pointer: list[str], value: Json) -> JsonObject:
    """The object that has ``value`` at ``pointer`` and nothing else."""
    for segment in reversed(pointer):
        value = {segment: value}
    return object_at(value)


def _in_value(field: FieldPath, pointer: list[str]) -> FieldPath:
    rest: tuple[Segment, ...] = field.segments[len(pointer) :]
    return FieldPath.of("value", *rest) if rest else FieldPath.of("path")


def _segments(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _escaped(segment: str) -> str:
    return segment.replace("~", "~0").replace("/", "~1")
