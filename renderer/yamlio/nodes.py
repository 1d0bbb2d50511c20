"""A document as it is written, with the position of every key and value; slow, for messages only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
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

from renderer.model.limits import limits
from renderer.model.pattern import pattern
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import CLOSING_BRACKETS, EventSource, Position, position_of, read_events


class Node:
    """A value: ``text`` of a scalar, ``items`` of a collection, in a mapping keys and values in turn.

    ``is_literal``: it is a scalar in the style of ``|``, whose lines are those of the file. An alias has its
    own position and shares the items of its anchor.
    """

    __slots__ = ("_by_key", "_by_name", "column", "is_literal", "is_mapping", "items", "line", "text")

    def __init__(  # noqa: PLR0913, PLR0917 (positional, as a large file has a million of them)
        self,
        line: int,
        column: int,
        text: str | None,
        items: Sequence[Node],
        is_mapping: bool,  # noqa: FBT001 (as above)
        is_literal: bool,  # noqa: FBT001 (as above)
    ) -> None:
        self.line = line
        self.column = column
        self.text = text
        self.items = items
        self.is_mapping = is_mapping
        self.is_literal = is_literal
        self._by_key: dict[str | None, tuple[Node, Node]] | None = None
        self._by_name: dict[str, dict[str, int]] | None = None

    @property
    def position(self) -> Position:
        return Position(self.line, self.column)

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values of a mapping, nothing for any other value."""
        return zip(self.items[::2], self.items[1::2], strict=False) if self.is_mapping else iter(())

    def entry(self, key: str) -> tuple[Node, Node] | None:
        """Return the last entry of that key, which counts where repeated keys are no error."""
        if self._by_key is None:
            self._by_key = {name.text: (name, value) for name, value in self.entries()}
        return self._by_key.get(key)

    def index(self, key: str, text: str, value_of: Callable[[Node, str], Node | None]) -> int | None:
        """Return the first element whose entry ``key``, found by ``value_of``, has ``text``."""
        if self._by_name is None:
            self._by_name = {}
        if key not in self._by_name:
            names = self._by_name[key] = {}
            for index, element in enumerate(self.elements()):
                value = value_of(element, key)
                if value is not None and value.text is not None:
                    names.setdefault(value.text, index)
        return self._by_name[key].get(text)

    def elements(self) -> Sequence[Node]:
        """Return the elements of a sequence, nothing for any other value."""
        return () if self.is_mapping else self.items

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it in order, each once, because aliases can make the tree a graph."""
        seen: set[Node] = set()
        expanded: set[int] = set()  # the ids of lists of items, which an alias shares with its anchor
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                yield node
                if id(node.items) not in expanded:
                    expanded.add(id(node.items))
                    waiting += reversed(node.items)


@lru_cache(maxsize=1)  # whoever locates a finding also asks which lines of that document may be shown
def parse_nodes(text: str) -> Node | None:
    """Return the root of the first document, None without one. Raises ``yaml.YAMLError``.

    Nothing is resolved: repeated keys and unknown aliases are kept. The tree ends where the nesting becomes
    too deep. The nodes must not be changed.
    """
    from renderer.yamlio.line_nodes import line_nodes  # noqa: PLC0415 - it makes the nodes of this module

    try:
        return line_nodes(text, nodes_of_events)
    except UnusableError:
        return nodes_of_events(text)


def nodes_of_events(text: str) -> Node | None:
    """Return the root of the first document as ``parse_nodes``, for any text."""
    return read_events(text, _assemble)


def _assemble(source: EventSource) -> Node | None:
    next_event = source.get_event
    top: list[Node] = []
    items, above = top, list[list[Node]]()
    anchors: dict[str, Node] = {}
    max_depth = limits().nesting
    while True:
        event = next_event()
        if type(event) is ScalarEvent and event.anchor is None:
            mark = event.start_mark
            items.append(Node(mark.line, mark.column, event.value, (), False, event.style == "|"))  # type: ignore[union-attr]  # noqa: FBT003
        elif isinstance(event, NodeEvent):
            node, inner = _node(event, anchors)
            items.append(node)
            if inner is not None:
                above.append(items)
                items = inner
        elif isinstance(event, CollectionEndEvent):
            items = above.pop()
        elif isinstance(event, DocumentEndEvent | StreamEndEvent | None):
            break
        if len(above) > max_depth:
            break
    return top[0] if top else None


def _node(event: NodeEvent, anchors: dict[str, Node]) -> tuple[Node, list[Node] | None]:
    """The node, and the list for its children if it is a collection."""
    line, column = position_of(event)
    if isinstance(event, AliasEvent):
        known = anchors.get(event.anchor or "")
        if known is None:
            return Node(line, column, None, (), is_mapping=False, is_literal=False), None
        return Node(line, column, known.text, known.items, known.is_mapping, known.is_literal), None
    inner = list[Node]() if isinstance(event, CollectionStartEvent) else None
    node = Node(
        line,
        column,
        event.value if isinstance(event, ScalarEvent) else None,
        () if inner is None else inner,
        isinstance(event, MappingStartEvent),
        isinstance(event, ScalarEvent) and event.style == "|",
    )
    if event.anchor is not None:
        anchors[event.anchor] = node
    return node, inner


#: An anchor or a tag before a value.
_PROPERTIES = pattern(r"(?:[&!][^\s,\[\]{}]*\s+)+")
_BLOCK_HEADER = pattern(r"[|>][-+0-9]*")
_ALIAS = pattern(r"\*[^\s,\[\]{}]+")
_COMMENT = pattern(r"(?:^|\s)#.*")
_SINGLE_QUOTED = pattern(r"'(?:[^']|'')*'")
_DOUBLE_QUOTED = pattern(r'"(?:[^"\\]|\\.)*"')
#: Characters that are looked at; reports show fewer.
_LONGEST = 1000


class WrittenSpan(NamedTuple):
    """Columns of a line, from 0; ``end`` is the first that no longer belongs to it."""

    column: int
    end: int


def scalar_span(node: Node, line: str, column: int) -> WrittenSpan:
    """Return the span of the scalar or alias at ``column``, without its anchor and tag.

    Of one that goes on on other lines it is that of its first line, and of a block its header.
    """
    line = line[: column + _LONGEST]
    column = after_properties(line, column)
    for form in (_ALIAS, _BLOCK_HEADER, _DOUBLE_QUOTED, _SINGLE_QUOTED):
        found = form.match(line, column)
        if found:
            return WrittenSpan(column, found.end())
    if node.text and line.startswith(node.text, column):
        return WrittenSpan(column, column + len(node.text))
    if line[column : column + 1] in ("'", '"'):
        return WrittenSpan(column, len(line.rstrip()))
    return _rest(line, column) if node.text else WrittenSpan(column, column)


def collection_span(line: str, column: int) -> WrittenSpan | None:
    """Return the span of the collection in brackets at ``column``; None where there is none."""
    line = line[: column + _LONGEST]
    column = after_properties(line, column)
    alias = _ALIAS.match(line, column)
    if alias:
        return WrittenSpan(column, alias.end())
    if line[column : column + 1] not in CLOSING_BRACKETS:
        return None
    waiting: list[str] = []
    at = column
    while at < len(line):
        quoted = _DOUBLE_QUOTED.match(line, at) or _SINGLE_QUOTED.match(line, at)
        character = line[at]
        if quoted and not line[at - 1].isalnum():
            at = quoted.end()
            continue
        if character in CLOSING_BRACKETS:
            waiting.append(CLOSING_BRACKETS[character])
        elif character == waiting[-1]:
            waiting.pop()
            if not waiting:
                return WrittenSpan(column, at + 1)
        at += 1
    return _rest(line, column)


def element_span(line: str, column: int) -> WrittenSpan:
    """Return the span of an element of a list: brackets, or the first line of a block."""
    return collection_span(line, column) or _rest(line, column)


def after_properties(line: str, column: int) -> int:
    """Return the column of what stands behind the anchor and tag at ``column``, if any does."""
    found = _PROPERTIES.match(line, column)
    return found.end() if found else column


def _rest(line: str, column: int) -> WrittenSpan:
    """The rest of the line without a comment."""
    text = line[column : column + _LONGEST]
    return WrittenSpan(column, column + len(_COMMENT.sub("", text, count=1).rstrip()))
