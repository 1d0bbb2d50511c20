"""Parse a document into nodes: line by line if ``line_reader`` can read it, else with libyaml's events.

A finding asks for one field of a document. Nodes of lines are lazy: lines that are not on the path to that
field are skipped, which takes a fifth of the time of libyaml's events. Both ways produce the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from renderer.model.run.limits import limits
from renderer.yamlio.dialects import RESOURCE_AS_WRITTEN
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource, ParserMark, read_events
from renderer.yamlio.line_reader import (
    BLANK,
    LINE_TABLES,
    BlockHeader,
    Line,
    RefusedError,
    block_text,
    end_of_key,
)
from renderer.yamlio.nodes import Node, Source

_QUOTES = "\"'"


class DocumentNodes(NamedTuple):
    """The first document of a text, which ends at offset ``end``.

    A document without a value has no root. If it is not ``is_whole``, collections are nested deeper than the
    limit, and the tree ends there.
    """

    root: Node | None
    end: int
    is_whole: bool = True


@lru_cache(maxsize=1)  # the locator of a finding also asks which lines of the document may be shown
def parse_document(text: str) -> DocumentNodes:
    """Return the nodes of the first document. Raises ``yaml.YAMLError``.

    Nothing is resolved: repeated keys and unknown aliases are kept.
    """
    try:
        return DocumentNodes(nodes_of_lines(text), len(text))
    except UnusableError:
        return document_of_events(text)


def document_of_events(text: str) -> DocumentNodes:
    """Return the same as ``parse_document``, with libyaml's events. Raises ``yaml.YAMLError``."""
    return _events_in(text, Source(text), 0)


def _events_in(text: str, source: Source, begin: int) -> DocumentNodes:
    """Return the nodes of ``text``, the part of ``source`` from offset ``begin`` on."""
    # libyaml does not count a byte order mark, PyYAML does.
    without_mark = text.lstrip("\ufeff")
    shift = begin + len(text) - len(without_mark)
    return read_events(without_mark, lambda events: _assemble(events, source, shift))


def _assemble(events: EventSource, source: Source, shift: int) -> DocumentNodes:
    next_event = events.get_event
    top: list[Node] = []
    items = top
    open_collections: list[tuple[Node, list[Node]]] = []  # each with the list of items that contains it
    anchors: dict[str, Node] = {}
    max_depth = limits().nesting
    while len(open_collections) <= max_depth:
        event = next_event()
        if isinstance(event, NodeEvent):
            node = _node(event, source, shift, anchors)
            items.append(node)
            if isinstance(event, CollectionStartEvent):
                open_collections.append((node, items))
                node.items = items = []
        elif isinstance(event, CollectionEndEvent):
            node, items = open_collections.pop()
            if node.is_flow:
                node.own_end = _index(event.end_mark) + shift
        elif isinstance(event, DocumentEndEvent | StreamEndEvent | None):
            end = _index(event.start_mark) + shift if event else len(source.text)
            return DocumentNodes(top[0] if top else None, end)
    for node, _ in open_collections:
        node.own_end = len(source.text)
    return DocumentNodes(top[0], len(source.text), is_whole=False)


def _node(event: NodeEvent, source: Source, shift: int, anchors: dict[str, Node]) -> Node:
    """Return the node that begins with an event; a collection has no items yet."""
    start, end = _index(event.start_mark) + shift, _index(event.end_mark) + shift
    if isinstance(event, ScalarEvent):
        style = event.style or ""
        if style in ("|", ">"):  # the event ends with the blank lines after the text
            end = start + len(source.text[start:end].rstrip())
        node = Node(source, start, end, event.value, style)
    elif isinstance(event, AliasEvent):
        known = anchors.get(event.anchor or "")
        if known is None:
            return Node(source, start, end, None, "*")
        return Node(source, start, end, known.text, "*", known.items, known.is_mapping)
    else:
        is_mapping = isinstance(event, MappingStartEvent)
        is_flow = isinstance(event, CollectionStartEvent) and event.flow_style
        style = ("{" if is_mapping else "[") if is_flow else ""
        node = Node(source, start, None, None, style, (), is_mapping)
    if event.anchor is not None:
        anchors[event.anchor] = node
    return node


def _index(mark: ParserMark | None) -> int:
    return mark.index if mark else 0


def nodes_of_lines(text: str) -> Node:
    """Return the root of a document that ``line_reader`` can read. Raises ``UnusableError`` for any other.

    Repeated keys are accepted as well.
    """
    lines = _Lines(text)
    if not lines.entries:
        raise RefusedError
    return lines.block(0, len(lines.entries))


class _Entry(NamedTuple):
    """A line with an entry or item: its number from 0, its meaning, and the text on the lines below it.

    ``after`` is the number of the line after it and that text.
    """

    number: int
    line: Line
    block: str | None
    after: int

    @property
    def level(self) -> int:
        return self.line[0]


