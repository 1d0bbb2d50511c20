"""Build JSON trees from YAML events: anchors, merge keys, tags and limits."""

from __future__ import annotations

from contextlib import suppress

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
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

from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.limits import limits
from renderer.model.run.taint import taint_again
from renderer.yamlio.dialects import MERGE_KEY, Dialect, Scalars, WrittenScalar
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import EventSource, ValueCount, position_of, read_events
from renderer.yamlio.scalars import MERGE_TAG, STR_TAG, tagged_scalar

_NO_TAGS = (None, "!")
_KEY_TAGS = (None, "!", STR_TAG)
_VERSION = (1, 1)
_KEYS_ARE_STRINGS = "the keys of a mapping have to be strings"
_QUOTE = "put the key in quotes"
_QUOTE_COLLECTION = "put the key in quotes; a value that begins with [ or { needs quotes as well"
_BRACES = "YAML reads {{ as a mapping that is the key of another one, and keys have to be strings"
_QUOTE_BRACES = "put the whole value in quotes: '{{ … }}'"
#: A name and more: no key of a Kubernetes object has a colon, a quote or a blank after its name.
_IS_CONTENT = pattern(r"[\w./-]+[\"']?[:=\s]\s*\S")
_ANNOTATIONS = ("metadata", "annotations")


class _Extent(Record):
    """The size of a tree: values, deepest nesting of collections, and characters of texts."""

    size: int
    height: int
    length: int


class Anchors:
    """Values by anchor. An alias shares the value of its anchor, because trees are read-only."""

    __slots__ = ("_aliased", "_extents", "_length", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Json] = {}
        self._extents: dict[int, tuple[Json, _Extent]] = {}
        self._aliased = 0
        self._length = 0

    def open(self, anchor: str) -> None:
        """Record that ``anchor`` now names a value that is still being read."""
        self._values.pop(anchor, None)

    def close(self, anchor: str, value: Json) -> None:
        self._values[anchor] = value

    def alias(self, anchor: str, depth: int) -> Json:
        """Return the value of ``anchor`` of an alias ``depth`` collections deep. Raises ``UnusableError``."""
        if anchor not in self._values:
            raise UnusableError(
                # The name is not repeated: it may be a password that begins with *.
                "this alias has no finished anchor before it",
                hint="anchor a value with & first, or put a text that begins with * in quotes",
            )
        value = self._values[anchor]
        self._count(self._extent(value), depth)
        return value

    def _count(self, extent: _Extent, depth: int) -> None:
        self._aliased += extent.size
        self._length += extent.length
        most = limits()
        if self._aliased > most.aliased_values:
            message = f"the aliases expand to more than {most.aliased_values} values"
            raise LimitError("aliased_values", message)
        if self._length > most.file_size:
            raise LimitError("file_size", f"the aliases expand to more than {most.file_size} characters")
        if depth + extent.height > most.nesting:
            raise LimitError("nesting", f"more than {most.nesting} levels of nesting")

    def _extent(self, value: Json) -> _Extent:
        """Return the size of a tree; shared collections count once for each alias, but are measured once."""
        if not isinstance(value, dict | list):
            text = value.text if isinstance(value, WrittenScalar) else value
            return _Extent(1, 0, len(text) if isinstance(text, str) else 0)
        known = self._extents.get(id(value))
        if known:
            return known[1]
        children = [self._extent(child) for child in (value.values() if isinstance(value, dict) else value)]
        extent = _Extent(
            size=1 + sum(child.size for child in children),
            height=1 + max((child.height for child in children), default=0),
            length=sum(child.length for child in children)
            + (sum(map(len, value)) if isinstance(value, dict) else 0),
        )
        self._extents[id(value)] = value, extent
        return extent


class MergeKeyError(UnusableError):
    """The value of ``<<`` cannot be merged."""


