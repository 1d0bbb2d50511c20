"""Findings in a file: in its documents, in the items of a List, and in patches, also in a kustomization.

An operation of a JSON 6902 patch is checked as the part of an object that it writes: pointer and value make
an object with nothing else in it, and the findings about that object are mapped back to the operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.authoring.migration.change import Change, Finding, NotMigrated
from renderer.authoring.migration.rules import findings, findings_in_part, selector_finding
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import AddField, FieldEdit, RenameField, SetField
from renderer.model.kube.field_path import ROOT, FieldPath, Segment, format_pointer, parse_pointer
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.edit import EditedText

_VALUE_OPERATIONS = ("add", "replace", "test")
_COPY_OPERATIONS = ("copy", "move")
_PATCHES = ("patches", "patchesjson6902")


class LocatedFinding(NamedTuple):
    """A finding, located in the text that it is about."""

    where: EditedText
    finding: Finding


def is_json_patch(document: Json) -> bool:
    """Return True for the operations of a JSON 6902 patch."""
    return isinstance(document, list) and all("op" in object_at(operation) for operation in document)


def findings_in_patch(operations: list[Json], kinds: str) -> Iterator[Finding]:
    """Yield the findings in a patch of objects whose kind matches ``kinds``; empty matches any kind."""
    for index, operation in enumerate(operations):
        place = FieldPath.of(index)
        for found in _operation_findings(object_at(operation), kinds):
            yield found.below(place)


def _operation_findings(operation: JsonObject, kinds: str) -> Iterator[Finding]:
    name = text_at(operation, "op")
    pointer = parse_pointer(text_at(operation, "path"))
    if name in _COPY_OPERATIONS:
        yield from _copy_findings(operation, kinds)
        return
    value = operation.get("value") if name in _VALUE_OPERATIONS else None
    for found in findings_in_part(_part(pointer, value), kinds):
        if isinstance(found, NotMigrated):
            yield found._replace(field=_operation_field(found.field, pointer))
        else:
            yield _operation_change(found, pointer)


def _copy_findings(operation: JsonObject, kinds: str) -> Iterator[NotMigrated]:
    """Yield a finding for each deprecated field that the operation copies or moves, or writes to."""
    for name in ("from", "path"):
        pointer = parse_pointer(text_at(operation, name))
        for found in findings_in_part(_part(pointer, True), kinds):  # noqa: FBT003 - as an example of any value
            message = f"{pointer[-1]} is deprecated, and is the target of {text_at(operation, 'op')}"
            yield NotMigrated(FieldPath.of(name), message, "rewrite the operation", found.since)


def _operation_change(change: Change, pointer: list[str]) -> Finding:
    try:
        edits = tuple(_operation_edit(edit, pointer) for edit in change.edits)
    except LookupError:
        return NotMigrated(
            _operation_field(change.field, pointer),
            f"{change.before} is deprecated, and needs more than one operation to replace",
            f"write {change.after}",
            change.since,
        )
    return change._replace(field=_operation_field(change.field, pointer), edits=edits)


def _operation_edit(edit: FieldEdit, pointer: list[str]) -> FieldEdit:
    """Return the edit of the operation. Raises ``LookupError`` if the field is outside the written part.

    A mapping that replaces another kind of value is outside as well: it would replace the object's own
    content there.
    """
    field = edit.into if isinstance(edit, AddField) else edit.field
    *parent, name = field.segments
    depth = len(pointer)
    if list(field.segments) == pointer and isinstance(edit, RenameField):
        return SetField(FieldPath.of("path"), format_pointer([*pointer[:-1], edit.name]))
    is_sibling = len(field.segments) == depth and parent == pointer[:-1]
    if is_sibling and isinstance(edit, SetField) and not (edit.value and isinstance(edit.value, dict)):
        return SetField(FieldPath.of("value"), edit.value)
    is_within = list(field.segments[:depth]) == pointer
    if not is_within or (len(field.segments) == depth and not isinstance(edit, AddField)):
        raise LookupError(name)
    inner = FieldPath.of("value", *field.segments[depth:])
    return edit._replace(into=inner) if isinstance(edit, AddField) else edit._replace(field=inner)


def _part(pointer: list[str], value: Json) -> JsonObject:
    """Return an object that contains only ``value`` at ``pointer``."""
    for segment in reversed(pointer):
        value = {segment: value}
    return object_at(value)


def _operation_field(field: FieldPath, pointer: list[str]) -> FieldPath:
    rest: tuple[Segment, ...] = field.segments[len(pointer) :]
    return FieldPath.of("value", *rest) if rest else FieldPath.of("path")


def resource_file_findings(content: bytes, path: str, patched_kinds: str | None) -> Iterator[LocatedFinding]:
    """Yield the findings in a file of objects or patches, in order. Raises ``DiagnosticError``.

    ``patched_kinds`` matches the kinds that a JSON 6902 patch changes; None if the file is not used as a
    patch.
    """
    for index, document in enumerate(decode_documents(content, path)):
        for found in _document_findings(document, patched_kinds):
            yield LocatedFinding(EditedText(index), found)


def kustomization_findings(content: bytes, path: str) -> Iterator[LocatedFinding]:
    """Yield the findings in the patches and selectors of a kustomization.

    Raises ``DiagnosticError``.
    """
    kustomization = object_at(decode_yaml11(content, path))
    own = EditedText(is_kustomization=True)
    for place, selector in _selectors(kustomization):
        found = selector_finding(selector)
        if found:
            yield LocatedFinding(own, found.below(place))
    for inline, text, kinds in _inline_patches(kustomization):
        yield from _inline_patch_findings(own._replace(inline=inline), text, kinds)


def _document_findings(document: Json, patched_kinds: str | None) -> Iterator[Finding]:
    if isinstance(document, list):
        if patched_kinds is not None and is_json_patch(document):
            yield from findings_in_patch(document, patched_kinds)
        return
    content = object_at(document)
    if text_at(content, "kind").endswith("List"):
        for index, item in enumerate(array_at(content, "items")):
            for found in findings(object_at(item)):
                yield found.below(FieldPath.of("items", index))
    else:
        yield from findings(content)


def _inline_patch_findings(where: EditedText, text: str, kinds: str) -> Iterator[LocatedFinding]:
    try:
        documents = decode_documents(text.encode(), "")
    except DiagnosticError:  # a path, or an error that the build reports
        return
    for document in documents:
        for found in _document_findings(document, kinds):
            if len(documents) == 1:
                yield LocatedFinding(where, found)
            elif isinstance(found, NotMigrated):
                yield LocatedFinding(where, found._replace(field=ROOT))
            else:
                message = f"{found.before} is deprecated, and is in a text of several documents"
                hint = f"write {found.after}, or move the patches into a file"
                yield LocatedFinding(where, NotMigrated(ROOT, message, hint, found.since))


def _inline_patches(kustomization: JsonObject) -> Iterator[tuple[FieldPath, str, str]]:
    """Yield the inline patches, with the kinds that each applies to."""
    for name, value in kustomization.items():
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            place = FieldPath.of(name, index)
            if name.lower() in _PATCHES and text_at(entry, "patch"):
                yield place.child("patch"), text_at(entry, "patch"), text_at(entry, "target", "kind")
            elif name.lower() == "patchesstrategicmerge" and isinstance(entry, str) and "\n" in entry:
                yield place, entry, ""


def _selectors(kustomization: JsonObject) -> Iterator[tuple[FieldPath, JsonObject]]:
    for name, value in kustomization.items():
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            place = FieldPath.of(name, index)
            if name.lower() in _PATCHES:
                yield place.child("target"), object_at(entry, "target")
            elif name.lower() == "replacements":
                yield place.child("source"), object_at(entry, "source")
                for position, target in enumerate(array_at(entry, "targets")):
                    at = place.child("targets", position)
                    yield at.child("select"), object_at(target, "select")
                    for number, rejected in enumerate(array_at(target, "reject")):
                        yield at.child("reject", number), object_at(rejected)
