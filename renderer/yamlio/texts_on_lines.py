"""The texts of a file by line, for a search that must not miss a value because of how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.yamlio.documents import Chunk
from renderer.yamlio.events import MalformedError
from renderer.yamlio.node_tree import parse_document


class TextsOnLines:
    """The texts on the lines of the documents of a file, each parsed once. Lines count from 1."""

    def __init__(self, documents: Iterable[Chunk]) -> None:
        self._documents = documents

    def at(self, number: int) -> Sequence[str]:
        """Return the line, and the values of which it has a part, or all in another form."""
        return (*self._lines.get(number, ()), *self.unlike_line(number))

    def unlike_line(self, number: int) -> Sequence[str]:
        """Return the values of which a line has a part, or all in another form: folded, or with escapes."""
        return self._unlike_lines.get(number, ())

    @cached_property
    def _lines(self) -> Mapping[int, Sequence[str]]:
        return {
            number: (line,)
            for chunk in self._documents
            for number, line in enumerate(chunk.text.split("\n"), start=chunk.first_line + 1)
        }

    @cached_property
    def _unlike_lines(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        for chunk in self._documents:
            for lines, value in _values_unlike_lines(chunk):
                for number in lines:
                    found.setdefault(number, []).append(value)
        return found


def _values_unlike_lines(chunk: Chunk) -> Iterator[tuple[range, str]]:
    try:
        root = parse_document(chunk.text).root
    except MalformedError:  # its lines are as they are
        return
    for node in root.walk() if root else ():
        if not node.text:
            continue
        first, last = node.position.line, node.source.position(max(node.start, node.end - 1)).line
        if first < last or node.text not in node.source.lines[first]:
            yield range(chunk.first_line + first + 1, chunk.first_line + last + 2), node.text
