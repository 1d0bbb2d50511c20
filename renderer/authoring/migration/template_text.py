"""Rewrite the text of an OpenShift Template as a VirtualMachineTemplate, line by line, with all comments.

The lines of ``objects``, ``parameters`` and ``message`` move below ``spec``. The result is read again: if it
would mean something else, the text is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from renderer.authoring.migration.vm_template import LABELS, MOVED
from renderer.kubevirt.vm_template.template import MACHINE
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import AddField, FieldEdit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.list_elements import value_at
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.edit import EditedText, RefusedEditError, block_mapping, edit_fields
from renderer.yamlio.encode import encode_source
from renderer.yamlio.nodes import Node

_STEP = 2
#: The column of the machine's fields, below ``spec`` and ``virtualMachine``.
_MACHINE_COLUMN = 2 * _STEP
_STEPS_PER_CHARACTER = 6


def migrated_text(text: str, before: JsonObject, after: JsonObject) -> str:
    """Return the text of one document. Raises ``RefusedEditError`` if its comments cannot be kept."""
    spend(_STEPS_PER_CHARACTER * len(text), "editing files")
    try:
        made = _with_labels(_in_lines(text), before, after)
        if _read(made) == after:
            return made
    except (RefusedEditError, DiagnosticError):
        pass
    if text.lstrip().startswith("{"):
        made = json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    elif "#" in text:
        raise RefusedEditError("its lines cannot be moved by themselves")
    else:
        made = encode_source(after)
    if _read(made) != after:
        raise RefusedEditError("its lines cannot be moved by themselves")
    return made


def _read(text: str) -> JsonObject:
    [document] = decode_documents(text.encode(), "")
    return object_at(document)


def _in_lines(text: str) -> str:
    """Return the text with the moved sections below ``spec``. Raises ``RefusedEditError``."""
    root = block_mapping(text)
    lines, entries = text.splitlines(keepends=True), list(root.entries())
    starts = [_with_comments_before(lines, key.position.line, root) for key, _ in entries]
    made = lines[: starts[0]]
    spec_at: int | None = None
    spec: list[str] = []
    for (key, value), (start, end) in zip(entries, pairwise([*starts, len(lines)]), strict=True):
        section = lines[start:end]
        if key.text == LABELS:  # which are added to the machine
            made += [line for line in section if line.startswith("#")]
            continue
        if key.text not in MOVED:
            made += section
            continue
        spec_at = len(made) if spec_at is None else spec_at
        spec += (
            _machine_lines(lines, key, value, start, end)
            if key.text == "objects"
            else _shifted(section, _STEP)
        )
    if spec_at is None:
        raise RefusedEditError("it has no object")
    newline = "\r\n" if "\r\n" in text else "\n"
    spec = [line if line.endswith("\n") else f"{line}{newline}" for line in spec]
    before = [line if line.endswith("\n") else f"{line}{newline}" for line in made[:spec_at]]
    return "".join([*before, f"spec:{newline}", *spec, *made[spec_at:]])


def _with_comments_before(lines: Sequence[str], line: int, root: Node) -> int:
    """Return the first line of an entry: of the comments right before it."""
    first = root.position.line
    while line > first and lines[line - 1].startswith("#"):
        line -= 1
    return line


def _machine_lines(lines: Sequence[str], key: Node, value: Node, start: int, end: int) -> Iterator[str]:
    """Yield the lines of the only object below ``virtualMachine``. Raises ``RefusedEditError``."""
    elements = value.elements()
    if not value.is_block or len(elements) != 1 or not elements[0].is_block:
        raise RefusedEditError("its object has no lines of its own")
    (at, column), at_key = elements[0].position, key.position.line
    between = [line for line in lines[at_key + 1 : at] if line.strip() != "-"]
    is_on_line_of_dash = lines[at][:column].strip() == "-"
    if at == at_key or is_on_line_of_dash is not (len(between) == at - at_key - 1):
        raise RefusedEditError("its object does not begin on a line of its own")
    yield from _shifted(lines[start:at_key], _STEP)
    yield f"{' ' * _STEP}virtualMachine{lines[at_key][len('objects') :]}"
    yield from _shifted(between, _MACHINE_COLUMN - column + is_on_line_of_dash * 2)
    yield f"{' ' * _MACHINE_COLUMN}{lines[at][column:]}"
    yield from _shifted(lines[at + 1 : end], _MACHINE_COLUMN - column)


def _shifted(lines: Sequence[str], columns: int) -> Iterator[str]:
    for line in lines:
        if not line.strip():
            yield line
        elif columns >= 0:
            yield f"{' ' * columns}{line}"
        else:
            yield line[min(-columns, len(line) - len(line.lstrip(" "))) :]


def _with_labels(text: str, before: JsonObject, after: JsonObject) -> str:
    """Return the text with its API version and kind, and with the labels of the Template in the machine."""
    edits: list[FieldEdit] = [SetField(FieldPath.of(name), after[name]) for name in ("apiVersion", "kind")]
    labels = object_at(before, LABELS)
    machine = object_at(after, *MACHINE.keys)
    own = value_at(before, ("objects", 0, "metadata", "labels"))
    at = MACHINE.child("metadata", "labels")
    if labels and not isinstance(own, dict):
        edits.append(AddField(MACHINE.child("metadata"), "labels", object_at(machine, "metadata", "labels")))
    elif isinstance(own, dict):
        for name, value in labels.items():
            edits.append(SetField(at.child(name), value) if name in own else AddField(at, name, value))
    return edit_fields(text.encode(), EditedText(), edits).decode()
