"""Turn the bytes of a file into text, the text into documents, and documents into YAML events.

libyaml reads the events; a text that it refuses is read once more by go-yaml's exact rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from yaml.error import YAMLError
from yaml.events import Event

from renderer.model.limits import limits
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.yamlio.errors import LimitError, UnusableError
from renderer.yamlio.libyaml import C_PARSER


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


#: The brackets of flow collections: each that opens one, with the one that closes it.
CLOSING_BRACKETS = {"{": "}", "[": "]"}
_SEPARATOR = pattern(r"\n---(.*)\n")
_DOCUMENT_START = pattern(rb"^---(?=\s|\Z).*$", re.MULTILINE)
_CONTENT = pattern(rb"^[ \t]*[^\s#]", re.MULTILINE)


class Chunk(Record):
    """The text of one document, and the line of the file that it begins on, from 0."""

    text: str
    first_line: int


def split_documents(text: str) -> list[Chunk]:
    """Return the documents, empty ones included: lines that begin with ``---`` separate them.

    kyaml ``kio/byteio_reader.go``. Raises ``UnusableError``, for example when more than a comment follows
    there.
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


def second_document(content: bytes) -> int:
    """Return the line on which a second document that holds something begins; 0 without one."""
    if b"\n---" not in content:
        return 0
    separators = list(_DOCUMENT_START.finditer(content))
    starts = [0, *(separator.end() for separator in separators)]
    ends = [*(separator.start() for separator in separators), len(content)]
    found = [start for start, end in zip(starts, ends, strict=True) if _CONTENT.search(content[start:end])]
    return content.count(b"\n", 0, found[1]) + 1 if len(found) > 1 else 0


class Position(Record):
    """Line and column, from 0."""

    line: int
    column: int


def position_of(event: Event | None) -> Position:
    """Return where the event begins."""
    mark = event.start_mark if event else None
    return Position(mark.line, mark.column) if mark else Position(0, 0)


T = TypeVar("T")

#: Raised for a text that is no YAML, by whatever reads its events.
MalformedError = YAMLError

#: Characters of a malformed document that the slow parser is asked about.
MAX_SECOND_READING = 200_000


class EventSource(Protocol):
    """Gives the next event, None after the last one; raises ``yaml.YAMLError``."""

    def get_event(self) -> Event | None: ...


Backend: TypeAlias = Callable[[str], EventSource]


def _python_parser(text: str) -> EventSource:
    from renderer.yamlio.python_parser import PythonParser  # noqa: PLC0415 - for what libyaml refuses

    return PythonParser(text)


BACKEND: Backend = C_PARSER or _python_parser


def read_events(text: str, reader: Callable[[EventSource], T]) -> T:
    """Return the result of ``reader`` on the events of ``text``. Raises its errors, and ``yaml.YAMLError``.

    A text that libyaml refuses is read once more by the parser that follows go-yaml's rules exactly.
    """
    try:
        return reader(BACKEND(text))
    except YAMLError:
        if len(text) > MAX_SECOND_READING:
            raise
        try:
            return reader(_python_parser(text))
        except YAMLError:
            pass
        raise