class Merges:
    """The merges of one mapping.

    In resource files they add only fields that the mapping lacks (kyaml ``rnode.go`` mergeAll); in YAML 1.1
    they also overwrite fields before them (go-yaml v2 ``decode.go`` merge). The first of several sources
    wins.
    """

    __slots__ = ("_in_place", "_merged", "_pending")

    def __init__(self, *, in_place: bool) -> None:
        self._in_place = in_place
        self._merged: set[str] = set()
        self._pending: list[dict[str, Json]] | None = None

    def add(self, mapping: dict[str, Json], value: Json) -> None:
        """Merge the value of a ``<<`` entry. Raises ``MergeKeyError``."""
        sources: list[dict[str, Json]] = []
        for source in value if isinstance(value, list) else [value]:
            if not isinstance(source, dict):
                raise MergeKeyError("<< needs a mapping or a list of mappings")
            sources.append(source)
        if self._in_place:
            for source in reversed(sources):
                self._merged |= source.keys() - mapping.keys()
                mapping.update(source)
        elif self._pending is not None:
            raise MergeKeyError("a mapping can have one << only; give it a list")
        else:
            self._pending = sources

    def overwrite(self, key: str) -> bool:
        """Return True for the first entry that overwrites a key which only merges have set."""
        was_merged = key in self._merged
        self._merged.discard(key)
        return was_merged

    def fill(self, mapping: dict[str, Json]) -> None:
        for source in self._pending or ():
            for key, value in source.items():
                mapping.setdefault(key, value)


class TreeBuilder:
    """Builds the first document of a stream of events.

    Nearly all nodes are plain scalars without tag and anchor, and mappings of them: these have the shortest
    code path.
    """

    __slots__ = ("_anchors", "_dialect", "_max_depth", "_next", "contents")

    def __init__(self, source: EventSource, dialect: Dialect) -> None:
        self._next = source.get_event
        self._dialect = dialect
        self._anchors = Anchors()
        #: Keys between braces that hold their value: in ``{password:x}``, a blank is missing.
        self.contents: list[str] = []
        self._max_depth = limits().nesting

    def document(self) -> Json:
        """Return the first document, if there is one. Raises ``UnusableError`` and ``yaml.YAMLError``.

        No output of this run repeats a key that holds its value, which may be confidential.
        """
        self._next()
        start = self._next()
        if not isinstance(start, DocumentStartEvent):
            return None
        if start.version not in (None, _VERSION):
            problem = "the %YAML directive asks for another version than 1.1"
            raise UnusableError(problem, hint="remove the directive").at(*position_of(start))
        try:
            root = self._value(self._next(), self._dialect.block, 0)
        finally:
            if self.contents:
                taint_again(self.contents)
        self._next()
        return root

    def _value(self, event: Event | None, scalars: Scalars, depth: int) -> Json:
        try:
            if type(event) is MappingStartEvent and event.anchor is None and depth < self._max_depth:
                return self._mapping(self._dialect.flow if event.flow_style else scalars, depth + 1)
            if isinstance(event, AliasEvent):
                return self._anchors.alias(event.anchor or "", depth)
            if isinstance(event, NodeEvent) and event.anchor is not None:
                self._anchors.open(event.anchor)
                value = self._node(event, scalars, depth)
                self._anchors.close(event.anchor, value)
                return value
            return self._node(event, scalars, depth)
        except UnusableError as error:
            raise error.at(*position_of(event)) from None

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
        unique, is_flow = self._dialect.unique_keys, scalars is self._dialect.flow
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
                if unique and key in mapping and not (key and merges and merges.overwrite(key)):
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
                        if not event.value and is_flow and _IS_CONTENT.match(key):
                            self.contents.append(key)
                    else:
                        mapping[key] = self._value(event, scalars, depth)
                event = next_event()
        except UnusableError as error:
            raise error.at(*position_of(event)) from None
        if merges:
            merges.fill(mapping)
        return mapping

    def _key(self, event: Event | None, scalars: Scalars, depth: int) -> str | None:
        """Return the text of a key that is not just a plain scalar; None for a special entry."""
        count = len(self.contents)
        value = self._value(event, scalars, depth)
        del self.contents[count:]  # of a mapping as a key, which is a template: ``{{ range .x }}``
        if isinstance(event, ScalarEvent):
            if event.tag in _NO_TAGS and not event.style:
                return scalars.keys[event.value]
            if self._dialect.string_keys and (event.tag not in _KEY_TAGS or value == MERGE_KEY):
                return None
        if isinstance(value, WrittenScalar):
            value = value.value
        if isinstance(value, str):
            return value
        if isinstance(event, MappingStartEvent) and event.flow_style:
            raise UnusableError(_BRACES, hint=_QUOTE_BRACES)
        raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE_COLLECTION)

    def _special_entry(
        self, key: Event | None, mapping: dict[str, Json], merges: Merges, scalars: Scalars, depth: int
    ) -> None:
        """Read an entry whose key is not a text: ``<<``, or a key that only a root mapping may have."""
        if not isinstance(key, ScalarEvent):
            raise UnusableError(_KEYS_ARE_STRINGS, hint=_QUOTE_COLLECTION)
        if key.value == MERGE_KEY or key.tag == MERGE_TAG:
            value = self._value(self._next(), scalars, depth)
            if not key.style:
                merges.add(mapping, value)
        elif depth == 1 and self._dialect.string_keys and scalars.values[key.value] is not None:
            if key.value in mapping:
                raise DuplicateKeyError(key.value)
            mapping[key.value] = self._value(self._next(), scalars, depth)
        else:
            raise UnusableError(f"{_KEYS_ARE_STRINGS}, and {key.value} is not one", hint=_QUOTE)


