"""JSON trees from YAML events."""

from __future__ import annotations

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from renderer.model.json import Json
from renderer.yamlio.anchors import Anchors
from renderer.yamlio.dialects import MERGE_KEY, Dialect, PlainScalars
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import EventSource
from renderer.yamlio.limits import MAX_DEPTH
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

    Scalars without tag and anchor, which is nearly all there is, are dealt with in the loops
    over collections.
    """

    __slots__ = ("_anchors", "_dialect", "_next")

    def __init__(self, source: EventSource, dialect: Dialect) -> None:
        self._next = source.get_event
        self._dialect = dialect
        self._anchors = Anchors()

    def document(self) -> Json:
        """The first document; None when there is none. Raises ``UnusableError`` and ``yaml.YAMLError``."""
        self._next()
        start = self._next()
        if not isinstance(start, DocumentStartEvent):
            return None
        if start.version not in (None, _VERSION):
            raise UnusableError(
                "the %YAML directive asks for another version than 1.1", "remove the directive"
            ).at(*place_of(start))
        event = self._next()
        try:
            root = self._value(event, self._dialect.block, 0)
        except UnusableError as error:
            raise error.at(*place_of(event)) from None
        self._next()
        return root

    def _value(self, event: Event | None, plain: PlainScalars, depth: int) -> Json:
        if isinstance(event, AliasEvent):
            return self._anchors.alias(event.anchor or "", depth)
        if not isinstance(event, NodeEvent):
            raise UnusableError("a value is missing")
        if event.anchor is None:
            return self._node(event, plain, depth)
        self._anchors.open(event.anchor)
        value = self._node(event, plain, depth)
        self._anchors.close(event.anchor, value)
        return value

    def _node(self, event: NodeEvent, plain: PlainScalars, depth: int) -> Json:
        if isinstance(event, ScalarEvent):
            if event.tag is not None and event.tag != "!":
                return tagged_scalar(event.tag, event.value, self._dialect.rules)
            return (
                self._dialect.styled(event.value, event.style) if event.style else plain.values[event.value]
            )
        if depth >= MAX_DEPTH:
            raise LimitError(f"more than {MAX_DEPTH} levels of nesting")
        if isinstance(event, CollectionStartEvent) and event.flow_style:
            plain = self._dialect.flow
        if isinstance(event, SequenceStartEvent):
            return self._sequence(plain, depth + 1)
        return self._mapping(plain, depth + 1)

    def _sequence(self, plain: PlainScalars, depth: int) -> list[Json]:
        next_event, values, styled = self._next, plain.values, self._dialect.styled
        sequence: list[Json] = []
        event = next_event()
        try:
            while type(event) is not SequenceEndEvent:
                if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                    sequence.append(styled(event.value, event.style) if event.style else values[event.value])
                else:
                    sequence.append(self._value(event, plain, depth))
                event = next_event()
        except UnusableError as error:
            raise error.at(*place_of(event)) from None
        return sequence

    def _mapping(self, plain: PlainScalars, depth: int) -> dict[str, Json]:
        next_event, values, keys = self._next, plain.values, plain.keys
        unique, styled = self._dialect.unique_keys, self._dialect.styled
        mapping: dict[str, Json] = {}
        merges = None
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
                    key = self._key(event, plain, depth)
                if key is None:
                    merges = merges or Merges(in_place=self._dialect.merges_in_place)
                    self._special_entry(event, mapping, merges, plain, depth)
                else:
                    if unique and key in mapping:
                        raise DuplicateKeyError(key)
                    event = next_event()
                    if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                        mapping[key] = (
                            styled(event.value, event.style) if event.style else values[event.value]
                        )
                    else:
                        mapping[key] = self._value(event, plain, depth)
                event = next_event()
        except UnusableError as error:
            raise error.at(*place_of(event)) from None
        if merges:
            merges.fill(mapping)
        return mapping

    def _key(self, event: Event | None, plain: PlainScalars, depth: int) -> str | None:
        """The text of a key that is not just plain; None for a special entry."""
        value = self._value(event, plain, depth)
        if isinstance(event, ScalarEvent):
            if event.tag in _NO_TAGS and not event.style:
                return plain.keys[event.value]
            if self._dialect.string_keys and (event.tag not in _KEY_TAGS or value == MERGE_KEY):
                return None
        if isinstance(value, str):
            return value
        raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE)

    def _special_entry(
        self, key: Event | None, mapping: dict[str, Json], merges: Merges, plain: PlainScalars, depth: int
    ) -> None:
        """An entry whose key is no text: ``<<``, or what may be a key in a root mapping only."""
        if not isinstance(key, ScalarEvent):
            raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE)
        if key.value == MERGE_KEY or key.tag == MERGE_TAG:
            value = self._value(self._next(), plain, depth)
            if not key.style:
                merges.add(mapping, value)
        elif depth == 1 and self._dialect.string_keys and plain.values[key.value] is not None:
            if key.value in mapping:
                raise DuplicateKeyError(key.value)
            mapping[key.value] = self._value(self._next(), plain, depth)
        else:
            raise UnusableError(f"{_KEYS_ARE_STRINGS}, and {key.value} is none", hint=_QUOTE)
