"""Turn an edit of a YAML document's fields into changes of its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    MoveField,
    RemoveField,
    RenameField,
    SetField,
)
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, scalar_text
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.node_tree import DocumentNodes
from renderer.yamlio.nodes import Node
from renderer.yamlio.scalar_text import Style, in_one_line, style_of, visible

_STEP = 2  # columns of indentation of a nested mapping
_COLON = re.compile(r"\s*:")
_COMMA = re.compile(r"\s*,")
_COMMENT_BELOW = re.compile(r"\s*(?=#)")
_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?=\r?\n)")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_BLANK = re.compile(r"[ \t]*\r?\n?\Z")
_NULLS = ("null", "Null", "NULL", "~")
_QUOTES = ("'", '"')
#: Characters that end plain text between brackets in at least one of kustomize's two readers.
_FLOW_INDICATORS = re.compile(r"[,\[\]{}?:]")


class Splice(NamedTuple):
    """The characters from ``start`` to before ``end`` become ``text``."""

    start: int
    end: int
    text: str


class Field(NamedTuple):
    """A key of a mapping and its value."""

    key: Node
    value: Node


def fields_of(mapping: Node) -> tuple[Field, ...]:
    """Return the fields written in a mapping itself: an alias has none."""
    return () if mapping.is_alias else tuple(map(Field._make, mapping.entries()))


def items_of(sequence: Node) -> Sequence[Node]:
    """Return the items written in a sequence itself: an alias has none."""
    return () if sequence.is_alias else sequence.elements()


def nodes_to(root: Node, field: FieldPath) -> tuple[Node, ...]:
    """Return the nodes from the root to the field, both included.

    Raises ``UnusableError`` if the path leads through an alias or a merged mapping, or does not exist.
    """
    nodes = [root]
    for segment in field.segments:
        items = items_of(nodes[-1])
        if isinstance(segment, int) and segment < len(items):
            nodes.append(items[segment])
        else:
            nodes.append(field_of(nodes[-1], segment).value)
    return tuple(nodes)


def field_of(mapping: Node, name: Segment) -> Field:
    """Return the last field with that name. Raises ``UnusableError`` if it is not written there."""
    found = [field for field in fields_of(mapping) if field.key.text == name]
    if not found:
        raise UnusableError(f"{name} is written elsewhere")
    return found[-1]


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Return the text with all splices applied, which must not overlap."""
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def splices_of(text: str, document: DocumentNodes, edit: Edit) -> tuple[Splice, ...]:
    """Return the splices for ``edit``. Raises ``UnusableError`` if it is not possible."""
    root = document.root
    if root is None or root.is_nothing:
        return (_first_field(text, document, edit),)
    match edit:
        case SetField(field, value):
            *_, parent, node = nodes_to(root, field)
            return tuple(_set(text, parent, node, value))
        case RenameField(field, name):
            key = field_of(nodes_to(root, field.parent)[-1], field.segments[-1]).key
            splice = Splice(key.start, key.end, _scalar(name, key.style))
        case AddField(into, name, value):
            splice = _added_field(text, document, nodes_to(root, into)[-1], name, value)
        case RemoveField(field):
            return _removed(text, root, field)
        case MoveField(field, to):
            return (_moved_here(text, root, field, to), *_removed(text, root, field))
        case AddItem(into, value, before):
            splice = _added_item(text, root, into, value, before)
        case _:
            return _removed_item(text, root, edit.field)
    return (splice,)


def _first_field(text: str, document: DocumentNodes, edit: Edit) -> Splice:
    """Add the first field to a document that is empty or has only comments."""
    if not isinstance(edit, AddField) or edit.into.segments:
        raise UnusableError("the document is empty")
    lines = _lines(text, {edit.name: edit.value}, 0)
    content = len(text[: document.end].rstrip())
    if not content:
        return Splice(0, 0, lines.lstrip("\r\n") + _newline(text))
    at = _line_end(text, content)
    return Splice(at, at, lines)


