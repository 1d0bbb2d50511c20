"""Find keys and values in common YAML line by line: the nodes of ``nodes.py``, made when they are asked for.

What ``line_reader`` takes has nodes here; the rest is refused, but repeated keys are kept. A finding asks for
one field of a document: the lines beside the way to it are passed over, which takes a fifth of the time of
libyaml's events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from renderer.model.limits import limits
from renderer.yamlio.dialects import RESOURCE_AS_WRITTEN
from renderer.yamlio.line_reader import BLANK, LINE_TABLES, BlockHeader, Line, RefusedError, block_text
from renderer.yamlio.nodes import Node

_QUOTES = "\"'"
#: Entries of a mapping that are looked up singly, before all are made.
_LOOKED_UP_SINGLY = 6


class _Entry(NamedTuple):
    """A line with an entry or item: its number from 0, what it means, and the text on the lines below it."""

    number: int
    line: Line
    block: str | None

    @property
    def level(self) -> int:
        return self.line[0]


class _LazyNode(Node):
    """A collection whose ``items`` are made when they are asked for."""

    __slots__ = ("_make",)

    def __init__(
        self, line: int, column: int, *, is_mapping: bool, make: Callable[[], Sequence[Node]]
    ) -> None:
        # Without ``items``: Python asks ``__getattr__`` for what a slot does not hold yet.
        self.line, self.column = line, column
        self.text, self.is_mapping, self.is_literal = None, is_mapping, False
        self._by_key = self._by_name = None
        self._make = make

    def __getattr__(self, name: str) -> Sequence[Node]:
        if name != "items":
            raise AttributeError(name)
        self.items = self._make()
        return self.items


class _LazyMapping(_LazyNode):
    """A mapping of which ``find`` makes single entries; all are made for whoever asks for many."""

    __slots__ = ("_find", "_found")

    def __init__(
        self,
        line: int,
        column: int,
        *,
        make: Callable[[], Sequence[Node]],
        find: Callable[[str], tuple[Node, Node] | None],
    ) -> None:
        super().__init__(line, column, is_mapping=True, make=make)
        self._find = find
        self._found: dict[str, tuple[Node, Node] | None] = {}

    def entry(self, key: str) -> tuple[Node, Node] | None:
        if key in self._found:
            return self._found[key]
        if len(self._found) >= _LOOKED_UP_SINGLY:
            return super().entry(key)
        found = self._found[key] = self._find(key)
        return found


def line_nodes(text: str, parse_flow: Callable[[str], Node | None]) -> Node:
    """Return the root of a document. Raises ``UnusableError`` to refuse it.

    ``parse_flow`` returns the root of ``- [...]`` or ``- {...}``.
    """
    return _Document(text, parse_flow).root()


class _Document:
    def __init__(self, text: str, parse_flow: Callable[[str], Node | None]) -> None:
        self._lines = text.split("\n")
        self._entries = _entries(self._lines, int(text.startswith("---\n")))
        self._parse_flow = parse_flow

    def root(self) -> Node:
        if not self._entries:
            raise RefusedError
        return self._block(0, len(self._entries))

    def _block(self, start: int, end: int, column: int | None = None) -> Node:
        """Return the mapping or list of some entries; ``column`` is that of a mapping behind a dash."""
        number, line, _ = self._entries[start]
        level = line[0] if column is None else 2 * column
        if level % 2:
            make = partial(self._list, start, end, level)
            return _LazyNode(number, level // 2, is_mapping=False, make=make)
        make, find = partial(self._mapping, start, end, level), partial(self._find, start, end, level)
        return _LazyMapping(number, level // 2, make=make, find=find)

    def _list(self, start: int, end: int, level: int) -> Sequence[Node]:
        items = []
        while start < end:
            after = self._after(start, end, level)
            _, inner, key, _, _ = self._entries[start].line
            column = inner // 2
            items.append(
                self._value(start, column) if key is None else self._block(start, after, column),
            )
            start = after
        return items

    def _mapping(self, start: int, end: int, level: int) -> Sequence[Node]:
        items: list[Node] = []
        while start < end:
            after = self._after(start, end, level)
            items += self._entry(start, after, level // 2)
            start = after
        return items

    def _find(self, start: int, end: int, level: int, name: str) -> tuple[Node, Node] | None:
        """Return the last entry of that name, which is the one that counts."""
        column, found = level // 2, None
        while start < end:
            after = self._after(start, end, level)
            line = self._lines[self._entries[start].number]
            quote = line[column] if line[column] in _QUOTES else ""
            if line.startswith(f"{quote}{name}{quote}:", column):
                found = start, after
            start = after
        return self._entry(*found, column) if found else None

    def _entry(self, start: int, after: int, column: int) -> tuple[Node, Node]:
        """Return key and value of the entry at ``start``, below which are the entries before ``after``."""
        number, meaning, _ = self._entries[start]
        line = self._lines[number]
        quote = line[column] if line[column] in _QUOTES else ""
        colon = line.index(f"{quote}:", column + len(quote)) + len(quote)
        key = _scalar(number, column, line[column + len(quote) : colon - len(quote)])
        if after > start + 1:
            return key, self._block(start + 1, after)
        if meaning[4] is not None:
            return key, _scalar(number, colon + 1, "")
        rest = line[colon + 1 :]
        return key, self._value(start, colon + 1 + len(rest) - len(rest.lstrip(" ")))

    def _after(self, start: int, end: int, level: int) -> int:
        """Return the number of the entry behind the one at ``start`` and all below it."""
        after = start + 1
        while after < end and self._entries[after].line[0] > level:
            after += 1
        return after

    def _value(self, at: int, column: int) -> Node:
        number, _, block = self._entries[at]
        text = self._lines[number][column:]
        if block is not None:
            return Node(number, column, block, (), is_mapping=False, is_literal=text[0] == "|")
        if text[0] in "[{":
            return self._flow(number, column, text)
        if text[0] not in _QUOTES:
            return _scalar(number, column, text.partition(" #")[0].rstrip(" "))
        quote = text[0]
        end = text.find(quote, 1)
        while quote == "'" and text.startswith(quote, end + 1):
            end = text.find(quote, end + 2)
        content = text[1:end]
        return _scalar(number, column, content.replace("''", "'") if quote == "'" else content)

    def _flow(self, number: int, column: int, text: str) -> Node:
        def make() -> Sequence[Node]:
            # Behind as much as stands before it, so that columns are those of the document; lines are not.
            root = self._parse_flow(" " * (column - 2) + f"- {text}")
            found = root.items[0].items if root else ()
            _move_down(found, number)
            return found

        return _LazyNode(number, column, is_mapping=text[0] == "{", make=make)


def _move_down(nodes: Sequence[Node], lines: int) -> None:
    """Add ``lines`` to the lines of nodes that nobody else has yet, and of all below them."""
    for node in nodes:
        node.line += lines
        _move_down(node.items, lines)


def _scalar(line: int, column: int, text: str) -> Node:
    return Node(line, column, text, (), is_mapping=False, is_literal=False)


def _entries(lines: Sequence[str], start: int) -> Sequence[_Entry]:
    """Return the entries from line ``start`` on. Raises ``UnusableError`` for what no table of lines has."""
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
        found.append(_Entry(number, line, text))
        is_open = opens is not None
    return found
