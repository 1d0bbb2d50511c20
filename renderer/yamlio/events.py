"""Read YAML events with libyaml, and once more by go-yaml's exact rules where libyaml refuses a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import yaml
from yaml.events import Event

from renderer.yamlio.python_parser import PythonParser


class Position(NamedTuple):
    """Line and column, from 0."""

    line: int
    column: int


def position_of(event: Event | None) -> Position:
    """Where the event begins."""
    mark = event.start_mark if event else None
    return Position(mark.line, mark.column) if mark else Position(0, 0)


T = TypeVar("T")

#: Characters of a malformed document that the slow parser is asked about.
MAX_SECOND_READING = 200_000


class EventSource(Protocol):
    """Gives the next event, None after the last one; raises ``yaml.YAMLError``."""

    def get_event(self) -> Event | None: ...


Backend: TypeAlias = Callable[[str], EventSource]

BACKEND: Backend = (
    yaml.cyaml.CParser  # type: ignore[attr-defined]  # there is no public module that has it
    if yaml.__with_libyaml__
    else PythonParser
)


def read_events(text: str, reader: Callable[[EventSource], T]) -> T:
    """What ``reader`` makes of the events of ``text``. Raises what it raises, and ``yaml.YAMLError``.

    When libyaml refuses the text, the parser that knows go-yaml's rules exactly is asked.
    """
    try:
        return reader(BACKEND(text))
    except yaml.YAMLError:
        if len(text) > MAX_SECOND_READING:
            raise
        try:
            return reader(PythonParser(text))
        except yaml.YAMLError:
            pass
        raise
