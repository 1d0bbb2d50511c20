"""Read YAML files into JSON trees as kustomize reads them."""

from __future__ import annotations

from yaml.error import YAMLError
from yaml.events import Event, NodeEvent

from renderer.model.json import Json
from renderer.model.limits import limits
from renderer.yamlio.builder import TreeBuilder
from renderer.yamlio.dialects import RESOURCE, YAML11, Dialect
from renderer.yamlio.documents import Chunk, split_documents, text_of
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import EventSource, position_of, read_events
from renderer.yamlio.problems import duplicate_keys, malformed, unusable

#: What stands before a value, and how many there may be behind it: a pair in brackets is a mapping, too.
_INDICATORS = {":": 2, "?": 3, ",": 1, "[": 1, "{": 1, "- ": 1, "\t": 1}
_LINE_BREAKS = ("\n", "\r", "\x85", "\u2028", "\u2029")


class ValueCount:
    """Counts through all documents of one file; keys are values, too."""

    def __init__(self, text: str) -> None:
        self._left = limits().values
        self._may_be_too_many = most_values(text) > self._left

    def counted(self, source: EventSource) -> EventSource:
        """The same events, counted if that is necessary at all."""
        return _Counted(source, self) if self._may_be_too_many else source

    def count(self, event: Event | None) -> None:
        """Raises ``LimitError``."""
        if isinstance(event, NodeEvent):
            self._left -= 1
            if self._left < 0:
                message = f"the file holds more than {limits().values} values"
                raise LimitError("values", message).at(*position_of(event))


class _Counted:
    def __init__(self, source: EventSource, count: ValueCount) -> None:
        self._next = source.get_event
        self._count = count.count

    def get_event(self) -> Event | None:
        event = self._next()
        self._count(event)
        return event


def most_values(text: str) -> int:
    """No fewer than there are; found much sooner than by reading the text."""
    return (
        2
        + sum(text.count(line_break) for line_break in _LINE_BREAKS)
        + sum(values * text.count(indicator) for indicator, values in _INDICATORS.items())
    )


def decode_documents(content: bytes, path: str) -> tuple[Json, ...]:
    """The documents of a resource file, None for empty ones; ``path`` is for error messages.

    kyaml ``kio/byteio_reader.go`` and go-yaml v3, then Go's JSON: timestamps are RFC 3339 text, whole floats
    integers. Aliases share the tree of their anchor. Raises ``DiagnosticError``.
    """
    try:
        text = text_of(content)
        chunks = split_documents(text)
    except UnusableError as error:
        raise unusable(error, path) from None
    count = ValueCount(text)
    return tuple(_decode(chunk, path, RESOURCE, count) for chunk in chunks)


def decode_yaml11(content: bytes, path: str) -> Json:
    """The first document of a kustomization.yaml or JSON 6902 patch; ``path`` is for error messages.

    sigs.k8s.io/yaml and go-yaml v2: YAML 1.1, and the last of equal keys wins. Raises ``DiagnosticError``.
    """
    try:
        chunk = Chunk(text_of(content), 0)
    except UnusableError as error:
        raise unusable(error, path) from None
    return _decode(chunk, path, YAML11, ValueCount(chunk.text))


def _decode(chunk: Chunk, path: str, dialect: Dialect, count: ValueCount) -> Json:
    try:
        return read_events(chunk.text, lambda source: TreeBuilder(count.counted(source), dialect).document())
    except DuplicateKeyError as error:
        raise duplicate_keys(error, chunk, path) from None
    except UnusableError as error:
        raise unusable(error, path, chunk.first_line) from None
    except YAMLError as error:
        raise malformed(error, chunk, path) from None
