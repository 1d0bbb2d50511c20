"""JSON trees from YAML events."""

from __future__ import annotations

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from renderer.model.json import Json
from renderer.model.limits import limits
from renderer.yamlio.anchors import Anchors
from renderer.yamlio.dialects import MERGE_KEY, Dialect, Scalars
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import EventSource
from renderer.yamlio.merge import Merges
from renderer.yamlio.places import place_of
from renderer.yamlio.tags import MERGE_TAG, STR_TAG, tagged_scalar

_NO_TAGS = (None, "!")
_KEY_TAGS = (None, "!", STR_TAG)
_VERSION = (1, 1)
_KEYS_ARE_STRINGS = "the keys of a mapping have to be strings"
_QUOTE = "put the key in quotes"


class TreeBuilder:
    """Builds the first document of a stream of events.

    Plain scalars without tag and anchor, and mappings of them, are nearly all there is: theirs is the
    shortest way.
    """

    __slots__ = ("_anchors", "_dialect", "_max_depth", "_next")

    def __init__(self, source: EventSource, dialect: Dialect) -> None:
        self._next = source.get_event
        self._dialect = dialect
        self._anchors = Anchors()
        self._max_depth = limits().nesting

    def document(self) -> Json:
        """The first document; None when there is none. Raises ``UnusableError`` and ``yaml.YAMLError``."""
        self._next()
        start = self._next()
        if not isinstance(start, DocumentStartEvent):
            return None
        if start.version not in (None, _VERSION):
            problem = "the %YAML directive asks for another version than 1.1"
            raise UnusableError(problem, hint="remove the directive").at(*place_of(start))
        root = self._value(self._next(), self._dialect.block, 0)
        self._next()
        return root

    def _value(self, event: Event | None, scalars: Scalars, depth: int) -> Json:
        try:
            if type(event) is MappingStartEvent and event.anchor is None and depth < self._max_depth:
                return self._mapping(self._dialect.flow if event.flow_style else scalars, depth + 1)
            if isinstance(event, AliasEvent):
                return self._anchors.alias(event.anchor or "", depth)
            if isinstance(event, NodeEvent) and event.anchor is not None:
                return self._anchored(event.anchor, event, scalars, depth)
            return self._node(event, scalars, depth)
        except UnusableError as error:
            raise error.at(*place_of(event)) from None

    def _anchored(self, anchor: str, event: NodeEvent, scalars: Scalars, depth: int) -> Json:
        self._anchors.open(anchor)
        value = self._node(event, scalars, depth)
        self._anchors.close(anchor, value)
        return value

    def _node(self, event: Event | None, scalars: Scalars, depth: int) -> Json:
        if isinstance(event, ScalarEvent):
            if event.tag not in _NO_TAGS:
                return tagged_scalar(event.tag, event.value, self._dialect.rules)
            return scalars.styled(event.value, event.style) if event.style else scalars.values[event.value]
        if depth >= self._max_depth:
            raise LimitError("nesting", f"more than {self._max_depth} levels of nesting")
        if isinstance(event, CollectionStartEvent) and event.flow_style:
            scalars = self._dialect.flow
        if isinstance(event, SequenceStartEvent):
            return self._sequence(scalars, depth + 1)
        return self._mapping(scalars, depth + 1)

    def _sequence(self, scalars: Scalars, depth: int) -> list[Json]:
        next_event, read_value = self._next, self._value
        sequence: list[Json] = []
        while type(event := next_event()) is not SequenceEndEvent:
            sequence.append(read_value(event, scalars, depth))
        return sequence

    def _mapping(self, scalars: Scalars, depth: int) -> dict[str, Json]:
        next_event, values, keys = self._next, scalars.values, scalars.keys
        unique = self._dialect.unique_keys
        mapping: dict[str, Json] = {}
        merges: Merges | None = None
        event = next_event()
        try:
            while type(event) is not MappingEndEvent:
                if (
                    type(event) is ScalarEvent
                    and not event.style
                    and event.tag is None
                    and event.anchor is None
                ):
                    key = keys[event.value]
                else:
                    key = self._key(event, scalars, depth)
                if unique and key in mapping:
                    raise DuplicateKeyError(key or "")
                if key is None:
                    merges = merges or Merges(in_place=self._dialect.merges_in_place)
                    self._special_entry(event, mapping, merges, scalars, depth)
                else:
                    event = next_event()
                    if (
                        type(event) is ScalarEvent
                        and not event.style
                        and event.tag is None
                        and event.anchor is None
                    ):
                        mapping[key] = values[event.value]
                    else:
                        mapping[key] = self._value(event, scalars, depth)
                event = next_event()
        except UnusableError as error:
            raise error.at(*place_of(event)) from None
        if merges:
            merges.fill(mapping)
        return mapping

    def _key(self, event: Event | None, scalars: Scalars, depth: int) -> str | None:
        """The text of a key that is not just plain; None for a special entry."""
        value = self._value(event, scalars, depth)
        if isinstance(event, ScalarEvent):
            if event.tag in _NO_TAGS and not event.style:
                return scalars.keys[event.value]
            if self._dialect.string_keys and (event.tag not in _KEY_TAGS or value == MERGE_KEY):
                return None
        if isinstance(value, str):
            return value
        raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE)

    def _special_entry(
        self, key: Event | None, mapping: dict[str, Json], merges: Merges, scalars: Scalars, depth: int
    ) -> None:
        """An entry whose key is no text: ``<<``, or what may be a key in a root mapping only."""
        if not isinstance(key, ScalarEvent):
            raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE)
        if key.value == MERGE_KEY or key.tag == MERGE_TAG:
            value = self._value(self._next(), scalars, depth)
            if not key.style:
                merges.add(mapping, value)
        elif depth == 1 and self._dialect.string_keys and scalars.values[key.value] is not None:
            if key.value in mapping:
                raise DuplicateKeyError(key.value)
            mapping[key.value] = self._value(self._next(), scalars, depth)
        else:
            raise UnusableError(f"{_KEYS_ARE_STRINGS}, and {key.value} is none", hint=_QUOTE)
