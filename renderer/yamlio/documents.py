"""Cut the text of a file into its YAML documents."""

from __future__ import annotations

import re
from typing import NamedTuple

from renderer.model.limits import limits
from renderer.yamlio.errors import LimitError, UnusableError


def text_of(content: bytes) -> str:
    """Raises ``UnusableError`` for what is not UTF-8, and for what is too much."""
    if len(content) > limits().file_size:
        raise LimitError("file_size", f"the file is larger than {limits().file_size} bytes").at(0, 0)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = error.start - before.rfind(b"\n") - 1
        raise UnusableError("the file is not UTF-8 text", "save it as UTF-8").at(
            before.count(b"\n"), column
        ) from None


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
