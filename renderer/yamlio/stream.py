"""Read lists of Kubernetes objects item by item, so that a file may be larger than the memory.

``kubectl get -o yaml`` prints one list with everything in it. Only one item is in memory at a time: the
elements of the field ``items`` at the top of a document are yielded when they end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Location
from renderer.model.record import Record
from renderer.yamlio.builder import Anchors, TreeBuilder
from renderer.yamlio.dialects import RESOURCE
from renderer.yamlio.errors import DuplicateKeyError, LimitError, UnusableError
from renderer.yamlio.events import BACKEND, C_PARSER, EventSource, position_of
from renderer.yamlio.problems import unusable

ITEMS = "items"
#: The maximum bytes of one object. The API server accepts requests of 3 MiB, and YAML is longer than JSON.
LARGEST_OBJECT = 8 << 20


class StreamedValue(Record):
    """A document, or an item of a list; ``line``, from 1, is where it begins.

    ``list_fields`` are the fields of the list before its items; None for a document. The document of a list
    comes after its items, and does not contain them.
    """

    value: Json
    line: int
    list_fields: JsonObject | None = None


def stream_yaml(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    """Yield the items and documents of a YAML file; ``path`` is for messages.

    Raises ``DiagnosticError``: yaml-syntax, yaml-duplicate-key, yaml-limit.
    """
    bounded = _BoundedStream(stream)
    if C_PARSER is None:  # the parser in Python accepts only text
        source = BACKEND(bounded.read_all().decode("utf-8-sig", "replace"))
    else:
        source = C_PARSER(bounded)
    builder = _StreamBuilder(source)
    try:
        for found in builder.documents():
            yield found
            bounded.begin_object()
    except UnusableError as error:
        raise unusable(error, path) from None
    except YAMLError as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        problem = error.problem if isinstance(error, MarkedYAMLError) else None
        location = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path)
        raise Diagnostic.in_file(
            location,
            Code.YAML_SYNTAX,
            f"the YAML is broken here: {problem or 'the text cannot be read'}",
            "print the objects again, and check that kubectl finishes",
        ).error() from None


class _BoundedStream:
    """Counts the bytes that were read since the last object began."""

    def __init__(self, stream: BinaryIO) -> None:
        self._read = stream.read
        self._size = 0

    def begin_object(self) -> None:
        self._size = 0

    def read(self, size: int = LARGEST_OBJECT, /) -> bytes:
        """Return the next bytes. Raises ``LimitError`` if the object has too many."""
        content = self._read(size)
        self._size += len(content)
        if self._size > LARGEST_OBJECT:
            raise LimitError("file_size", f"an object is larger than {LARGEST_OBJECT} bytes").at(0, 0)
        return content

    def read_all(self) -> bytes:
        parts = []
        while part := self._read(LARGEST_OBJECT):
            parts.append(part)
        return b"".join(parts)


class _StreamBuilder(TreeBuilder):
    """Builds all documents of a stream of events, and yields the items of lists on the way."""

    __slots__ = ()

    def __init__(self, source: EventSource) -> None:
        super().__init__(source, RESOURCE)

    def documents(self) -> Iterator[StreamedValue]:
        """Yield items and documents. Raises ``UnusableError`` and ``yaml.YAMLError``."""
        self._next()
        while isinstance(self._next(), DocumentStartEvent):
            self._anchors = Anchors()
            root = self._next()
            if type(root) is MappingStartEvent and root.anchor is None:
                yield from self._object(root)
            else:
                yield StreamedValue(self._value(root, RESOURCE.block, 0), position_of(root).line + 1)
            self._next()

    def _object(self, root: MappingStartEvent) -> Iterator[StreamedValue]:
        scalars = RESOURCE.flow if root.flow_style else RESOURCE.block
        fields: dict[str, Json] = {}
        while type(event := self._next()) is not MappingEndEvent:
            key = self._key(event, scalars, 1)
            if key is None or key in fields:
                raise DuplicateKeyError(key or "<<").at(*position_of(event))
            value = self._next()
            if key == ITEMS and type(value) is SequenceStartEvent and value.anchor is None:
                fields[key] = []
                in_list = RESOURCE.flow if value.flow_style else RESOURCE.block
                while type(item := self._next()) is not SequenceEndEvent:
                    line = position_of(item).line + 1
                    yield StreamedValue(self._value(item, in_list, 2), line, fields)
            else:
                fields[key] = self._value(value, scalars, 1)
        yield StreamedValue(fields, position_of(root).line + 1)
