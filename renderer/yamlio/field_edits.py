"""Change single fields of a YAML file that people edit, and leave every other byte as it is."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField, apply_edits
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import Json, JsonObject, scalar_text
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.scalar_text import Style, style_of
from renderer.yamlio.text_tree import TextField, TextNode, field_of, fields_to, parse_text

_STEP = 2  # columns that a nested mapping is indented by
_COLON = re.compile(r"\s*:")
_QUOTES = ("'", '"')


class Splice(NamedTuple):
    """The characters from ``start`` to before ``end`` become ``text``."""

    start: int
    end: int
    text: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text with all of them made, which do not overlap."""
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def splices_of(text: str, root: TextNode, edit: FieldEdit) -> tuple[Splice, ...]:
    """What ``edit`` does to the text of the document ``root``. Raises ``UnusableError`` where it cannot."""
    match edit:
        case SetField(field, value):
            *_, parent, node = fields_to(root, field)
            return tuple(_set(text, parent, node, value))
        case RenameField(field, name):
            key = field_of(fields_to(root, field.parent)[-1], field.segments[-1]).key
            return (Splice(key.start, key.end, _scalar(name, key.style)),)
        case AddField(into, name, value):
            return (_added(text, fields_to(root, into)[-1], name, value),)
        case RemoveField(field):
            mapping = fields_to(root, field.parent)[-1]
            return (_removed(text, mapping, field_of(mapping, field.segments[-1])),)


def _set(text: str, parent: TextNode, node: TextNode, value: Json) -> Iterator[Splice]:
    if node.fields or node.items or node.is_flow or node.style in ("|", ">"):
        raise UnusableError("the value is no scalar on one line")
    quote = node.style or _quote(parent)
    if not isinstance(value, dict):
        yield _in_place(text, node, _scalar(value, quote))
    elif parent.is_flow or not value:
        yield _in_place(text, node, _flow(value, quote))
    else:
        field = next(field for field in parent.fields if field.value is node)
        colon = _COLON.match(text, field.key.end)
        if colon is None:
            raise UnusableError("the key stands on lines of its own")
        line_end = _line_end(text, node.end)
        yield Splice(colon.end(), node.end, "")
        yield Splice(line_end, line_end, _lines(text, value, field.column + _STEP))


def _in_place(text: str, node: TextNode, new: str) -> Splice:
    """Behind a space where nothing was written before."""
    is_attached = node.start == node.end and text[node.start - 1 : node.start] in (":", "-")
    return Splice(node.start, node.end, f" {new}" if is_attached else new)


def _added(text: str, mapping: TextNode, name: str, value: Json) -> Splice:
    if mapping.is_flow:
        quote = _quote(mapping)
        entry = f"{_scalar(name, quote)}: {_flow(value, quote)}"
        if not mapping.fields:
            return Splice(mapping.start, mapping.end, f"{{{entry}}}")
        end = mapping.fields[-1].value.end
        return Splice(end, end, f", {entry}")
    if not mapping.fields:
        raise UnusableError("there is no mapping")
    line_end = _line_end(text, mapping.end)
    return Splice(line_end, line_end, _lines(text, {name: value}, mapping.fields[0].column))


def _removed(text: str, mapping: TextNode, field: TextField) -> Splice:
    index = mapping.fields.index(field)
    if len(mapping.fields) == 1:
        raise UnusableError("nothing would be left")
    if mapping.is_flow and index:
        return Splice(mapping.fields[index - 1].value.end, field.value.end, "")
    start = text.rfind("\n", 0, field.key.start) + 1
    if not mapping.is_flow and not text[start : field.key.start].strip(" "):
        return Splice(start, _line_end(text, field.value.end, with_break=True), "")
    if index:
        raise UnusableError("the key does not stand at the beginning of its line")
    return Splice(field.key.start, mapping.fields[1].key.start, "")


def _lines(text: str, fields: JsonObject, column: int) -> str:
    """The fields as lines of a block, each behind a line break."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines: list[str] = []
    for name, value in fields.items():
        is_block = isinstance(value, dict) and bool(value)
        shown = "" if is_block else f" {_flow(value, '')}"
        lines.append(f"{newline}{' ' * column}{_scalar(name, '')}:{shown}")
        if isinstance(value, dict):
            lines.append(_lines(text, value, column + _STEP))
    return "".join(lines)


def _flow(value: Json, quote: str) -> str:
    if isinstance(value, dict):
        entries = (f"{_scalar(key, quote)}: {_flow(child, quote)}" for key, child in value.items())
        return f"{{{', '.join(entries)}}}"
    return _scalar(value, quote)


def _scalar(value: Json, quote: str) -> str:
    """A string in the quotes that were there; other scalars have none."""
    if isinstance(value, dict | list):
        raise UnusableError("a list has no place there")
    if not isinstance(value, str):
        return scalar_text(value)
    if quote == "'":
        return f"'{value.replace(quote, quote * 2)}'"
    return value if quote != '"' and style_of(value) is Style.PLAIN else json.dumps(value, ensure_ascii=False)


def _quote(mapping: TextNode) -> str:
    """The quotes of its keys, as JSON has them."""
    styles = {field.key.style for field in mapping.fields}
    return next((quote for quote in _QUOTES if styles == {quote}), "")


def _line_end(text: str, at: int, *, with_break: bool = False) -> int:
    """Where the line ends, before or behind its line break."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end + 1 if with_break else end - (text[end - 1] == "\r")


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
