"""Read YAML files into JSON trees as kustomize reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from yaml.error import YAMLError
from yaml.events import Event, NodeEvent

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json
from renderer.model.limits import limits
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.taint import taint, taint_texts
from renderer.yamlio.builder import BlankAnnotations, TreeBuilder
from renderer.yamlio.dialects import (
    RESOURCE,
    RESOURCE_AS_WRITTEN,
    WRITTEN_SCALARS,
    YAML11,
    Dialect,
    WrittenScalar,
)
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import Chunk, EventSource, position_of, read_events, split_documents, text_of

#: The values that an indicator can add: a pair is a key and a value, and either may be left out (``{a, b}``).
#: A collection takes the place of the value that was counted for what stands before it.
_INDICATORS = {":": 2, "?": 2, ",": 2, "[": 1, "{": 2, "- ": 1, "\t": 1}
_MOST_OF_A_CHARACTER = max(_INDICATORS.values())
_NOTHING = Chunk("", 0)
_LINE_BREAKS = ("\n", "\r", "\x85", "\u2028", "\u2029")


class ValueCount:
    """Counts the values of all documents of one file; keys are values, too."""

    def __init__(self, text: str) -> None:
        self._left = limits().values
        # Most files are too short to hold so many, and nothing in them has to be counted.
        self._may_be_too_many = (
            2 + len(text) * _MOST_OF_A_CHARACTER > self._left and most_values(text) > self._left
        )

    def counted(self, source: EventSource) -> EventSource:
        """Return the same events, counted if the file may hold too many values."""
        return _Counted(source, self) if self._may_be_too_many else source

    def count(self, event: Event | None) -> None:
        """Count an event. Raises ``LimitError``."""
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
    """Return an upper bound of the values in ``text``, much sooner than a reader could count them."""
    return (
        2
        + sum(text.count(line_break) for line_break in _LINE_BREAKS)
        + sum(values * text.count(indicator) for indicator, values in _INDICATORS.items())
    )


def decode_documents(content: bytes, path: str) -> tuple[Json, ...]:
    """Return the documents of a resource file, None for empty ones; ``path`` is for error messages.

    kyaml ``kio/byteio_reader.go`` and go-yaml v3, then Go's JSON: timestamps become RFC 3339 text, whole
    floats integers. Aliases share the tree of their anchor. Raises ``DiagnosticError``.
    """
    return _decode_documents(content, path, RESOURCE)


class WrittenDocument(Record):
    """A document, and the paths and texts of the scalars that are written otherwise than their values."""

    tree: Json
    texts: tuple[tuple[tuple[str | int, ...], str], ...]


def decode_written(content: bytes, path: str) -> tuple[WrittenDocument, ...]:
    """Return the documents of ``decode_documents`` with the texts of scalars written otherwise."""
    return tuple(_written_document(tree) for tree in _decode_documents(content, path, RESOURCE_AS_WRITTEN))


def _written_document(tree: Json) -> WrittenDocument:
    if isinstance(tree, WrittenScalar):
        return WrittenDocument(tree.value, (((), tree.text),))
    if not WRITTEN_SCALARS.has_made or not _has_written_scalar(tree):
        return WrittenDocument(tree, ())
    found = list(_written_scalars(tree, ()))
    for collection, path, scalar in found:  # after the search, as aliases share collections
        collection[path[-1]] = scalar.value
    return WrittenDocument(tree, tuple((path, scalar.text) for _, path, scalar in found))


def _has_written_scalar(value: Json) -> bool:
    # A plain loop and exact types, as this goes through everything that is read.
    if type(value) is dict:
        children: Iterable[Json] = value.values()
    elif type(value) is list:
        children = value
    else:
        return False
    for child in children:
        kind = type(child)
        if kind is str:
            continue
        if kind is WrittenScalar or ((kind is dict or kind is list) and _has_written_scalar(child)):
            return True
    return False


def _written_scalars(
    value: Json, path: tuple[str | int, ...]
) -> Iterator[tuple[Any, tuple[str | int, ...], WrittenScalar]]:
    """Yield each collection that holds a written scalar, the scalar's path and the scalar."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, child in entries:
        if isinstance(child, WrittenScalar):
            yield value, (*path, key), child
        else:
            yield from _written_scalars(child, (*path, key))


def _decode_documents(content: bytes, path: str, dialect: Dialect) -> tuple[Json, ...]:
    try:
        text = text_of(content)
        chunks = split_documents(text)
    except UnusableError as error:
        raise _in_words(error, _NOTHING, path) from None
    count = ValueCount(text)
    return tuple(_decode(chunk, path, dialect, count) for chunk in chunks)


def decode_yaml11(content: bytes, path: str) -> Json:
    """Return the first document of a YAML 1.1 text; ``path`` is for error messages.

    sigs.k8s.io/yaml and go-yaml v2: the last of equal keys wins. Raises ``DiagnosticError``.
    """
    try:
        chunk = Chunk(text_of(content), 0)
    except UnusableError as error:
        raise _in_words(error, _NOTHING, path) from None
    return _decode(chunk, path, YAML11, ValueCount(chunk.text))


def _decode(chunk: Chunk, path: str, dialect: Dialect, count: ValueCount) -> Json:
    try:
        return read_events(chunk.text, lambda source: TreeBuilder(count.counted(source), dialect).document())
    except (UnusableError, YAMLError) as error:
        if isinstance(error, UnusableError) and dialect.string_keys:
            with suppress(UnusableError, YAMLError):
                return _decode_blank_annotations(chunk, dialect, count)
        raise _in_words(error, chunk, path) from None


def _decode_blank_annotations(chunk: Chunk, dialect: Dialect, count: ValueCount) -> Json:
    """Read a document that holds something unusable, maybe only as the value of an annotation.

    What the first reading has counted counts here, too.
    """
    return read_events(
        chunk.text, lambda source: TreeBuilder(BlankAnnotations(count.counted(source)), dialect).document()
    )


def _in_words(error: UnusableError | YAMLError, chunk: Chunk, path: str) -> DiagnosticError:
    """Return the error for a document that cannot be read."""
    from renderer.yamlio.problems import duplicate_keys, malformed, unusable  # noqa: PLC0415 - few are wrong

    if isinstance(error, DuplicateKeyError):
        return duplicate_keys(error, chunk, path)
    if isinstance(error, UnusableError):
        return unusable(error, path, chunk.first_line)
    return malformed(error, chunk, path)


#: What stands before the value in a line that may be no YAML, and around it.
_BEFORE_VALUE = pattern(r"^[^=:]*[=:]\s*")
_AROUND_VALUE = "'\" ,"


def taint_content(content: bytes) -> None:
    """Note the values in a file: those of its YAML, and of lines such as ``key=value``."""
    with suppress(DiagnosticError):
        for document in decode_documents(content, ""):
            taint_texts(document)
    lines = content.decode("utf-8", "replace").splitlines()
    taint(_BEFORE_VALUE.sub("", line).strip(_AROUND_VALUE) for line in lines)
