"""Where the fields of a document's root stand in its text, and the entries of those that are sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from yaml.error import Mark
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource
from renderer.yamlio.python_parser import PythonParser


@dataclass(frozen=True, slots=True)
class Span:
    """A node in the text, from ``start`` to before ``end``; ``text`` is what a scalar says, else None."""

    start: int
    end: int
    column: int
    text: str | None
    is_flow: bool = False
    items: tuple[Span, ...] | None = None  # those of a sequence


@dataclass(frozen=True, slots=True)
class RootField:
    """One field of the root mapping."""

    key: Span
    value: Span


@dataclass(frozen=True, slots=True)
class Outline:
    """The root mapping of a document that ends before ``end``."""

    is_flow: bool
    column: int
    fields: tuple[RootField, ...]
    end: int

    def named(self, name: str) -> RootField | None:
        """The field of that name, in whatever case if it is not there as given."""
        exact = [found for found in self.fields if found.key.text == name]
        alike = [found for found in self.fields if (found.key.text or "").lower() == name.lower()]
        return next(reversed(exact or alike), None)


def outline(text: str) -> Outline:
    """The outline of the first document in ``text``; one without fields for a document that says nothing.

    Raises ``UnusableError`` when its root is no mapping, and ``yaml.YAMLError``.
    """
    # Not libyaml: its marks count from elsewhere when the text begins with a byte order mark.
    events = _events(text)
    root = next((event for event in events if not _is_preamble(event)), None)
    fields: tuple[RootField, ...] = ()
    is_flow, column = False, 0
    if isinstance(root, MappingStartEvent):
        is_flow, column = bool(root.flow_style), _mark(root.start_mark).column
        fields = tuple(_fields(events))
    elif root is not None and not _is_nothing(root):
        raise UnusableError("the file is not a mapping")
    ends = (_mark(event.start_mark).index for event in events if isinstance(event, DocumentEndEvent))
    return Outline(is_flow, column, fields, next(ends, len(text)))


def _events(text: str) -> Iterator[Event]:
    source: EventSource = PythonParser(text)
    event = source.get_event()
    while event is not None and not isinstance(event, StreamEndEvent):
        yield event
        event = source.get_event()


def _is_preamble(event: Event) -> bool:
    return not isinstance(event, AliasEvent | ScalarEvent | CollectionStartEvent)


def _is_nothing(event: Event) -> bool:
    """Whether it stands for a value where the text has none."""
    return isinstance(event, ScalarEvent) and _mark(event.start_mark).index == _mark(event.end_mark).index


def _fields(events: Iterator[Event]) -> Iterator[RootField]:
    for event in events:
        if isinstance(event, CollectionEndEvent):
            return
        yield RootField(_span(event, events), _span(next(events), events))


def _span(event: Event, events: Iterator[Event]) -> Span:
    """The node that begins with ``event``; takes its other events."""
    if isinstance(event, SequenceStartEvent):
        return _sequence(event, events)
    start = _mark(event.start_mark)
    if isinstance(event, MappingStartEvent):
        return Span(start.index, _skip(events), start.column, None, bool(event.flow_style))
    text = event.value if isinstance(event, ScalarEvent) else None
    return Span(start.index, _mark(event.end_mark).index, start.column, text)


def _sequence(start: SequenceStartEvent, events: Iterator[Event]) -> Span:
    items: list[Span] = []
    for event in events:
        if isinstance(event, CollectionEndEvent):
            mark, end = _mark(start.start_mark), _mark(event.end_mark).index
            return Span(mark.index, end, mark.column, None, bool(start.flow_style), tuple(items))
        items.append(_span(event, events))
    raise UnusableError("the file ends inside a value")


def _skip(events: Iterator[Event]) -> int:
    """Takes the rest of a collection; where it ends."""
    depth = 1
    for event in events:
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if not depth:
            return _mark(event.end_mark).index
    raise UnusableError("the file ends inside a value")


def _mark(mark: object) -> Mark:
    """Every event of the parser has its marks; only PyYAML's types do not say so."""
    if not isinstance(mark, Mark):
        raise UnusableError("a value has no place")
    return mark
