"""Changes to single fields of a YAML file that people edit: every other byte stays as it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import FieldEdit, SetField, apply_edits
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import Json
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.splices import Splice, spliced, splices_of
from renderer.yamlio.text_tree import TextNode, fields_to, parse_text

_SEPARATOR = re.compile(r"\n---[^\n]*\n")
_BYTE_ORDER_MARK = "\ufeff"


class EditedText(NamedTuple):
    """What is edited: the document with that number in a file, or the text that its field ``inline`` holds.

    ``is_kustomization``: it is read as a kustomization is, so that only the first document counts.
    """

    document: int = 0
    inline: FieldPath = ROOT
    is_kustomization: bool = False


class RefusedEditError(ValueError):
    """The file is written in a way in which the change would touch more than it is meant to."""


def edit_fields(content: bytes, where: EditedText, edits: Sequence[FieldEdit]) -> bytes:
    """The file with ``edits`` made one after another, and nothing else changed in it.

    Raises ``RefusedEditError`` for one in which that cannot be done: through an alias, say.
    """
    text = content.decode()
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    start, end = (0, len(text)) if where.is_kustomization else _extents(text)[where.document]
    try:
        after = _edited(text[start:end], where, edits)
    except UnusableError as error:
        raise RefusedEditError(str(error)) from error
    except (YAMLError, DiagnosticError, LookupError):
        after = None
    if after is None:
        raise RefusedEditError("something else depends on it")
    return f"{mark}{text[:start]}{after}{text[end:]}".encode()


def _edited(before: str, where: EditedText, edits: Sequence[FieldEdit]) -> str | None:
    """The text of the document after the edits, if that means what it should."""
    after = before
    for edit in edits:
        after = spliced(after, _splices(after, where.inline, edit))
    is_right = _meaning(after, where) == _expected(_meaning(before, where), edits)
    return after if is_right else None


def _extents(text: str) -> list[tuple[int, int]]:
    """Where documents begin and end, cut as ``split_documents`` does, with line breaks as they are."""
    separators = list(_SEPARATOR.finditer(text))
    starts = [0, *(separator.end() for separator in separators)]
    return list(zip(starts, [*(separator.start() + 1 for separator in separators), len(text)], strict=True))


def _splices(text: str, inline: FieldPath, edit: FieldEdit) -> Sequence[Splice]:
    root = parse_text(text)
    if root is None:
        raise UnusableError("the document is empty")
    if inline == ROOT:
        return splices_of(text, root, edit)
    scalar = fields_to(root, inline)[-1]
    inner = parse_text(scalar.text or "")
    if inner is None:
        raise UnusableError("the text is empty")
    places = _places(text, scalar)
    newline = "\r\n" if "\r\n" in text else "\n"
    return [
        Splice(places.of(start), places.of(end), new.replace("\n", newline + places.indent))
        for start, end, new in splices_of(scalar.text or "", inner, edit)
    ]


class _Places(NamedTuple):
    """Where the lines of a literal scalar begin: in its text, and in the file behind their indentation."""

    inner: Sequence[int]
    outer: Sequence[int]
    indent: str

    def of(self, index: int) -> int:
        line = bisect_right(self.inner, index) - 1
        return self.outer[line] + index - self.inner[line]


def _places(text: str, scalar: TextNode) -> _Places:
    """Raises ``UnusableError`` for a scalar whose lines are not those of the file."""
    if text[scalar.start : scalar.end] == f"'{scalar.text}'":
        return _Places([0], [scalar.start + 1], "")
    if scalar.style != "|":
        raise UnusableError("the text is not written in lines of its own")
    lines = (scalar.text or "").split("\n")
    starts = [text.index("\n", scalar.start) + 1]
    for _ in lines[1:]:
        starts.append(text.find("\n", starts[-1]) + 1 or len(text))
    written = [text[start:].split("\n", 1)[0].removesuffix("\r") for start in starts]
    indents = {shown.removesuffix(line) for shown, line in zip(written, lines, strict=True) if line.strip()}
    indent = indents.pop() if len(indents) == 1 else ""
    if not indent or indent.strip(" "):
        raise UnusableError("the lines of the text are not those of the file")
    inner = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
    return _Places(inner, [start + len(indent) for start in starts], indent)


class _Meaning(NamedTuple):
    """What is edited, and what stands around it."""

    part: Json
    rest: Json = None


def _meaning(text: str, where: EditedText) -> _Meaning:
    if where.is_kustomization:
        document = decode_yaml11(text.encode(), "")
    else:
        [document] = decode_documents(text.encode(), "")
    if where.inline == ROOT:
        return _Meaning(document)
    [part] = decode_documents(_text_at(document, where.inline).encode(), "")
    return _Meaning(part, apply_edits(document, [SetField(where.inline, None)]))


def _text_at(document: Json, field: FieldPath) -> str:
    value = document
    for segment in field.segments:
        value = value[segment]  # type: ignore[index]  # the tree of the text has it
    return str(value)


def _expected(before: _Meaning, edits: Sequence[FieldEdit]) -> _Meaning:
    return before._replace(part=apply_edits(before.part, edits))
