"""Finds the line and column on which a field is written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.yamlio.dialects import MERGE_KEY
from renderer.yamlio.documents import Chunk, split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.nodes import Node, parse_nodes
from renderer.yamlio.places import Place
from renderer.yamlio.text import text_of


class Mark(NamedTuple):
    """A place in a file, counted from 1. Not ``exact``: the deepest ancestor of the field that exists."""

    line: int
    column: int
    exact: bool


class MarkedFile:
    """A file to look things up in: cut into documents once, and each of them parsed when it has its turn.

    ``document`` counts as ``decode_documents`` does. What cannot be parsed holds nothing.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._last: tuple[int, Node | None] = -1, None

    def find(self, document: int, field: FieldPath) -> Mark | None:
        """Where the key of ``field`` stands, or the element itself if it is one of a list.

        Aliases and ``<<`` are followed to where the value is written. None in a document that holds nothing.
        """
        node = self._root(document)
        if node is None:
            return None
        place, exact = _descend(node, field)
        return Mark(self._chunks[document].first_line + place.line + 1, place.column + 1, exact)

    def texts(self, document: int, fields: Iterable[FieldPath]) -> tuple[str | None, ...]:
        """What the scalars at ``fields`` say as they are written; None for what is none, or not there."""
        node = self._root(document)
        return tuple(_text(node, field) for field in fields)

    @cached_property
    def _chunks(self) -> list[Chunk]:
        try:
            return split_documents(text_of(self._content))
        except UnusableError:
            return []

    def _root(self, document: int) -> Node | None:
        """The last one is kept: what is asked for comes in the order of the file."""
        if self._last[0] != document:
            self._last = document, self._parsed(document)
        return self._last[1]

    def _parsed(self, document: int) -> Node | None:
        try:
            return parse_nodes(self._chunks[document].text)
        except (YAMLError, IndexError):
            return None


def find(content: bytes, document: int, field: FieldPath) -> Mark | None:
    """``MarkedFile.find`` in a file that is asked for one thing only."""
    return MarkedFile(content).find(document, field)


def _text(node: Node | None, field: FieldPath) -> str | None:
    for segment in field.segments:
        step = _step(node, segment) if node else None
        if step is None:
            return None
        node = step[1]
    return node.text if node else None


def _descend(node: Node, field: FieldPath) -> tuple[Place, bool]:
    place = node.place
    for segment in field.segments:
        step = _step(node, segment)
        if step is None:
            return place, False
        place, node = step
    return place, True


def _step(node: Node, segment: Segment) -> tuple[Place, Node] | None:
    if isinstance(segment, str):
        return _entry(node, segment)
    if isinstance(segment, int):
        elements = node.elements()[segment : segment + 1] if segment >= 0 else []
    else:
        elements = [element for element in node.elements() if _is_named(element, segment)]
    return (elements[0].place, elements[0]) if elements else None


def _entry(node: Node, name: str) -> tuple[Place, Node] | None:
    """The last entry of that name, as it is the one that counts where two are no error."""
    seen: set[Node] = set()
    waiting = [node]
    while waiting:
        mapping = waiting.pop(0)
        if mapping in seen:
            continue
        seen.add(mapping)
        found = [(key.place, value) for key, value in mapping.entries() if key.text == name]
        if found:
            return found[-1]
        for key, value in mapping.entries():
            if key.text == MERGE_KEY:
                waiting += [value] if value.is_mapping else value.elements()
    return None


def _is_named(element: Node, name: ElementName) -> bool:
    entry = _entry(element, name.key)
    return entry is not None and entry[1].text == name.value
