"""A YAML text with some values set, written anew as go-yaml v3 writes its nodes.

Order, comments, quotes, folds and brackets of the source stay; indentation, blank lines and the space before
comments are those of the writer (kyaml ``yaml/alias.go`` NewEncoder: two spaces, lists not indented).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from yaml.error import YAMLError
from yaml.events import (
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from renderer.model.json import Json, scalar_text
from renderer.model.limits import limits
from renderer.yamlio.dialects import folded_lines
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource, read_parsed_lines
from renderer.yamlio.scalar_text import UNPRINTABLE, Style, block_hints, in_one_line, style_of
from renderer.yamlio.scalars import CORE_RULES, Kind, resolve

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")


class NotRewritableError(Exception):
    """The text has something that is not kept: anchors, tags, complex keys, comments between brackets."""


@dataclass(slots=True)
class _Node:
    """A value; ``style`` is the sign of a quoted or block scalar, or ``[`` for a collection in brackets.

    ``is_text``: quotes are needed if the text would be read as something else.
    """

    style: str = ""
    text: str = ""
    is_text: bool = False
    entries: dict[str, tuple[_Node, _Node]] | None = None
    elements: list[_Node] | None = None
    line: int = -1
    column: int = -1
    end_line: int = -1

    @property
    def is_block(self) -> bool:
        return bool(self.entries or self.elements) and self.style != "["


class NewValue(NamedTuple):
    """A value to write. ``text`` is a scalar's; together with the present quotes it decides the type."""

    value: Json
    text: str


def rewritten_text(text: str, changes: Iterable[tuple[tuple[str | int, ...], NewValue]]) -> str:
    """Return ``text`` with each value set at its path. Raises ``NotRewritableError``."""
    reader = _Reader(text)
    try:
        root = read_parsed_lines(text, reader.document)
    except (YAMLError, UnusableError) as error:
        raise NotRewritableError(str(error)) from None
    for path, written in changes:
        _set(root, path, written)
    return "\n".join(_Writer(reader).document(root)).strip()


class _Reader:
    """A reader of nodes, and then of the comments, for which there are no events."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._scalars: dict[int, list[tuple[int, int]]] = {}
        self._brackets: list[tuple[int, int]] = []

    def document(self, source: EventSource) -> _Node:
        source.get_event()
        source.get_event()
        return self._node(source.get_event(), source, 0)

    def comments(self) -> Iterator[tuple[int, int, str, bool]]:
        """Yield line, column and text of each comment, and whether it has a line of its own."""
        for number, line in enumerate(self._lines):
            if "#" not in line:
                continue
            bare = line
            for start, end in self._scalars.get(number, ()):
                bare = bare[:start] + "x" * (min(end, len(line)) - start) + bare[end:]
            found = _COMMENT.search(bare)
            if found is None:
                continue
            if any(first <= number < last for first, last in self._brackets):
                raise NotRewritableError("a comment stands between brackets")
            yield number, found.start(), line[found.start() :], not bare[: found.start()].strip()

    def is_blank(self, line: int) -> bool:
        return 0 <= line < len(self._lines) and not self._lines[line].strip()

    def _node(self, event: Event | None, source: EventSource, depth: int) -> _Node:
        if depth > limits().nesting:
            raise NotRewritableError("too many levels")
        if not isinstance(event, NodeEvent) or event.anchor is not None or getattr(event, "tag", None):
            raise NotRewritableError("an anchor, an alias or a tag")
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:
            raise NotRewritableError("a value without a place")
        node = _Node(line=start.line, column=start.column, end_line=end.line)
        if isinstance(event, ScalarEvent):
            node.text, node.style = event.value, event.style or ""
            node.is_text = bool(node.style) or _is_text(event.value)
            for number in range(start.line, end.line + 1):
                first = start.column if number == start.line else 0
                last = end.column if number == end.line else len(self._lines[number])
                self._scalars.setdefault(number, []).append((first, last))
            return node
        if isinstance(event, MappingStartEvent | SequenceStartEvent):
            node.style = "[" if event.flow_style else ""
            self._fill(node, source, depth + 1, is_mapping=isinstance(event, MappingStartEvent))
        return node

    def _fill(self, node: _Node, source: EventSource, depth: int, *, is_mapping: bool) -> None:
        if is_mapping:
            node.entries = {}
        else:
            node.elements = []
        while not isinstance(event := source.get_event(), MappingEndEvent | SequenceEndEvent):
            child = self._node(event, source, depth)
            if node.elements is not None:
                node.elements.append(child)
            elif node.entries is not None:
                if child.entries is not None or child.elements is not None or child.text in node.entries:
                    raise NotRewritableError("a key that is no text, or stands there twice")
                node.entries[child.text] = child, self._node(source.get_event(), source, depth)
        if node.style and event.end_mark is not None:
            node.end_line = event.end_mark.line
            self._brackets.append((node.line, node.end_line))


def _is_text(text: str) -> bool:
    return resolve(text, CORE_RULES).kind is Kind.STR


def _set(node: _Node, path: tuple[str | int, ...], written: NewValue) -> None:
    """Set a value; a scalar keeps its quotes and its type, missing fields are made."""
    for segment in path:
        if isinstance(segment, int):
            node.elements = [] if node.elements is None else node.elements
            node.elements += [_Node() for _ in range(segment + 1 - len(node.elements))]
            node = node.elements[segment]
        else:
            node.entries = {} if node.entries is None else node.entries
            key = _Node(text=segment, is_text=True)
            node = node.entries.setdefault(segment, (key, _Node()))[1]
    if isinstance(written.value, dict | list):
        made = _made(written.value)
        node.entries, node.elements, node.style, node.text = made.entries, made.elements, "", ""
    else:
        node.entries = node.elements = None
        node.text, node.style = written.text, "" if node.style == "[" else node.style


def _made(value: Json) -> _Node:
    if isinstance(value, dict):
        return _Node(entries={key: (_made(key), _made(child)) for key, child in value.items()})
    if isinstance(value, list):
        return _Node(elements=[_made(child) for child in value])
    return _Node(text=scalar_text(value), is_text=isinstance(value, str))


@dataclass(slots=True)
class _Block:
    """Comments on lines of their own, one after the other."""

    first: int
    column: int
    lines: list[str] = field(default_factory=list)

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


class _Writer:
    """A writer of nodes, line by line, with comments where the source has them."""

    def __init__(self, source: _Reader) -> None:
        self._source = source
        self._behind: dict[int, str] = {}
        self._blocks: deque[_Block] = deque()
        for line, column, text, is_alone in source.comments():
            if not is_alone:
                self._behind[line] = text
            elif self._blocks and self._blocks[-1].last == line - 1:
                self._blocks[-1].lines.append(text)
            else:
                self._blocks.append(_Block(line, column, [text]))
        self._last_pad = ""

    def document(self, root: _Node) -> Iterator[str]:
        if root.is_block:
            yield from self._collection(root, "")
        else:
            yield from self._lines_of("", root, "")
        for block in self._blocks:
            if self._source.is_blank(block.first - 1):
                yield ""
            yield from (f"{self._last_pad if block.column else ''}{line}" for line in block.lines)

    def _collection(self, node: _Node, pad: str) -> Iterator[str]:
        for key, value in (node.entries or {}).values():
            yield from self._comments_before(key, pad)
            head = f"{pad}{self._scalar(key, '')}:"
            if value.is_block:
                yield head + self._comment_behind(key)
                yield from self._collection(value, pad if value.elements else f"{pad}  ")
            else:
                yield from self._lines_of(f"{head} ", value, pad)
            self._last_pad = pad
        for element in node.elements or ():
            yield from self._comments_before(element, pad)
            if element.is_block:
                inner = list(self._collection(element, f"{pad}  "))
                yield f"{pad}- {inner[0].removeprefix(pad)[2:]}"
                yield from inner[1:]
            else:
                yield from self._lines_of(f"{pad}- ", element, pad)
            self._last_pad = pad

    def _lines_of(self, head: str, node: _Node, pad: str) -> Iterator[str]:
        if node.entries is not None or node.elements is not None:
            yield f"{head}{self._in_brackets(node)}{self._comment_behind(node)}"
            return
        style = "|" if not node.style and "\n" in node.text else node.style
        if style not in ("|", ">") or not node.text:
            yield f"{head}{self._scalar(node, '')}{self._comment_behind(node)}".rstrip()
            return
        yield f"{head}{style}{block_hints(node.text)}"
        lines = (
            node.text if style == "|" else folded_lines(node.text).replace("\n  ", "\n").removeprefix("  ")
        )
        for line in lines.removesuffix("\n").split("\n"):
            yield f"{pad}  {line}" if line else ""

    def _in_brackets(self, node: _Node) -> str:
        if node.entries is not None:
            pairs = (
                f"{self._scalar(key, ',')}: {self._inside(value)}" for key, value in node.entries.values()
            )
            return "{" + ", ".join(pair.rstrip() for pair in pairs) + "}"
        return "[" + ", ".join(map(self._inside, node.elements or ())) + "]"

    def _inside(self, node: _Node) -> str:
        is_scalar = node.entries is None and node.elements is None
        return self._scalar(node, ",[]{}") if is_scalar else self._in_brackets(node)

    def _scalar(self, node: _Node, special: str) -> str:
        """Return a scalar in one line; plain ones get the quotes that they need (go-yaml ``encode.go``)."""
        if node.style == "'" and "\n" not in node.text:
            return in_one_line(node.text, Style.SINGLE_QUOTED)
        if node.style:
            return in_one_line(node.text, Style.DOUBLE_QUOTED)
        if node.is_text and not _is_text(node.text):
            return in_one_line(node.text, Style.DOUBLE_QUOTED)
        if UNPRINTABLE.search(node.text) or "\n" in node.text:
            return in_one_line(node.text, Style.DOUBLE_QUOTED)
        needs_quotes = style_of(node.text) is Style.SINGLE_QUOTED or any(
            sign in node.text for sign in special
        )
        return in_one_line(node.text, Style.SINGLE_QUOTED) if needs_quotes and node.text else node.text

    def _comment_behind(self, node: _Node) -> str:
        comment = self._behind.pop(node.end_line, "")
        return f" {comment}" if comment else ""

    def _comments_before(self, node: _Node, pad: str) -> Iterator[str]:
        """Yield the comments above a node; a blank line after them stays, as they are no part of the node."""
        while node.line >= 0 and self._blocks and self._blocks[0].last < node.line:
            block = self._blocks.popleft()
            at = self._last_pad if block.column > node.column else pad
            yield from (f"{at}{line}" for line in block.lines)
            if self._source.is_blank(block.last + 1):
                yield ""
