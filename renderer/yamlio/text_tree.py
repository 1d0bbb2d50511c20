"""A document with the extent of every key and value in its text, for changes that leave the rest as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from yaml.error import Mark
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamStartEvent,
)

from renderer.model.field_path import FieldPath, Segment
from renderer.model.limits import limits
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource
from renderer.yamlio.python_parser import PythonParser


@dataclass(frozen=True, slots=True, eq=False)
class TextNode:
    """A value from ``start`` to before ``end``, where its last character is; ``text`` is what a scalar says.

    ``style`` is the quote or block indicator of a scalar, empty for a plain one. ``fields`` are the keys and
    values of a mapping, ``items`` what a sequence holds.
    """

    start: int
    end: int
    text: str | None = None
    style: str = ""
    is_alias: bool = False
    is_flow: bool = False
    fields: tuple[TextField, ...] = ()
    items: tuple[TextNode, ...] = ()

    @property
    def is_block(self) -> bool:
        """Whether it is a collection with lines of its own."""
        return bool(self.fields or self.items) and not self.is_flow


@dataclass(frozen=True, slots=True, eq=False)
class TextField:
    """A key and its value; ``column`` is the key's."""

    key: TextNode
    value: TextNode
    column: int


def parse_text(text: str) -> TextNode | None:
    """The root of the first document; None for an empty one. Raises ``UnusableError``, ``yaml.YAMLError``."""
    # Not libyaml: its marks count from elsewhere when the text begins with a byte order mark.
    source: EventSource = PythonParser(text)
    events = iter(source.get_event, None)
    for event in events:
        if not isinstance(event, StreamStartEvent | DocumentStartEvent):
            return _node(text, event, events, 0) if isinstance(event, NodeEvent) else None
    return None


def fields_to(root: TextNode, field: FieldPath) -> tuple[TextNode, ...]:
    """The nodes from the root to the field, both included.

    Raises ``UnusableError`` where the way leads through an alias or a merged mapping, or to nothing.
    """
    nodes = [root]
    for segment in field.segments:
        nodes.append(_step(nodes[-1], segment))
    return tuple(nodes)


def field_of(mapping: TextNode, name: Segment) -> TextField:
    """The field of that name. Raises ``UnusableError`` when it is not written there."""
    found = [field for field in mapping.fields if field.key.text == name]
    if len(found) != 1:
        raise UnusableError(f"{name} is written elsewhere")
    return found[0]


def _step(node: TextNode, segment: Segment) -> TextNode:
    if isinstance(segment, int) and segment < len(node.items):
        return node.items[segment]
    return field_of(node, segment).value


def _node(text: str, event: NodeEvent, events: Iterator[Event], depth: int) -> TextNode:
    if depth > limits().nesting:
        raise UnusableError(f"more than {limits().nesting} levels of nesting")
    start, end = _mark(event.start_mark).index, _mark(event.end_mark).index
    if isinstance(event, MappingStartEvent):
        return _mapping(text, event, events, depth)
    if isinstance(event, SequenceStartEvent):
        return _sequence(text, event, events, depth)
    if isinstance(event, AliasEvent):
        return TextNode(start, end, is_alias=True)
    if not isinstance(event, ScalarEvent):
        raise UnusableError("the document ends inside a value")
    style = event.style or ""
    end = start + len(text[start:end].rstrip()) if style in ("|", ">") and style else end
    return TextNode(start, end, event.value, style)


def _mapping(text: str, start: MappingStartEvent, events: Iterator[Event], depth: int) -> TextNode:
    fields: list[TextField] = []
    for event in events:
        if isinstance(event, CollectionEndEvent):
            ends = [field.value.end for field in fields]
            return _collection(start, event, ends, fields=tuple(fields))
        key = _node(text, _node_event(event), events, depth + 1)
        value = _node(text, _node_event(next(events)), events, depth + 1)
        fields.append(TextField(key, value, _mark(event.start_mark).column))
    raise UnusableError("the document ends inside a mapping")


def _sequence(text: str, start: SequenceStartEvent, events: Iterator[Event], depth: int) -> TextNode:
    items: list[TextNode] = []
    for event in events:
        if isinstance(event, CollectionEndEvent):
            return _collection(start, event, [item.end for item in items], items=tuple(items))
        items.append(_node(text, _node_event(event), events, depth + 1))
    raise UnusableError("the document ends inside a sequence")


def _collection(
    start: MappingStartEvent | SequenceStartEvent,
    end: Event,
    ends: list[int],
    *,
    fields: tuple[TextField, ...] = (),
    items: tuple[TextNode, ...] = (),
) -> TextNode:
    """A block ends with what it holds; its event comes only where the next thing begins."""
    is_flow = bool(start.flow_style)
    last = ends[-1] if ends and not is_flow else _mark(end.end_mark).index
    return TextNode(_mark(start.start_mark).index, last, is_flow=is_flow, fields=fields, items=items)


def _node_event(event: Event) -> NodeEvent:
    if not isinstance(event, NodeEvent):
        raise UnusableError("the document ends inside a value")
    return event


def _mark(mark: object) -> Mark:
    """Every event of the parser has its marks; only PyYAML's types do not say so."""
    if not isinstance(mark, Mark):
        raise UnusableError("a value has no place")
    return mark
