"""Changes to single fields of a document, as values: their effect on its JSON, however it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject
from renderer.model.record import Record


class SetField(Record):
    """Sets an existing field to another value: a scalar, or a mapping of scalars and mappings."""

    field: FieldPath
    value: Json


class RenameField(Record):
    """Renames the field, in its place."""

    field: FieldPath
    name: str


class AddField(Record):
    """Adds a field at the end of the mapping ``into``; its value is as for ``SetField``."""

    into: FieldPath
    name: str
    value: Json


class RemoveField(Record):
    """Removes the field from its mapping."""

    field: FieldPath


class MoveField(Record):
    """Moves the field, with its value, to the end of another mapping, which exists."""

    field: FieldPath
    to: FieldPath


class AddItem(Record):
    """Add an item to the list ``into``, which may be empty or missing: at its end, or before an item."""

    into: FieldPath
    value: Json
    before: int | None = None


class RemoveItem(Record):
    """Remove the item from its list, which has other items."""

    field: FieldPath


FieldEdit: TypeAlias = SetField | RenameField | AddField | RemoveField | MoveField
Edit: TypeAlias = FieldEdit | AddItem | RemoveItem
E = TypeVar("E", bound="Edit")


def removal(field: FieldPath) -> RemoveField | RemoveItem:
    """Return the edit that removes a field, or an element of a list."""
    return RemoveItem(field) if isinstance(field.segments[-1], int) else RemoveField(field)


def edited_place(edit: Edit) -> FieldPath:
    """Return the field that the edit changes, or the mapping or list that it adds to."""
    return edit.into if isinstance(edit, AddField | AddItem) else edit.field


def with_place(edit: E, place: FieldPath) -> E:
    """Return the same edit at another place."""
    if isinstance(edit, AddField | AddItem):
        return edit._replace(into=place)  # type: ignore[return-value]  # it keeps the class
    return edit._replace(field=place)  # type: ignore[return-value]  # as above


def apply_edits(document: Json, edits: Sequence[Edit]) -> Json:
    """Return the document after the edits, one after another. Raises ``LookupError`` for a missing field."""
    for edit in edits:
        document = _apply_edit(document, edit)
    return document


def edit_below(place: FieldPath, edit: E) -> E:
    """Return the same edit for a document that contains the edited one at ``place``."""
    if isinstance(edit, MoveField):
        edit = edit._replace(to=place.child(*edit.to.segments))
    return with_place(edit, place.child(*edited_place(edit).segments))


def _apply_edit(document: Json, edit: Edit) -> Json:
    match edit:
        case SetField(field, value):
            return _change_at(document, field.segments, lambda _: value)
        case AddField(into, name, value):
            return _change_at(document, into.segments, lambda mapping: {**_object(mapping), name: value})
        case RenameField(field, name):
            *above, old = field.segments
            return _change_at(
                document,
                above,
                lambda mapping: {
                    name if key == old else key: value for key, value in _object(mapping).items()
                },
            )
        case RemoveField(field):
            *above, old = field.segments
            return _change_at(
                document,
                above,
                lambda mapping: {key: value for key, value in _object(mapping).items() if key != old},
            )
        case MoveField(field, to):
            moved = _value_of(document, field)
            document = _apply_edit(document, RemoveField(field))
            return _apply_edit(document, AddField(to.parent, str(to.segments[-1]), moved))
        case AddItem(into, value, before):
            return _change_at(
                document,
                into.segments,
                lambda items: [
                    *_items(items)[:before],
                    value,
                    *([] if before is None else _items(items)[before:]),
                ],
            )
        case RemoveItem(field):
            *above, index = field.segments
            return _change_at(
                document,
                above,
                lambda items: [item for number, item in enumerate(_items(items)) if number != index],
            )


def _value_of(value: Json, field: FieldPath) -> Json:
    for segment in field.segments:
        if not isinstance(value, dict | list):
            raise LookupError(segment)  # noqa: TRY004 - the field is not there
        value = value[segment]  # type: ignore[index]  # LookupError if it is not there
    return value


def _items(value: Json) -> list[Json]:
    if value is not None and not isinstance(value, list):
        raise LookupError(value)
    return value or []


def _change_at(value: Json, segments: Sequence[Segment], change: Callable[[Json], Json]) -> Json:
    if not segments:
        return change(value)
    head, *rest = segments
    if isinstance(value, dict) and isinstance(head, str):
        return {**value, head: _change_at(value[head], rest, change)}
    if isinstance(value, list) and isinstance(head, int):
        return [*value[:head], _change_at(value[head], rest, change), *value[head + 1 :]]
    raise LookupError(head)


def _object(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise LookupError(value)  # noqa: TRY004 - the mapping is not there
    return value
