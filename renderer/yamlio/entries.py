"""Entries of a sequence in the root mapping of a YAML text: put in and cut out, whatever its style."""

from __future__ import annotations

import json
import re

from renderer.yamlio.errors import UnusableError
from renderer.yamlio.outline import Outline, RootField, Span

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS = frozenset(
    {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
)  # that YAML takes for others
_NULLS = ("null", "Null", "NULL", "~")
_COMMA = re.compile(r"\s*,")
_BETWEEN_ITEMS = re.compile(r"\s*,\s*")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_BLANK = re.compile(r"[ \t]*\r?\n?\Z")


def with_new_field(text: str, found: Outline, name: str, entry: str) -> str:
    """The field at the end of the document, spaced and indented as the others are."""
    if found.is_flow:
        if not found.fields:
            raise UnusableError("the mapping is empty")
        end = found.fields[-1].value.end
        return f"{text[:end]}, {json.dumps(name)}: [{json.dumps(entry)}]{text[end:]}"
    newline, end = _newline(text), _end_of_content(text, found)
    indent = " " * found.column
    before = newline if _has_blank_lines(text, found) else ""
    item = f"{indent}{' ' * _item_indent(found)}- {_scalar(entry)}"
    return _with_lines(text, end, f"{before}{indent}{name}:{newline}{item}")


def with_entry(text: str, field: RootField, entry: str) -> str:
    """The entry behind all others of the field."""
    value = field.value
    if value.items is None:
        return _with_first_entry(text, field, entry)
    if not value.is_flow:
        return _with_lines(
            text, _line_end(text, value.items[-1].end), f"{' ' * value.column}- {_scalar(entry)}"
        )
    shown = json.dumps(entry) if _is_json(text, value) else _scalar(entry)
    if not value.items:
        return f"{text[: value.start]}[{shown}]{text[value.end :]}"
    end = value.items[-1].end
    return f"{text[:end]}, {shown}{text[end:]}"


def without_entry(text: str, value: Span, index: int) -> str:
    """The sequence ``value``, which has others, without one entry."""
    items = value.items or ()
    item = items[index]
    if not value.is_flow:
        return _without_lines(text, _line_start(text, item.start), _line_end(text, item.end))
    if index + 1 < len(items):
        return text[: item.start] + text[items[index + 1].start :]
    before = items[index - 1].end
    if _BETWEEN_ITEMS.fullmatch(text, before, item.start):
        return text[:before] + text[item.end :]
    # A comment stands between them, and the comma before that: then another one must not follow.
    comma = _COMMA.match(text, item.end)
    return text[: item.start] + text[comma.end() if comma else item.end :]


def without_field(text: str, found: Outline, field: RootField) -> str:
    """The mapping without the field, and without one of the blank lines that were around it."""
    if found.is_flow:
        return _without_flow_field(text, found, field)
    start, end = _line_start(text, field.key.start), _line_end(text, _last_end(field.value))
    above = _line_start(text, max(start - 1, 0))
    if start and _BLANK.fullmatch(text, above, start) and _BLANK.fullmatch(text, end, _line_end(text, end)):
        start = above
    return _without_lines(text, start, end)


def _without_flow_field(text: str, found: Outline, field: RootField) -> str:
    index = found.fields.index(field)
    if index:
        return text[: found.fields[index - 1].value.end] + text[field.value.end :]
    if len(found.fields) == 1:
        raise UnusableError("nothing would be left")
    return text[: field.key.start] + text[found.fields[1].key.start :]


def _with_first_entry(text: str, field: RootField, entry: str) -> str:
    """In the place of nothing: an entry below the field, or in brackets where ``null`` is written."""
    value = field.value
    if text[value.start : value.end] in _NULLS:
        return f"{text[: value.start]}[{_scalar(entry)}]{text[value.end :]}"
    if value.start != value.end:
        raise UnusableError("something else than a list")
    column = field.key.start - _line_start(text, field.key.start)
    return _with_lines(text, _line_end(text, field.key.end), f"{' ' * column}- {_scalar(entry)}")


def _last_end(value: Span) -> int:
    """A block sequence ends where the next field begins: what counts is its last item."""
    return value.items[-1].end if value.items and not value.is_flow else value.end


def _end_of_content(text: str, found: Outline) -> int:
    """The end of the last line of the document that has something on it, be it a comment."""
    return _line_end(text, len(text[: found.end].rstrip()))


def _with_lines(text: str, at: int, lines: str) -> str:
    """``lines`` as lines of their own at ``at``, which is the end of a line with its line break, if any."""
    newline = _newline(text)
    if at and text[at - 1] != "\n":
        return f"{text[:at]}{newline}{lines}{text[at:]}"
    return f"{text[:at]}{lines}{newline}{text[at:]}"


def _without_lines(text: str, start: int, end: int) -> str:
    """If the last line has no line break, then neither has the one that becomes the last."""
    if end == len(text) and text[-1:] != "\n":
        return text[:start].removesuffix("\n").removesuffix("\r")
    return text[:start] + text[end:]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Behind the line break of the line; ``at`` itself at the start of a line, where a block has ended."""
    if at and text[at - 1] == "\n":
        return at
    return text.find("\n", at) + 1 or len(text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _has_blank_lines(text: str, found: Outline) -> bool:
    """Whether the fields are set apart from each other."""
    return any(
        _BLANK_LINE.search(text, _last_end(before.value), after.key.start)
        for before, after in zip(found.fields, found.fields[1:], strict=False)
    )


def _item_indent(found: Outline) -> int:
    """How far the items of the last block sequence stand to the right of its key."""
    columns = [
        field.value.column - found.column
        for field in found.fields
        if field.value.items and not field.value.is_flow
    ]
    return columns[-1] if columns else 0


def _is_json(text: str, value: Span) -> bool:
    return any(text[item.start] == '"' for item in value.items or ())


def _scalar(entry: str) -> str:
    return entry if _PLAIN.fullmatch(entry) and entry.lower() not in _WORDS else json.dumps(entry)
