"""A document as it is written, with the place of every key and value; slow, for error messages only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    StreamEndEvent,
)

from renderer.yamlio.events import EventSource, read_events
from renderer.yamlio.limits import MAX_DEPTH
from renderer.yamlio.places import Place, place_of


@dataclass(slots=True, eq=False)
class Node:
    """A value; ``text`` is what a scalar says, ``items`` what a collection holds, keys and values in turn.

    ``is_literal``: it is a scalar in the style of ``|``, whose lines are those of the file. An alias has its
    own place and shares the items of its anchor.
    """

    place: Place
    text: str | None = None
    is_mapping: bool = False
    is_literal: bool = False
    items: list[Node] = field(default_factory=list)

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Keys and values of a mapping; nothing for other values."""
        return zip(self.items[::2], self.items[1::2], strict=False) if self.is_mapping else iter(())

    def elements(self) -> list[Node]:
        """What a sequence holds; nothing for other values."""
        return [] if self.is_mapping else self.items

    def walk(self) -> Iterator[Node]:
        """The node and all below it in order, each once, as aliases can make a graph of the tree."""
        seen: set[Node] = set()
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                yield node
                waiting += reversed(node.items)


def parse_nodes(text: str) -> Node | None:
    """The root of the first document; None when there is none. Raises ``yaml.YAMLError``.

    Nothing is resolved: duplicate keys and unknown aliases go through. Where the nesting becomes
    too deep, the tree ends.
    """
    return read_events(text, _assemble)


def _assemble(source: EventSource) -> Node | None:
    root: Node | None = None
    open_collections: list[Node] = []
    anchors: dict[str, Node] = {}
    while not isinstance(event := source.get_event(), DocumentEndEvent | StreamEndEvent | None):
        if isinstance(event, CollectionEndEvent):
            open_collections.pop()
        elif isinstance(event, NodeEvent):
            node = _node(event, anchors)
            root = root or node
            if open_collections:
                open_collections[-1].items.append(node)
            if isinstance(event, CollectionStartEvent):
                open_collections.append(node)
        if len(open_collections) > MAX_DEPTH:
            break
    return root


def _node(event: NodeEvent, anchors: dict[str, Node]) -> Node:
    place = place_of(event)
    if isinstance(event, AliasEvent):
        return replace(anchors.get(event.anchor or "", Node(place)), place=place)
    node = Node(
        place,
        text=event.value if isinstance(event, ScalarEvent) else None,
        is_mapping=isinstance(event, MappingStartEvent),
        is_literal=isinstance(event, ScalarEvent) and event.style == "|",
    )
    if event.anchor is not None:
        anchors[event.anchor] = node
    return node
