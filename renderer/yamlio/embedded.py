"""YAML inside the scalars of YAML, such as the patches that a kustomization holds itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.yamlio.documents import split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.nodes import Node, parse_nodes
from renderer.yamlio.places import Place


class Embedded(NamedTuple):
    """A document in a scalar; ``first_line`` is the line of the scalar's text that it begins on."""

    root: Node
    scalar: Node
    first_line: int
    lines: Sequence[str]

    def outer(self, inner: Place) -> Place:
        """Where a place of the document is in the file around it."""
        return place_in_file(self.scalar, Place(self.first_line + inner.line, inner.column), self.lines)


def place_in_file(scalar: Node, inner: Place, lines: Sequence[str]) -> Place:
    """Where a place of the scalar's text is in the file, as far as it has a line of its own there.

    In a literal scalar it has; in any other style the text is folded or quoted, and the scalar is named.
    """
    line = scalar.place.line + 1 + inner.line
    text = (scalar.text or "").split("\n")
    if not scalar.is_literal or line >= len(lines) or inner.line >= len(text):
        return scalar.place
    indent = len(lines[line].rstrip("\r")) - len(text[inner.line])
    return Place(line, max(indent, 0) + inner.column)


def embedded_documents(scalar: Node, lines: Sequence[str]) -> Iterator[Embedded]:
    """The mappings and sequences in the text of ``scalar``; ``lines`` are those of the document around it."""
    try:
        chunks = split_documents(scalar.text or "")
    except UnusableError:
        return
    for chunk in chunks:
        try:
            root = parse_nodes(chunk.text)
        except YAMLError:
            continue
        if root and root.text is None:
            yield Embedded(root, scalar, chunk.first_line, lines)
