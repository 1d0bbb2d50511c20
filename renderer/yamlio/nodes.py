"""The nodes of a YAML document as written: each key and value with its span in the text.

All code that needs the place of a value shares these nodes: findings (``marks``), edits (``splices``), the
lines that may be shown, and rewritten texts (``rewritten_text``). ``node_tree`` creates them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

from renderer.model.pattern import pattern
from renderer.yamlio.events import Position

_PROPERTIES = pattern(r"(?:[&!][^\s,\[\]{}]*\s+)+")
#: Entries of a lazy mapping that are created one by one before all of them are created.
_LOOKED_UP_SINGLY = 6


class Source:
    """The text that contains the nodes."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines, separated only by line feeds."""
        return self.text.split("\n")

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """The offset of each line."""
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def position(self, offset: int) -> Position:
        """Return the line and column of a character."""
        line = bisect_right(self.line_starts, offset) - 1
        return Position(line, offset - self.line_starts[line])


class Unread(Protocol):
    """The part of a text that contains the items of a lazy node."""

    def fill(self, node: Node) -> None:
        """Set ``items``, and ``own_end`` of a collection in brackets."""

    def find(self, key: str) -> tuple[Node, Node] | None:
        """Return the last entry with that key, without creating the others."""


class Node:
    """A key or value. All offsets are in characters of the text of ``source``.

    ``start`` is where it begins, with its anchor and tag. ``own_end`` is where it ends; None for a block,
    which ends with its last item. ``text`` is the value of a scalar, None for a collection. ``style`` is the
    character for its form: a quote, ``|`` or ``>``, ``[`` or ``{``, ``*`` for an alias; empty for plain text
    and for a block. ``items`` are the elements of a sequence, or the keys and values of a mapping in turn. An
    alias has the text and shares the items of its anchor.

    The items of a lazy node are created on first use. Nodes of a document must not be changed, because they
    are cached.
    """

    __slots__ = (
        *("_by_key", "_by_name", "_unread"),
        *("is_mapping", "items", "own_end", "source", "start", "style", "text"),
    )

    def __init__(  # noqa: PLR0913, PLR0917 (positional, as a large file has a million of them)
        self,
        source: Source,
        start: int,
        own_end: int | None,
        text: str | None,
        style: str,
        items: Sequence[Node] = (),
        is_mapping: bool = False,  # noqa: FBT001, FBT002 (as above)
    ) -> None:
        self.source = source
        self.start = start
        self.own_end = own_end
        self.text = text
        self.style = style
        self.items = items
        self.is_mapping = is_mapping
        self._unread: Unread | None = None
        self._by_key: dict[str | None, tuple[Node, Node] | None] | None = None
        self._by_name: dict[str, dict[str, int]] | None = None

    @classmethod
    def lazy(cls, source: Source, start: int, style: str, unread: Unread, *, is_mapping: bool) -> Node:
        """Return a collection whose items ``unread`` creates."""
        node = cls(source, start, None, None, style, (), is_mapping)
        del node.items
        node._unread, node._by_key = unread, {}
        return node

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - Python calls it for any slot without a value
        if name != "items":
            raise AttributeError(name)
        unread = self._unread
        if unread is not None:  # else another thread has just created them
            unread.fill(self)
            self._unread = self._by_key = None
        return object.__getattribute__(self, name)

    @property
    def end(self) -> int:
        """The offset after the last character."""
        items = self.items  # creating them may set the end
        return items[-1].end if self.own_end is None else self.own_end

    @property
    def position(self) -> Position:
        return self.source.position(self.start)

    @property
    def is_flow(self) -> bool:
        """Return True for a collection in brackets."""
        return self.style in ("[", "{")

    @property
    def is_block(self) -> bool:
        """Return True for a collection with lines of its own."""
        return self.text is None and not self.style

    @property
    def is_block_scalar(self) -> bool:
        return self.style in ("|", ">")

    @property
    def is_alias(self) -> bool:
        return self.style == "*"

    @property
    def is_nothing(self) -> bool:
        """Return True if the text has no characters for the value."""
        return self.text == "" and self.start == self.own_end

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Yield the keys and values of a mapping, nothing for any other value."""
        return zip(self.items[::2], self.items[1::2], strict=False) if self.is_mapping else iter(())

    def entry(self, key: str) -> tuple[Node, Node] | None:
        """Return the last entry with that key, the effective one if keys may be repeated."""
        known = self._by_key
        if self._unread is not None and known is not None:
            if key in known:
                return known[key]
            if len(known) < _LOOKED_UP_SINGLY:
                found = known[key] = self._unread.find(key) if self.is_mapping else None
                return found
        if known is None or self._unread is not None:
            self._by_key = known = {name.text: (name, value) for name, value in self.entries()}
        return known.get(key)

    def index(self, key: str, text: str, value_of: Callable[[Node, str], Node | None]) -> int | None:
        """Return the index of the first element whose entry ``key``, found by ``value_of``, has ``text``."""
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
        """Yield the node and all nodes below it in order, each once: aliases can make the tree a graph."""
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


def after_properties(line: str, column: int) -> int:
    """Return the column of the text after the anchor and tag at ``column``; ``column`` if there are none."""
    found = _PROPERTIES.match(line, column)
    return found.end() if found else column