def _set(text: str, parent: Node, node: Node, value: Json) -> Iterator[Splice]:
    if (node.text is None and not node.is_alias) or node.is_block_scalar:
        raise UnusableError("the value is not a scalar on one line")
    quote = node.style if node.style in _QUOTES else _quote(parent)
    if not isinstance(value, dict):
        yield _in_place(text, node, _scalar(value, quote, is_flow=parent.is_flow))
    elif parent.is_flow or not value:
        yield _in_place(text, node, _flow(value, quote))
    elif not parent.is_mapping:
        yield _in_place(text, node, _lines(text, value, _column(text, node)).lstrip())
    else:
        field = next(field for field in fields_of(parent) if field.value is node)
        colon = _COLON.match(text, field.key.end)
        if colon is None:
            raise UnusableError("the key is on its own lines")
        line_end = _line_end(text, node.end)
        yield Splice(colon.end(), node.end, "")
        yield Splice(line_end, line_end, _lines(text, value, _column(text, field.key) + _STEP))


def _in_place(text: str, node: Node, new: str) -> Splice:
    """Return the splice of a value's new text, after a space if there was no text before."""
    is_attached = node.start == node.end and text[node.start - 1 : node.start] in (":", "-")
    return Splice(node.start, node.end, f" {new}" if is_attached else new)


def _added_field(text: str, document: DocumentNodes, mapping: Node, name: str, value: Json) -> Splice:
    """Add the field after all others; in the root after the last comment, and spaced like the others."""
    fields = fields_of(mapping)
    if mapping.is_flow:
        quote = _quote(mapping)
        entry = f"{_scalar(name, quote, is_flow=True)}: {_flow(value, quote)}"
        if not fields:
            return Splice(mapping.start, mapping.end, f"{{{entry}}}")
        end = fields[-1].value.end
        return Splice(end, end, f", {entry}")
    if not fields:
        raise UnusableError("there is no mapping")
    is_root = mapping is document.root
    end = _line_end(text, len(text[: document.end].rstrip()) if is_root else mapping.end)
    is_set_apart = any(
        _BLANK_LINE.search(text, before.value.end, after.key.start) for before, after in pairwise(fields)
    )
    gap = _newline(text) if is_root and is_set_apart else ""
    indent = _item_indent(text, mapping)
    lines = _lines(text, {name: value}, _column(text, fields[0].key), indent)
    return Splice(end, end, gap + lines)


def _removed(text: str, root: Node, place: FieldPath) -> tuple[Splice, ...]:
    """Remove a field; an empty mapping is left of one that has no other field, nothing of the root."""
    *above, mapping, _ = nodes_to(root, place)
    field = field_of(mapping, place.segments[-1])
    if len(fields_of(mapping)) > 1 or (mapping is root and not mapping.is_flow):
        return (_removed_field(text, mapping, field),)
    return _emptied(text, above, mapping, (field.key.start, field.value.end), "{}")


def _emptied(
    text: str, above: Sequence[Node], holder: Node, only: tuple[int, int], brackets: str
) -> tuple[Splice, ...]:
    """Remove the only field or item of ``holder``, from and to a place; the brackets are left."""
    if holder.is_flow:
        return (Splice(holder.start, holder.end, brackets),)
    owner = next((each for each in fields_of(above[-1]) if each.value is holder), None) if above else None
    colon = _COLON.match(text, owner.key.end) if owner else None
    start, end = _line_start(text, only[0]), _line_end(text, only[1], with_break=True)
    if colon is None or colon.end() > start or text[start : only[0]].strip(" -"):
        raise UnusableError("nothing would be left")
    return Splice(colon.end(), colon.end(), f" {brackets}"), _without_lines(text, start, end)


def _moved_here(text: str, root: Node, place: FieldPath, to: FieldPath) -> Splice:
    """Add a field with its value as written: above the field that it comes from, or after all others."""
    nodes, mapping = nodes_to(root, place), nodes_to(root, to.parent)[-1]
    field, fields = field_of(nodes[-2], place.segments[-1]), fields_of(mapping)
    name, value = _scalar(to.segments[-1], field.key.style), text[field.value.start : field.value.end]
    if mapping.is_flow and "\n" not in value:
        entry = f"{name}: {value}"
        at = fields[-1].value.end if fields else mapping.start
        return Splice(at, at, f", {entry}") if fields else Splice(at, mapping.end, f"{{{entry}}}")
    if mapping.is_flow or not fields or nodes[-2].is_flow:
        raise UnusableError("the value has lines of its own")
    column, old_column = _column(text, fields[0].key), _column(text, field.key)
    first, *others = f"{name}{text[field.key.end : _line_end(text, field.value.end)]}".split("\n")
    if any(line.strip() and line[:old_column].strip() for line in others):
        raise UnusableError("a line is indented less than its key")
    lines = [first, *(f"{' ' * column}{line[old_column:]}" if line.strip() else line for line in others)]
    block = f"{' ' * column}{chr(10).join(lines)}"
    around = next((each for each in fields if each.value in nodes), None)
    if around is None:
        end = _line_end(text, mapping.end)
        return Splice(end, end, _newline(text) + block)
    start = _line_start(text, around.key.start)
    if text[start : around.key.start].strip(" "):
        raise UnusableError("the key is not at the beginning of its line")
    return Splice(start, start, block + _newline(text))


