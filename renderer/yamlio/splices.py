"""What a change of a field does to the text of its document: the few characters that it replaces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.model.field_edit import AddField, FieldEdit, RemoveField, RenameField, SetField
from renderer.model.json import Json, JsonObject, scalar_text
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.scalar_style import Style, style_of
from renderer.yamlio.text_tree import TextField, TextNode, field_of, fields_to

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
