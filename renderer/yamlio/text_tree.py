"""The tree of a YAML document with the place of each node in the text, for edits of that text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from yaml.error import Mark
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)

from renderer.model.field_path import FieldPath, Segment
from renderer.model.limits import limits
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import EventSource
from renderer.yamlio.python_parser import PythonParser


@dataclass(frozen=True, slots=True, eq=False)
class TextNode:
    """A value that goes from ``start`` to before ``end``; ``text`` is the value of a scalar.

    ``style`` is the quote or block indicator of a scalar, empty for a plain one. ``fields`` are the keys and
    values of a mapping, ``items`` the elements of a sequence. An alias has none of all these.
    """

    start: int
    end: int
    text: str | None = None
    style: str = ""
    is_flow: bool = False
    fields: tuple[TextField, ...] = ()
    items: tuple[TextNode, ...] = ()

    @property
    def is_block(self) -> bool:
        """Return whether it is a collection with lines of its own."""
        return bool(self.fields or self.items) and not self.is_flow

    @property
    def is_nothing(self) -> bool:
        """Return whether the text has no character for the value."""
        return self.text == "" and self.start == self.end


@dataclass(frozen=True, slots=True, eq=False)
class TextField:
    """A key of a mapping and its value."""

    key: TextNode
    value: TextNode


@dataclass(frozen=True, slots=True, eq=False)
class TextDocument:
    """The first document of a text, which ends before ``end``; a document that holds nothing has no root."""

    root: TextNode | None
    end: int


def parse_text(text: str) -> TextDocument:
    """Parse the first document of ``text``. Raises ``UnusableError`` and ``yaml.YAMLError``."""
    # libyaml counts marks from elsewhere when the text begins with a byte order mark.
    source: EventSource = PythonParser(text)
    events = iter(source.get_event, None)
    root: TextNode | None = None
    for event in events:
        if isinstance(event, DocumentEndEvent):
            return TextDocument(
                None if root is None or root.is_nothing else root, _mark(event.start_mark).index
            )
        if isinstance(event, NodeEvent):
            root = _node(text, event, events, 0)
    return TextDocument(None, len(text))


def nodes_to(root: TextNode, field: FieldPath) -> tuple[TextNode, ...]:
    """Return the nodes from the root to the field, both included.

    Raises ``UnusableError`` where the way leads through an alias or a merged mapping, or to nothing.
    """
    nodes = [root]
    for segment in field.segments:
        node = nodes[-1]
        if isinstance(segment, int) and segment < len(node.items):
            nodes.append(node.items[segment])
        else:
            nodes.append(field_of(node, segment).value)
    return tuple(nodes)


def field_of(mapping: TextNode, name: Segment) -> TextField:
    """Return the last field of that name. Raises ``UnusableError`` when it is not written there."""
    found = [field for field in mapping.fields if field.key.text == name]
    if not found:
        raise UnusableError(f"{name} is written elsewhere")
    return found[-1]


def _node(text: str, event: NodeEvent, events: Iterator[Event], depth: int) -> TextNode:
    if depth > limits().nesting:
        raise UnusableError(f"more than {limits().nesting} levels of nesting")
    start, end = _mark(event.start_mark).index, _mark(event.end_mark).index
    if isinstance(event, CollectionStartEvent):
        return _collection(text, event, events, depth)
    if not isinstance(event, ScalarEvent):
        return TextNode(start, end)
    if event.style and event.style in "|>":
        end = start + len(text[start:end].rstrip())
    return TextNode(start, end, event.value, event.style or "")


def _collection(text: str, start: CollectionStartEvent, events: Iterator[Event], depth: int) -> TextNode:
    """A block ends with its last child; the event of its end comes only where the next thing begins."""
    children: list[TextNode] = []
    for event in events:
        if isinstance(event, NodeEvent):
            children.append(_node(text, event, events, depth + 1))
        elif isinstance(event, CollectionEndEvent):
            is_flow = bool(start.flow_style)
            end = children[-1].end if children and not is_flow else _mark(event.end_mark).index
            begin = _mark(start.start_mark).index
            if not isinstance(start, MappingStartEvent):
                return TextNode(begin, end, is_flow=is_flow, items=tuple(children))
            pairs = zip(children[::2], children[1::2], strict=True)
            return TextNode(begin, end, is_flow=is_flow, fields=tuple(TextField(*pair) for pair in pairs))
    raise UnusableError("the document ends inside a value")


def _mark(mark: object) -> Mark:
    """Return the mark, which every event of the parser has; only PyYAML's types do not say so."""
    if not isinstance(mark, Mark):
        raise UnusableError("a value has no place")
    return mark
