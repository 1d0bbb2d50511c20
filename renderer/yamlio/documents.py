"""A resource file cut into its documents."""

from __future__ import annotations

import re
from typing import NamedTuple

from renderer.yamlio.errors import LimitError, UnusableError
from renderer.yamlio.limits import MAX_DOCUMENTS

_SEPARATOR = re.compile(r"\n---(.*)\n")


class Chunk(NamedTuple):
    """The text of one document, and the line of the file that it begins on, from 0."""

    text: str
    first_line: int


def split_documents(text: str) -> list[Chunk]:
    """The documents, empty ones included: lines that begin with ``---`` separate them.

    kyaml ``kio/byteio_reader.go``. Raises ``UnusableError``, as when more than a comment follows there.
    """
    text = text.replace("\r\n", "\n")
    chunks: list[Chunk] = []
    start, line = 0, 0
    for separator in _SEPARATOR.finditer(text):
        if len(chunks) >= MAX_DOCUMENTS:
            raise LimitError(f"more than {MAX_DOCUMENTS} documents").at(line, 0)
        chunks.append(Chunk(text[start : separator.start() + 1], line))
        line += text.count("\n", start, separator.end())
        start = separator.end()
        rest = separator[1].strip()
        if rest and not rest.startswith("#"):
            raise UnusableError(
                "nothing but a comment may follow --- on its line", "write the rest on a line of its own"
            ).at(line - 1, len("---"))
    chunks.append(Chunk(text[start:], line))
    return chunks
