"""Small changes to a YAML file that its author goes on editing: every other byte stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from yaml.error import YAMLError

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, without
from renderer.model.location import Site
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.entries import with_entry, with_new_field, without_entry, without_field
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.outline import Outline, outline

_BYTE_ORDER_MARK = "\ufeff"


def add_entry(content: bytes, path: str, field: str, entry: str) -> bytes:
    """The file with ``entry`` at the end of the list ``field`` of its root mapping, unless it is in there.

    The field is made where there is none. ``path`` is for error messages. Raises ``DiagnosticError``: what
    the decoder raises, and edit-refused for a file in which it cannot be done without touching more.
    """
    root = _root(content, path)
    name, entries = _list(root, field)
    if entry in entries:
        return content
    refusal = _refusal(path, name, f"add {entry!r} to {name} yourself, and run this again")

    def edit(text: str, found: Outline) -> str:
        named = found.named(name)
        if named is None:
            return with_new_field(text, found, name, entry)
        return with_entry(text, named, entry)

    return _edited(content, path, edit, {**root, name: [*entries, entry]}, refusal)


def remove_entry(content: bytes, path: str, field: str, unwanted: Collection[str]) -> bytes:
    """The file without those entries in the list ``field``, and without the field when it becomes empty.

    ``path`` is for error messages. Raises ``DiagnosticError`` as ``add_entry`` does.
    """
    root = _root(content, path)
    name, entries = _list(root, field)
    places = [index for index, entry in enumerate(entries) if entry in unwanted]
    refusal = _refusal(path, name, f"take {' and '.join(sorted(unwanted))} out of {name} yourself")
    for index in reversed(places):
        entries = [*entries[:index], *entries[index + 1 :]]
        root = {**root, name: entries} if entries else without(root, name)
        content = _edited(content, path, _removal(name, index), root, refusal)
    return content


_Edit = Callable[[str, Outline], str]


def _removal(name: str, index: int) -> _Edit:
    def edit(text: str, found: Outline) -> str:
        named = found.named(name)
        if named is None or not named.value.items:
            raise UnusableError("the list is written elsewhere")
        if len(named.value.items) > 1:
            return without_entry(text, named.value, index)
        return without_field(text, found, named)

    return edit


def _root(content: bytes, path: str) -> JsonObject:
    root = decode_yaml11(content, path)
    return root if isinstance(root, dict) else EMPTY


def _list(root: JsonObject, field: str) -> tuple[str, Sequence[Json]]:
    """The field's name as it is spelled in the file, which may differ in case, and what it lists."""
    alike = [key for key in root if key.lower() == field.lower()]
    name = field if field in root or not alike else alike[-1]
    entries = root.get(name)
    return name, entries if isinstance(entries, list) else []


def _edited(content: bytes, path: str, edit: _Edit, expected: JsonObject, refusal: DiagnosticError) -> bytes:
    """The file after ``edit``, if that made ``expected`` of what it says, and nothing else."""
    text = content.decode()
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    try:
        edited = (mark + edit(text, outline(text))).encode()
        came_out = decode_yaml11(edited, path)
    except (UnusableError, YAMLError, DiagnosticError):
        raise refusal from None
    if (came_out or EMPTY) != expected:
        raise refusal
    return edited


def _refusal(path: str, name: str, hint: str) -> DiagnosticError:
    message = f"{name} is written in a way that cannot be edited safely"
    return DiagnosticError(
        Diagnostic(
            code=Code.EDIT_REFUSED, message=message, sites=(Site(path, 0, FieldPath.of(name)),), hint=hint
        )
    )
