"""Decode the text of a file, and split it into its documents."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import overload

from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.limits import limits
from renderer.yamlio.errors import LimitError, UnusableError

_SEPARATOR = pattern(r"\n---(.*)\n")
_DOCUMENT_START = pattern(rb"^---(?=\s|\Z).*$", re.MULTILINE)
#: The line breaks of YAML, and what ends a document after one; only after a line feed, ``---`` separates it.
_BREAKS = ("\n", "\r", "\x85", "\u2028", "\u2029")
_EARLY_ENDS = tuple(
    f"{line_break}{marker}".encode()
    for line_break in _BREAKS
    for marker in ("...", "---")
    if (line_break, marker) != ("\n", "---")
)
_BEGINS = pattern(r"^(?!%)[ \t]*[^\s#]", re.MULTILINE)
_CONTENT = pattern(rb"^(?!%)[ \t]*[^\s#]", re.MULTILINE)


def text_of(content: bytes) -> str:
    """Decode the content of a file. Raises ``UnusableError`` for a file that is not UTF-8 or is too large."""
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


class Chunk(Record):
    """The text of one document, and the line of the file on which it begins, from 0."""

    text: str
    first_line: int


class Documents(Sequence[Chunk]):
    """The documents of ``text``, each cut out on demand, so that a large file is in memory only once.

    ``spans`` are the start and end of each document, and its first line.
    """

    def __init__(self, text: str, spans: Sequence[tuple[int, int, int]]) -> None:
        self._text, self._spans = text, spans

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> Documents: ...
    def __getitem__(self, index: int | slice) -> Chunk | Documents:
        if isinstance(index, slice):
            return Documents(self._text, self._spans[index])
        start, end, line = self._spans[index]
        return Chunk(self._text[start:end], line)

    def __len__(self) -> int:
        return len(self._spans)


def split_documents(text: str) -> Documents:
    """Return the documents, empty ones included: lines that begin with ``---`` separate them.

    kyaml ``kio/byteio_reader.go``. Raises ``UnusableError``, for example if more than a comment follows the
    dashes.
    """
    text = text.replace("\r\n", "\n")
    spans: list[tuple[int, int, int]] = []
    start, line, most = 0, 0, limits().documents
    for separator in _SEPARATOR.finditer(text) if "\n---" in text else ():
        if len(spans) >= most:
            raise LimitError("documents", f"more than {most} documents").at(line, 0)
        spans.append((start, separator.start() + 1, line))
        line += text.count("\n", start, separator.end())
        start = separator.end()
        rest = separator[1].strip()
        if rest and not rest.startswith("#"):
            raise UnusableError(
                "nothing but a comment may follow --- on its line", "write the rest on its own line"
            ).at(line - 1, len("---"))
    return Documents(text, (*spans, (start, len(text), line)))


def may_end_early(content: bytes) -> bool:
    """Return True if a document of a file may end before its text: the rest of it is not read."""
    return any(end in content for end in _EARLY_ENDS)


def first_document(documents: Sequence[Chunk]) -> int:
    """Return the number of the document that is used if only one is read from a file.

    Comments and directives before ``---`` belong to the text after it; ``split_documents`` counts them.
    """
    return int(len(documents) > 1 and not _BEGINS.search(documents[0].text))


def second_document(content: bytes) -> int:
    """Return the line on which a second non-empty document begins; 0 if there is none."""
    if b"\n---" not in content:
        return 0
    content = content.removeprefix(BOM_UTF8)
    separators = list(_DOCUMENT_START.finditer(content))
    starts = [0, *(separator.end() for separator in separators)]
    ends = [*(separator.start() for separator in separators), len(content)]
    found = [start for start, end in zip(starts, ends, strict=True) if _CONTENT.search(content[start:end])]
    return content.count(b"\n", 0, found[1]) + 1 if len(found) > 1 else 0
