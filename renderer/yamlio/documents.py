"""A resource file cut into its documents."""

from __future__ import annotations

import re
from typing import NamedTuple

from renderer.model.limits import limits
from renderer.yamlio.errors import LimitError, UnusableError

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
    start, line, most = 0, 0, limits().documents
    for separator in _SEPARATOR.finditer(text):
        if len(chunks) >= most:
            raise LimitError("documents", f"more than {most} documents").at(line, 0)
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
