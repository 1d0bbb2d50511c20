"""Changes to single fields of a YAML file that people edit: every other byte stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import FieldEdit, SetField, edited
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
    before = text[start:end]
    try:
        after = before
        for edit in edits:
            after = spliced(after, _splices(after, where.inline, edit))
        is_right = _decode(after, where) == _expected(_decode(before, where), where.inline, edits)
    except (UnusableError, YAMLError, DiagnosticError, LookupError) as error:
        raise RefusedEditError(str(error)) from error
    if not is_right:
        raise RefusedEditError("it is used in other places too")
    return f"{mark}{text[:start]}{after}{text[end:]}".encode()


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
    outer = _places(text, scalar)
    indent = outer.indent
    return [
        Splice(outer.of(start), outer.of(end), new.replace("\n", "\n" + indent))
        for start, end, new in splices_of(scalar.text or "", inner, edit)
    ]


class _Places(NamedTuple):
    """Where the lines of a literal scalar begin: in its text, and in the file around it."""

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    indent: str

    def of(self, index: int) -> int:
        line = next(line for line, start in reversed(tuple(enumerate(self.inner))) if start <= index)
        return self.outer[line] + index - self.inner[line]


def _places(text: str, scalar: TextNode) -> _Places:
    """Raises ``UnusableError`` for a scalar whose lines are not those of the file."""
    if scalar.style != "|":
        raise UnusableError("the text is no block of its own lines")
    inner, outer = [0], [text.index("\n", scalar.start) + 1]
    for found in re.finditer("\n", scalar.text or ""):
        inner.append(found.end())
        outer.append(text.find("\n", outer[-1]) + 1 or len(text))
    lines = (scalar.text or "").split("\n")
    indents = {
        text[start : text.index(line, start)]
        for line, start in zip(lines, outer, strict=True)
        if line.strip() and line in text[start:]
    }
    indent = indents.pop() if len(indents) == 1 else None
    if indent is None or indent.strip(" "):
        raise UnusableError("the lines of the text are not those of the file")
    return _Places(
        tuple(inner), tuple(start + len(indent) for start in outer), indent
    )


def _decode(text: str, where: EditedText) -> Json:
    if where.is_kustomization:
        return decode_yaml11(text.encode(), "")
    [document] = decode_documents(text.encode(), "")
    return document


def _expected(document: Json, inline: FieldPath, edits: Sequence[FieldEdit]) -> Json:
    """With what an inline text says in its place, as its own layout does not matter."""
    if inline == ROOT:
        return edited(document, edits)
    return edited(document, [SetField(inline, None)])
