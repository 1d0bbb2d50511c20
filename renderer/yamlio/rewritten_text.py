"""A YAML text with some values set, rewritten in the form in which go-yaml v3 writes its nodes.

Order, comments, quotes, folds and brackets of the source stay; indentation, blank lines and the space before
comments are the writer's (kyaml ``yaml/alias.go`` NewEncoder: two spaces, lists not indented).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.kube.json import Json, scalar_text
from renderer.yamlio.dialects import folded_lines
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node, Source
from renderer.yamlio.scalar_text import UNPRINTABLE, Style, block_hints, in_one_line, style_of
from renderer.yamlio.scalars import CORE_RULES, Kind, resolve

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_IN_A_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]")
#: The source of nodes that are not in the text.
_NEW = Source("")


class NotRewritableError(Exception):
    """The text has something that cannot be kept: an anchor, a tag, a complex key, a comment in brackets."""


class NewValue(NamedTuple):
    """A value to write; ``text`` is the text of a scalar, whose type also depends on the present quotes."""

    value: Json
    text: str


def rewritten_text(text: str, changes: Iterable[tuple[tuple[str | int, ...], NewValue]]) -> str:
    """Return ``text`` with each value set at its path. Raises ``NotRewritableError``."""
    try:
        root, _, is_whole = parse_document(text)
    except YAMLError as error:
        raise NotRewritableError(str(error)) from None
    if root is None or not is_whole:
        raise NotRewritableError("there is no value, or it has too many levels")
    _check_rewritable(root)
    writer = _Writer(text, root)
    for path, new in changes:
        root = _with_value(root, path, new)
    return "\n".join(writer.document(root)).strip()


def _check_rewritable(root: Node) -> None:
    for node in root.walk():
        if node.is_alias or (not node.is_nothing and node.source.text[node.start] in "&!"):
            raise NotRewritableError("an anchor, an alias or a tag")
        keys = [key.text for key, _ in node.entries()]
        if None in keys or len({*keys}) < len(keys):
            raise NotRewritableError("a key that is not a text, or that is repeated")


def _comments_in(text: str, root: Node) -> Iterator[tuple[int, int, str, bool]]:
    """Yield line, column and text of each comment, and True if it has a line of its own."""
    parts: list[str] = []
    at = 0
    for node in root.walk():
        if node.text is not None:
            parts += text[at : node.start], _IN_A_LINE.sub("x", text[node.start : node.end])
            at = node.end
    without_scalars = "".join([*parts, text[at:]]).splitlines()
    for number, (line, bare) in enumerate(zip(text.splitlines(), without_scalars, strict=True)):
        found = _COMMENT.search(bare)
        if found:
            yield number, found.start(), line[found.start() :], not bare[: found.start()].strip()


def _is_text(text: str) -> bool:
    try:
        return resolve(text, CORE_RULES).kind is Kind.STR
    except UnusableError:  # not a JSON value, such as .inf
        return False


def _with_value(node: Node, path: tuple[str | int, ...], new: NewValue) -> Node:
    """Return a node with a value set below it; missing fields are created."""
    if path:
        segment, rest = path[0], path[1:]
        nothing = Node(_NEW, -1, -1, "", "")
        if isinstance(segment, int):
            items = [*node.elements()]
            items += [nothing] * (segment + 1 - len(items))
            items[segment] = _with_value(items[segment], rest, new)
        else:
            items = [*node.items] if node.is_mapping else []
            names = [key.text for key in items[::2]]
            if segment not in names:
                names.append(segment)
                items += _new_node(segment), nothing
            at = 2 * names.index(segment) + 1
            items[at] = _with_value(items[at], rest, new)
        return _replacement(
            node, None, node.style if node.is_flow else "", items, is_mapping=isinstance(segment, str)
        )
    if isinstance(new.value, dict | list):
        made = _new_node(new.value)
        return _replacement(node, None, made.style, made.items, is_mapping=made.is_mapping)
    # A scalar keeps its quotes or, if it has none, its type.
    style = "" if node.text is None else node.style
    if not style and _is_text(node.text or "") and not _is_text(new.text):
        style = '"'
    return _replacement(node, new.text, style)


def _replacement(
    node: Node, text: str | None, style: str, items: Sequence[Node] = (), *, is_mapping: bool = False
) -> Node:
    """Return another value in place of ``node``; a block is replaced where it begins."""
    end = node.start if node.is_block else node.end
    return Node(node.source, node.start, end, text, style, items, is_mapping)


def _new_node(value: Json) -> Node:
    if isinstance(value, dict):
        entries = [_new_node(each) for entry in value.items() for each in entry]
        return Node(_NEW, -1, -1, None, "" if entries else "{", entries, is_mapping=True)
    if isinstance(value, list):
        return Node(_NEW, -1, -1, None, "" if value else "[", [_new_node(child) for child in value])
    text = scalar_text(value)
    return Node(_NEW, -1, -1, text, '"' if isinstance(value, str) and not _is_text(text) else "")


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

    def __init__(self, text: str, root: Node) -> None:
        self._lines = text.splitlines()
        self._starts = [*accumulate(map(len, text.splitlines(keepends=True)), initial=0)]
        self._trailing: dict[int, str] = {}
        self._blocks: deque[_Block] = deque()
        in_brackets = [(self._line(each.start), self._line(each.end)) for each in root.walk() if each.is_flow]
        for line, column, comment, is_alone in _comments_in(text, root):
            if any(first <= line < last for first, last in in_brackets):
                raise NotRewritableError("a comment in brackets")
            if not is_alone:
                self._trailing[line] = comment
            elif self._blocks and self._blocks[-1].last == line - 1:
                self._blocks[-1].lines.append(comment)
            else:
                self._blocks.append(_Block(line, column, [comment]))
        self._last_pad = ""

    def _line(self, offset: int) -> int:
        """Return the line of a character in YAML's line count; -1 for a node that is not in the text."""
        return -1 if offset < 0 else bisect_right(self._starts, offset) - 1

    def _is_blank(self, line: int) -> bool:
        return 0 <= line < len(self._lines) and not self._lines[line].strip()

    def document(self, root: Node) -> Iterator[str]:
        if root.is_block:
            yield from self._collection(root, "")
        else:
            yield from self._lines_of("", root, "")
        for block in self._blocks:
            if self._is_blank(block.first - 1):
                yield ""
            yield from (f"{self._last_pad if block.column else ''}{line}" for line in block.lines)

    def _collection(self, node: Node, pad: str) -> Iterator[str]:
        for key, value in node.entries():
            yield from self._comments_before(key, pad)
            head = f"{pad}{self._scalar(key, '')}:"
            if value.is_block:
                yield head + self._comment_after(key)
                yield from self._collection(value, f"{pad}  " if value.is_mapping else pad)
            else:
                yield from self._lines_of(f"{head} ", value, pad)
            self._last_pad = pad
        for element in node.elements():
            yield from self._comments_before(element, pad)
            if element.is_block:
                inner = list(self._collection(element, f"{pad}  "))
                yield f"{pad}- {inner[0].removeprefix(pad)[2:]}"
                yield from inner[1:]
            else:
                yield from self._lines_of(f"{pad}- ", element, pad)
            self._last_pad = pad

    def _lines_of(self, head: str, node: Node, pad: str) -> Iterator[str]:
        if node.text is None:
            yield f"{head}{self._in_brackets(node)}{self._comment_after(node)}"
            return
        style = "|" if not node.style and "\n" in node.text else node.style
        if style not in ("|", ">") or not node.text:
            yield f"{head}{self._scalar(node, '')}{self._comment_after(node)}".rstrip()
            return
        yield f"{head}{style}{block_hints(node.text)}"
        lines = (
            node.text if style == "|" else folded_lines(node.text).replace("\n  ", "\n").removeprefix("  ")
        )
        for line in lines.removesuffix("\n").split("\n"):
            yield f"{pad}  {line}" if line else ""

    def _in_brackets(self, node: Node) -> str:
        if node.is_mapping:
            pairs = (f"{self._scalar(key, ',')}: {self._inside(value)}" for key, value in node.entries())
            return "{" + ", ".join(pair.rstrip() for pair in pairs) + "}"
        return "[" + ", ".join(map(self._inside, node.elements())) + "]"

    def _inside(self, node: Node) -> str:
        return self._in_brackets(node) if node.text is None else self._scalar(node, ",[]{}")

    def _scalar(self, node: Node, special: str) -> str:
        """Return a scalar in one line; plain ones get the quotes that they need (go-yaml ``encode.go``)."""
        text = node.text or ""
        if node.style == "'" and "\n" not in text:
            return in_one_line(text, Style.SINGLE_QUOTED)
        if node.style or UNPRINTABLE.search(text) or "\n" in text:
            return in_one_line(text, Style.DOUBLE_QUOTED)
        needs_quotes = style_of(text) is Style.SINGLE_QUOTED or any(sign in text for sign in special)
        return in_one_line(text, Style.SINGLE_QUOTED) if needs_quotes and text else text

    def _comment_after(self, node: Node) -> str:
        comment = self._trailing.pop(self._line(node.end), "")
        return f" {comment}" if comment else ""

    def _comments_before(self, node: Node, pad: str) -> Iterator[str]:
        """Yield the comments above a node; a blank line after them is kept."""
        line = self._line(node.start)
        while self._blocks and self._blocks[0].last < line:
            block = self._blocks.popleft()
            at = self._last_pad if block.column > node.start - self._starts[line] else pad
            yield from (f"{at}{comment}" for comment in block.lines)
            if self._is_blank(block.last + 1):
                yield ""