def _removed_field(text: str, mapping: Node, field: Field) -> Splice:
    """Remove the field's lines, and one of the blank lines around them."""
    fields = fields_of(mapping)
    index = fields.index(field)
    if mapping.is_flow and index:
        return _removed_in_brackets(text, fields[index - 1].value.end, field)
    start, end = _line_start(text, field.key.start), _line_end(text, field.value.end, with_break=True)
    if not mapping.is_flow and not text[start : field.key.start].strip(" "):
        above = _line_start(text, max(start - 1, 0))
        following = _line_end(text, end, with_break=True)
        if start and _BLANK.fullmatch(text, above, start) and _BLANK.fullmatch(text, end, following):
            start = above
        return _without_lines(text, start, end)
    if index:
        raise UnusableError("the key is not at the beginning of its line")
    following = fields[1].key.start
    comma = _COMMA.match(text, field.value.end) if mapping.is_flow else None
    own_end = _line_end(text, comma.end() if comma else field.value.end)
    below = _COMMENT_BELOW.match(text, own_end) if comma or not mapping.is_flow else None
    if below and below.end() < following:  # keep a comment above the next key
        return Splice(field.key.start, below.end(), "" if text[field.key.start - 1].isspace() else " ")
    return Splice(field.key.start, following, "")


def _removed_in_brackets(text: str, before: int, field: Field) -> Splice:
    """Remove the entry, its comment and a comma; comments of the entry that ends at ``before`` stay."""
    line, end = _line_start(text, field.key.start), field.value.end
    lead = text[line : field.key.start].strip()
    if line <= before or lead not in ("", ","):
        return Splice(before, end, "")
    comma = None if lead else _COMMA.match(text, end)
    own = _REST_OF_LINE.match(text, comma.end() if comma else end)
    if own and (lead or comma):
        return Splice(line, _line_end(text, own.end(), with_break=True), "")
    if lead:
        return Splice(line, end, "")
    if comma:
        return Splice(field.key.start, comma.end() + (text[comma.end()] == " "), "")
    last = _COMMA.match(text, before)
    kept = text[last.end() if last else before : line]
    end = own.end() if own else end
    return Splice(before, end, "" if "#" not in kept else kept.rstrip() if own else kept)


def _added_item(text: str, root: Node, into: FieldPath, value: Json, before: int | None) -> Splice:
    *_, parent, sequence = nodes_to(root, into)
    items = items_of(sequence)
    if not items:
        return _only_item(text, parent, sequence, value)
    if sequence.is_flow:
        shown = _flow(value, '"' if any(item.style == '"' for item in items) else _quote(parent))
        if before is None:
            return Splice(items[-1].end, items[-1].end, f", {shown}")
        start = items[before].start
        return Splice(start, start, f"{shown}, ")
    column = _column(text, sequence)
    if before is None:
        end = _line_end(text, items[-1].end)
        return Splice(end, end, _item_lines(text, value, column))
    start = _line_start(text, items[before].start)
    if text[start : items[before].start].strip(" ") != "-":
        raise UnusableError("the entry is not on its own line")
    return Splice(
        start, start, _item_lines(text, value, column).removeprefix(_newline(text)) + _newline(text)
    )


def _only_item(text: str, parent: Node, sequence: Node, value: Json) -> Splice:
    """Add the first item of a list that is empty, null or not written; in the last case below its key."""
    if sequence.is_flow or text[sequence.start : sequence.end] in _NULLS:
        return Splice(sequence.start, sequence.end, f"[{_flow(value, _quote(parent))}]")
    if not sequence.is_nothing or parent.is_flow:
        raise UnusableError("something else than a list")
    field = next(field for field in fields_of(parent) if field.value is sequence)
    end = _line_end(text, field.key.end)
    return Splice(end, end, _item_lines(text, value, _column(text, field.key) + _item_indent(text, parent)))