class _Lines:
    """A document that is read line by line."""

    def __init__(self, text: str) -> None:
        self.source = Source(text)
        self.entries = _entries(self.source.lines, int(text.startswith("---\n")))

    def block(self, start: int, end: int, column: int | None = None) -> Node:
        """Return the mapping or list of some entries; ``column`` is set for a mapping that follows a dash."""
        entry = self.entries[start]
        level = entry.level if column is None else 2 * column
        place = self.source.line_starts[entry.number] + level // 2
        return Node.lazy(self.source, place, "", _Block(self, start, end, level), is_mapping=not level % 2)

    def entry(self, start: int, after: int, column: int) -> tuple[Node, Node]:
        """Return key and value of the entry at ``start``, whose value extends to the entry ``after``."""
        number, meaning, _, _ = self.entries[start]
        line, place = self.source.lines[number], self.source.line_starts[number]
        quote = line[column] if line[column] in _QUOTES else ""
        colon = end_of_key(line, column)
        name = line[column + len(quote) : colon - len(quote)]
        key = Node(self.source, place + column, place + colon, name, quote)
        if after > start + 1:
            return key, self.block(start + 1, after)
        if meaning[4] is not None:
            return key, Node(self.source, place + colon + 1, place + colon + 1, "", "")
        rest = line[colon + 1 :]
        return key, self.value(start, colon + 1 + len(rest) - len(rest.lstrip(" ")))

    def value(self, at: int, column: int) -> Node:
        """Return the value that begins on the line of an entry."""
        number, _, block, after = self.entries[at]
        text, place = self.source.lines[number][column:], self.source.line_starts[number] + column
        first = text[0]
        if block is not None:
            written = self.source.text[place : self.source.line_starts[after]].rstrip()
            return Node(self.source, place, place + len(written), block, first)
        if first in "[{":
            unread = _Brackets(self.source, place, text)
            return Node.lazy(self.source, place, first, unread, is_mapping=first == "{")
        if first not in _QUOTES:
            plain = text.partition(" #")[0].rstrip(" ")
            return Node(self.source, place, place + len(plain), plain, "")
        end = text.find(first, 1)
        while first == "'" and text.startswith(first, end + 1):
            end = text.find(first, end + 2)
        content = text[1:end]
        if first == "'":
            content = content.replace("''", "'")
        return Node(self.source, place, place + end + 1, content, first)

    def after(self, start: int, end: int, level: int) -> int:
        """Return the number of the first entry after the one at ``start`` that is not nested in it."""
        after = start + 1
        while after < end and self.entries[after].line[0] > level:
            after += 1
        return after


class _Block(NamedTuple):
    """The entries of a mapping or list."""

    lines: _Lines
    start: int
    end: int
    level: int

    def fill(self, node: Node) -> None:
        lines, start, end, level = self
        items: list[Node] = []
        while start < end:
            after = lines.after(start, end, level)
            if not level % 2:
                items += lines.entry(start, after, level // 2)
            else:
                _, inner, key, _, _ = lines.entries[start].line
                column = inner // 2
                items.append(lines.value(start, column) if key is None else lines.block(start, after, column))
            start = after
        node.items = items

    def find(self, key: str) -> tuple[Node, Node] | None:
        lines, start, end, level = self
        column, found = level // 2, None
        while start < end:
            after = lines.after(start, end, level)
            line = lines.source.lines[lines.entries[start].number]
            quote = line[column] if line[column] in _QUOTES else ""
            if line[column : end_of_key(line, column)] == f"{quote}{key}{quote}":
                found = start, after
            start = after
        return lines.entry(*found, column) if found else None


class _Brackets:
    """A collection in brackets on one line, and the text after it."""

    def __init__(self, source: Source, start: int, text: str) -> None:
        self._source, self._start, self._text = source, start, text

    @cached_property
    def _parsed(self) -> Node:
        # As an item, because keys in the root of a document have other rules.
        root = _events_in(f"- {self._text}", self._source, self._start - len("- ")).root
        return root.items[0]  # type: ignore[union-attr]  # the line reader has read it

    def fill(self, node: Node) -> None:
        node.items, node.own_end = self._parsed.items, self._parsed.own_end

    def find(self, key: str) -> tuple[Node, Node] | None:
        return self._parsed.entry(key)


def _entries(lines: Sequence[str], start: int) -> Sequence[_Entry]:
    """Return the entries from line ``start`` on. Raises ``UnusableError`` for lines that no table accepts."""
    table = LINE_TABLES[id(RESOURCE_AS_WRITTEN)]
    waiting = list(lines[start:])
    waiting.reverse()
    next_line, count = waiting.pop, len(lines)
    max_depth = limits().nesting - 1
    found: list[_Entry] = []
    above: list[int] = []
    here, is_open = BLANK[0] + 1, True
    while waiting:
        line = table[next_line()]
        number = count - len(waiting) - 1
        level, inner, key, value, opens = line
        if level > here:
            if not is_open or len(above) >= max_depth:
                raise RefusedError
            above.append(here)
            here = level
        elif level == BLANK[0]:
            continue
        else:
            while level < here:
                here = above.pop()
            if level != here:
                raise RefusedError
        if inner > 0 and key is not None:
            above.append(here)
            here = inner
        text = block_text(value, waiting, here // 2) if type(value) is BlockHeader else None
        found.append(_Entry(number, line, text, count - len(waiting)))
        is_open = opens is not None
    return found