class BlankAnnotations:
    """The same events, with an empty mapping in place of each collection that is an annotation's value.

    kustomize reads the text of the YAML node of each annotation, and writes it back before it converts the
    object to JSON (kyaml ``yaml/rnode.go`` getMapFromMeta, SetAnnotations). A mapping or list has no text, so
    kustomize never looks inside it. ``{{ .Values.x }}`` is such a mapping, with a mapping as its key.
    """

    def __init__(self, source: EventSource) -> None:
        self._next = source.get_event
        #: For each open mapping on the way to the annotations, the key that is being read.
        self._keys: list[str | None] = []
        self._awaits_value = False
        self._below = 0
        self._end: MappingEndEvent | None = None

    def get_event(self) -> Event | None:
        """Return the next event."""
        if self._end:
            end, self._end = self._end, None
            return end
        event = self._next()
        if isinstance(event, DocumentStartEvent):
            self._keys, self._awaits_value, self._below = [], False, 0
        elif self._below:
            self._follow(event)
        elif isinstance(event, CollectionEndEvent):
            self._keys.pop()
            self._awaits_value = False
        elif isinstance(event, NodeEvent):
            return self._node(event)
        return event

    def _node(self, event: NodeEvent) -> Event:
        """Handle a key or value of the document, its metadata or their annotations."""
        if self._keys and not self._awaits_value and isinstance(event, ScalarEvent):
            self._keys[-1] = event.value
            self._awaits_value = True
            return event
        path = tuple(self._keys)
        if isinstance(event, CollectionStartEvent):
            if len(path) == len(_ANNOTATIONS) + 1 and path[:-1] == _ANNOTATIONS and self._awaits_value:
                return self._blank(event)
            if isinstance(event, MappingStartEvent) and path == _ANNOTATIONS[: len(path)]:
                self._keys.append(None)
                self._awaits_value = False
            else:
                self._below = 1
        if not self._below and not isinstance(event, CollectionStartEvent):
            self._awaits_value = False
        return event

    def _follow(self, event: Event | None) -> None:
        """Count the collections that are open below an ignored value."""
        if isinstance(event, CollectionStartEvent):
            self._below += 1
        elif isinstance(event, CollectionEndEvent):
            self._below -= 1
            if not self._below:
                self._awaits_value = not self._awaits_value

    def _blank(self, start: CollectionStartEvent) -> MappingStartEvent:
        """Skip the collection, and begin an empty mapping in its place."""
        depth = 1
        while depth:
            event = self._next()
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        self._awaits_value = False
        self._end = MappingEndEvent(start.start_mark, start.end_mark)
        return MappingStartEvent(start.anchor, None, implicit=True, flow_style=True)


def read_tree(text: str, dialect: Dialect, count: ValueCount | None) -> Json:
    """Return the tree of the first document in ``text``, None if there is none; ``count`` counts its values.

    A document with something unusable is read again, because it may be in the value of an annotation; the
    count of the first reading is kept. Raises ``UnusableError`` and ``yaml.YAMLError``.
    """

    def counted(source: EventSource) -> EventSource:
        return count.count_events(source) if count else source

    try:
        return read_events(text, lambda source: TreeBuilder(counted(source), dialect).document())
    except UnusableError:
        if dialect.string_keys:
            with suppress(UnusableError, YAMLError):
                return read_events(
                    text, lambda source: TreeBuilder(BlankAnnotations(counted(source)), dialect).document()
                )
        raise