def _removed_item(text: str, root: Node, place: FieldPath) -> tuple[Splice, ...]:
    """Remove an item; an empty list is left of one that has no other."""
    *above, sequence, item = nodes_to(root, place)
    items = items_of(sequence)
    index = items.index(item)
    if len(items) == 1:
        return _emptied(text, above, sequence, (item.start, item.end), "[]")
    if not sequence.is_flow:
        start, end = _line_start(text, item.start), _line_end(text, item.end, with_break=True)
        return (_without_lines(text, start, end),)
    if index + 1 < len(items):
        return (Splice(item.start, items[index + 1].start, ""),)
    before = items[index - 1].end
    if not text[before : item.start].replace(",", "", 1).strip():
        return (Splice(before, item.end, ""),)
    # The comma is before a comment between them: the comma after the item has to be removed, too.
    comma = _COMMA.match(text, item.end)
    return (Splice(item.start, comma.end() if comma else item.end, ""),)


def _without_lines(text: str, start: int, end: int) -> Splice:
    """Remove lines. If the last line has no line break, then the line that becomes the last loses its own."""
    if end == len(text) and text[-1:] != "\n":
        start = len(text[:start].removesuffix("\n").removesuffix("\r"))
    return Splice(start, end, "")


def _lines(text: str, fields: JsonObject, column: int, item_indent: int = 0) -> str:
    """Return the fields as lines of a block, each after a line break."""
    lines: list[str] = []
    for name, value in fields.items():
        is_block = isinstance(value, dict | list) and bool(value)
        shown = "" if is_block else f" {_flow(value, '')}"
        lines.append(f"{_newline(text)}{' ' * column}{_scalar(name, '')}:{shown}")
        if isinstance(value, dict):
            lines.append(_lines(text, value, column + _STEP))
        elif isinstance(value, list):
            lines += (_item_lines(text, item, column + item_indent) for item in value)
    return "".join(lines)


def _item_lines(text: str, value: Json, column: int) -> str:
    """Return the item of a list as lines of a block, each after a line break."""
    lead = f"{_newline(text)}{' ' * column}- "
    if isinstance(value, dict) and value:
        return lead + _lines(text, value, column + _STEP).lstrip("\r\n ")
    return lead + _flow(value, "") if isinstance(value, dict | list) else lead + _scalar(value, "")


def _flow(value: Json, quote: str) -> str:
    if isinstance(value, dict):
        entries = (
            f"{_scalar(key, quote, is_flow=True)}: {_flow(child, quote)}" for key, child in value.items()
        )
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list):
        return f"[{', '.join(_flow(item, quote) for item in value)}]"
    return _scalar(value, quote, is_flow=True)


def _scalar(value: Json, quote: str, *, is_flow: bool = False) -> str:
    """Return the text of a scalar: a string in the given quotes, or in those that it needs."""
    if isinstance(value, dict | list):
        raise UnusableError("a list has no place there")
    if not isinstance(value, str):
        return scalar_text(value)
    if not value.isprintable():
        return visible(in_one_line(value, Style.DOUBLE_QUOTED))
    if quote == "'":
        return in_one_line(value, Style.SINGLE_QUOTED)
    is_plain = style_of(value) is Style.PLAIN and not (is_flow and _FLOW_INDICATORS.search(value))
    return value if quote != '"' and is_plain else json.dumps(value, ensure_ascii=False)


def _quote(mapping: Node) -> str:
    """Return the quotes that all keys have, as in JSON; nothing if there are none."""
    styles = {field.key.style for field in fields_of(mapping)}
    return next((quote for quote in _QUOTES if styles == {quote}), "")


def _item_indent(text: str, mapping: Node) -> int:
    """Return the columns by which the items of the last block sequence are indented from its key."""
    columns = [
        _column(text, field.value) - _column(text, field.key)
        for field in fields_of(mapping)
        if items_of(field.value) and not field.value.is_flow
    ]
    return columns[-1] if columns else 0


def _column(text: str, node: Node) -> int:
    return node.start - _line_start(text, node.start)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int, *, with_break: bool = False) -> int:
    """Return the offset of the line's end, before or after its line break."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end + 1 if with_break else end - (text[end - 1] == "\r")


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
