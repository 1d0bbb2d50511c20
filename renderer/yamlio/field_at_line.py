"""From a line of a file to the field that is written there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.field_path import ROOT, FieldPath
from renderer.yamlio.documents import split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.nodes import Node, parse_nodes
from renderer.yamlio.text import text_of


class WrittenField(NamedTuple):
    """A document, counted as ``decode_documents`` does, and a field of it, list elements by number."""

    document: int
    field: FieldPath


def field_at_line(content: bytes, line: int) -> WrittenField | None:
    """What is written on ``line``, from 1, or goes on there; None outside of any document.

    Of several it is the last, the innermost.
    """
    try:
        chunks = split_documents(text_of(content))
        number = max((n for n, chunk in enumerate(chunks) if chunk.first_line < line), default=0)
        root = parse_nodes(chunks[number].text)
    except (UnusableError, YAMLError):
        return None
    if root is None:
        return None
    in_chunk = line - 1 - chunks[number].first_line
    fields = [field for at, field in _fields(root, ROOT, set()) if at <= in_chunk]
    return WrittenField(number, fields[-1] if fields else ROOT)


def _fields(node: Node, at: FieldPath, seen: set[Node]) -> Iterator[tuple[int, FieldPath]]:
    """Every field below ``node`` and the line, from 0, of its key or element; each node once."""
    if node in seen:
        return
    seen.add(node)
    children = [(key.place.line, at.child(key.text or ""), value) for key, value in node.entries()]
    children += [(each.place.line, at.child(i), each) for i, each in enumerate(node.elements())]
    for line, field, value in children:
        yield line, field
        yield from _fields(value, field, seen)
