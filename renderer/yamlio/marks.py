"""Finds the line and column on which a field is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.yamlio.dialects import MERGE_KEY
from renderer.yamlio.documents import Chunk, split_documents
from renderer.yamlio.embedded import embedded_documents, place_in_file
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.nodes import Node, parse_nodes
from renderer.yamlio.places import Place
from renderer.yamlio.text import text_of
from renderer.yamlio.written_by_patch import is_json_patch, written_by


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
        self._last_lines: tuple[int, Sequence[str]] = -1, ()

    def find(self, document: int, field: FieldPath, indexed: FieldPath | None = None) -> Mark | None:
        """Where the key of ``field`` stands, or the element itself if it is one of a list.

        Aliases and ``<<`` are followed to where the value is written, and so is a text that holds YAML. In
        a JSON patch it is the operation that wrote the field; ``indexed`` is the field as such a patch names
        it. None in a document that holds nothing.
        """
        node = self._root(document)
        if node is None:
            return None
        chunk = self._chunks[document]
        place, exact = _find(node, field, indexed or field, self._lines(document))
        return Mark(chunk.first_line + place.line + 1, place.column + 1, exact)

    def find_in_text(self, document: int, field: FieldPath, line: int, column: int) -> Mark | None:
        """A line and column, from 1, of the text that the scalar at ``field`` holds."""
        node = self._root(document)
        for segment in field.segments:
            step = _step(node, segment) if node else None
            node = step[1] if step else None
        if node is None or node.text is None:
            return None
        chunk = self._chunks[document]
        place = place_in_file(node, Place(line - 1, column - 1), self._lines(document))
        return Mark(chunk.first_line + place.line + 1, place.column + 1, exact=True)

    def indexed(self, document: int, field: FieldPath) -> FieldPath:
        """The field with indices for the names of elements, as far as the document holds them."""
        node, segments = self._root(document), list[Segment]()
        for segment in field.segments:
            if node and isinstance(segment, ElementName):
                index = _index(node, segment)
                segment = segment if index is None else index  # noqa: PLW2901 - the same by another name
            step = _step(node, segment) if node else None
            node = step[1] if step else None
            segments.append(segment)
        return FieldPath(tuple(segments))

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

    def _lines(self, document: int) -> Sequence[str]:
        if self._last_lines[0] != document:
            self._last_lines = document, self._chunks[document].text.split("\n")
        return self._last_lines[1]

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


def _find(node: Node, field: FieldPath, indexed: FieldPath, lines: Sequence[str]) -> tuple[Place, bool]:
    if field.segments and isinstance(field.segments[0], str) and is_json_patch(node):
        return _find_in_patch(node, field, indexed)
    place = node.place
    for depth, segment in enumerate(field.segments):
        step = _step(node, segment)
        if step is None:
            rest = FieldPath(field.segments[depth:]), FieldPath(indexed.segments[depth:])
            return _find_in_text(node, *rest, lines) or (place, False)
        place, node = step
    return place, True


def _find_in_text(
    scalar: Node, field: FieldPath, indexed: FieldPath, lines: Sequence[str]
) -> tuple[Place, bool] | None:
    """In the first of the documents inside the scalar that holds the field."""
    for document in embedded_documents(scalar, lines) if scalar.text else ():
        place, exact = _find(document.root, field, indexed, ())
        if exact:
            return document.outer(place), True
    return None


def _find_in_patch(patch: Node, field: FieldPath, indexed: FieldPath) -> tuple[Place, bool]:
    found = written_by(patch, field, indexed)
    if found is None:
        return patch.place, False
    operation, rest = found
    place, value = _entry(operation, "value") or (operation.place, operation)
    if not rest.segments:
        return place, True
    inner, exact = _find(value, rest, rest, ())
    return (inner, True) if exact else (place, False)


def _step(node: Node, segment: Segment) -> tuple[Place, Node] | None:
    if isinstance(segment, str):
        return _entry(node, segment)
    if isinstance(segment, int):
        elements = node.elements()[segment : segment + 1] if segment >= 0 else []
    else:
        index = _index(node, segment)
        elements = [] if index is None else [node.elements()[index]]
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
        found = mapping.entry(name)
        if found:
            return found[0].place, found[1]
        for key, value in mapping.entries():
            if key.text == MERGE_KEY:
                waiting += [value] if value.is_mapping else value.elements()
    return None


def _index(sequence: Node, name: ElementName) -> int | None:
    """Which element has the name."""
    return sequence.index(name.key, name.value, _value)


def _value(mapping: Node, key: str) -> Node | None:
    entry = _entry(mapping, key)
    return entry[1] if entry else None
