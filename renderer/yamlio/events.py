"""Turn the text of a document into YAML events.

libyaml produces the events; a text that it refuses is read once more by go-yaml's exact rules.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from yaml.error import Mark, MarkedYAMLError, YAMLError
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
    ScalarEvent,
)

from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.limits import limits
from renderer.model.run.work import spend
from renderer.yamlio.errors import LimitError
from renderer.yamlio.libyaml import import_parser

#: The brackets of flow collections: each opening bracket, with the closing one.
CLOSING_BRACKETS = {"{": "}", "[": "]"}
#: Raised by all readers of events for a text that is not YAML.
MalformedError = YAMLError
#: The number of characters of a malformed document that are given to the slow parser.
MAX_SECOND_READING = 200_000
#: Steps of the slow parser for each character, of which it reads some hundred thousand per second.
_STEPS_PER_SLOW_CHARACTER = 4
#: The texts that the slow parser has refused last: whatever explains or quotes an error reads them again.
_refused: deque[str] = deque(maxlen=8)
#: Line ends of the parsers. Editors and reports count only line feeds.
_LINE_BREAK = pattern("\r\n|[\n\r\x85\u2028\u2029]")
_BREAKS_BEYOND_ASCII = "\x85\u2028\u2029"

T = TypeVar("T")


class Position(Record):
    """Line and column, from 0."""

    line: int
    column: int


def position_of(event: Event | None) -> Position:
    """Return where the event begins."""
    mark = event.start_mark if event else None
    return Position(mark.line, mark.column) if mark else Position(0, 0)


class EventSource(Protocol):
    """Returns the next event, None after the last one; raises ``yaml.YAMLError``."""

    def get_event(self) -> Event | None: ...


Backend: TypeAlias = Callable[[str], EventSource]


def _python_parser(text: str) -> EventSource:
    from renderer.yamlio.python_parser import PythonParser  # noqa: PLC0415 - for what libyaml refuses

    return PythonParser(text)


#: The class that yields libyaml's events; None if PyYAML was built without libyaml.
C_PARSER = import_parser()

BACKEND: Backend = C_PARSER or _python_parser


def has_other_breaks(text: str) -> bool:
    """Return True if the parsers count lines of ``text`` that an editor does not show."""
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return True
    return not text.isascii() and any(character in text for character in _BREAKS_BEYOND_ASCII)


class ParserMark(Protocol):
    """A mark of libyaml's or PyYAML's."""

    @property
    def index(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class _LineFeedsCounted:
    """The same events and errors, with lines and columns as an editor shows them."""

    def __init__(self, text: str, source: EventSource) -> None:
        self._next = source.get_event
        self._begins = [Position(0, 0)]  # of each line of the parser
        line, begin = 0, 0
        for found in _LINE_BREAK.finditer(text):
            if found[0].endswith("\n"):
                line, begin = line + 1, found.end()
            self._begins.append(Position(line, found.end() - begin))

    def get_event(self) -> Event | None:
        """Return the next event of the source. Raises its errors."""
        try:
            event = self._next()
        except MarkedYAMLError as error:
            error.problem_mark, error.context_mark = map(
                self._shifted, (error.problem_mark, error.context_mark)
            )
            raise
        if event:
            event.start_mark, event.end_mark = map(self._shifted, (event.start_mark, event.end_mark))
        return event

    def _shifted(self, mark: ParserMark | None) -> Mark | None:
        if mark is None:
            return None
        line, column = self._begins[min(mark.line, len(self._begins) - 1)]
        return Mark("", mark.index, line, column + mark.column, None, 0)


class _SecondReading:
    """The events of the parser that follows go-yaml's rules, which takes seconds for a long text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parser: EventSource | None = None

    def get_event(self) -> Event | None:
        """Return the next event. Raises the parser's errors, and remembers that it refuses the text.

        Raises ``WorkLimitError``.
        """
        try:
            if self._parser is None:
                spend(_STEPS_PER_SLOW_CHARACTER * len(self._text), "parsing YAML that libyaml refuses")
                self._parser = _python_parser(self._text)
            return self._parser.get_event()
        except YAMLError:
            _refused.append(self._text)
            raise


def read_events(text: str, reader: Callable[[EventSource], T]) -> T:
    """Return the result of ``reader`` on the events of ``text``. Raises its errors, and ``yaml.YAMLError``.

    Only line feeds end the lines that events and errors are on.
    """
    if has_other_breaks(text):
        return read_parsed_lines(text, lambda source: reader(_LineFeedsCounted(text, source)))
    return read_parsed_lines(text, reader)


def read_parsed_lines(text: str, reader: Callable[[EventSource], T]) -> T:
    """Return the same, with events on the lines that the parser counts.

    A text that libyaml refuses is read once more by the parser that follows go-yaml's rules exactly, unless
    that has refused it, too.
    """
    try:
        return reader(BACKEND(text))
    except YAMLError:
        if len(text) > MAX_SECOND_READING or text in _refused:
            raise
        try:
            return reader(_SecondReading(text))
        except YAMLError:
            pass
        raise


def document_count(text: str) -> int:
    """Return the number of documents.

    Raises ``yaml.YAMLError``, also for an error after the first one, and for too many levels of nesting: the
    parsers take time for each level at each event.
    """

    def count(source: EventSource) -> int:
        documents = level = 0
        for event in iter(source.get_event, None):
            documents += isinstance(event, DocumentStartEvent)
            level += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if level > limits().nesting:
                raise MalformedError(f"more than {limits().nesting} levels of nesting")
        return documents

    return read_events(text, count)


def read_scalar(text: str) -> str:
    """Return the value of a document that is a scalar. Raises ``yaml.YAMLError``."""

    def value(source: EventSource) -> str:
        found = next(event for event in iter(source.get_event, None) if isinstance(event, ScalarEvent))
        source.get_event()  # raises the error if text follows the scalar
        return found.value

    return read_events(text, value)


class ValueCount:
    """Counts the values of all documents of one file; keys are values, too."""

    def __init__(self) -> None:
        self._left = limits().values

    def count_events(self, source: EventSource) -> EventSource:
        """Return the same events, counted."""
        self._next = source.get_event
        return self

    def get_event(self) -> Event | None:
        """Return the next event of the source. Raises ``LimitError``."""
        event = self._next()
        if isinstance(event, NodeEvent):
            self._left -= 1
            if self._left < 0:
                message = f"the file holds more than {limits().values} values"
                raise LimitError("values", message).at(*position_of(event))
        return event
