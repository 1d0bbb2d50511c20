"""Turn the text of a document into YAML events.

libyaml reads the events; a text that it refuses is read once more by go-yaml's exact rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar

from yaml.error import YAMLError
from yaml.events import Event, NodeEvent

from renderer.model.limits import limits
from renderer.model.record import Record
from renderer.yamlio.errors import LimitError
from renderer.yamlio.libyaml import import_parser

#: The brackets of flow collections: each that opens one, with the one that closes it.
CLOSING_BRACKETS = {"{": "}", "[": "]"}


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


#: The class that yields libyaml's events; None where PyYAML came without libyaml.
C_PARSER = import_parser()

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


class ValueCount:
    """Counts the values of all documents of one file; keys are values, too."""

    def __init__(self) -> None:
        self._left = limits().values

    def counted(self, source: EventSource) -> EventSource:
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
