"""Read lists of Kubernetes objects item by item, so that a file may be larger than the memory.

``kubectl get -o yaml`` prints one list with everything in it. Only one item is in memory at a time: the
elements of the field ``items`` at the top of a document are yielded when they end.

Items as kubectl prints them are read line by line (``line_reader``), which takes a quarter of the time of
libyaml. libyaml reads the items that the line reader refuses, and all other files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
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
from renderer.yamlio.line_reader import read_lines
from renderer.yamlio.problems import unusable

ITEMS = "items"
#: The maximum bytes of one object. The API server accepts requests of 3 MiB, and YAML is longer than JSON.
LARGEST_OBJECT = 8 << 20
_WINDOW = 1 << 20
#: What comes before the first item of a list, and the end of an item.
_FIRST_ITEM = re.compile(rb"^items:\n(?=- )", re.MULTILINE)
_NEXT = re.compile(rb"\n(?=- |[A-Za-z\"'])")


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
    printed = _PrintedList(stream)
    yield from printed.items()
    bounded = printed.rest()
    if C_PARSER is None:  # the parser in Python accepts only text
        source = BACKEND(bounded.read_all().decode("utf-8-sig", "replace"))
    else:
        source = C_PARSER(bounded)
    builder = _StreamBuilder(source, printed.fields)
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


class _PrintedList:
    """The items of a list as kubectl prints it: each begins with a dash in the first column.

    ``fields`` are those of the list before its items.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.fields: dict[str, Json] = {}
        self._stream = stream
        self._text = self._header = b""
        self._place = self._lines = 0
        self._ended = False

    def items(self) -> Iterator[StreamedValue]:
        """Yield the items up to the first one that only a reader of the whole list can understand."""
        self._read_more()
        first = _FIRST_ITEM.search(self._text)
        if first is None:
            return
        try:
            fields = read_lines(self._text[: first.start()].decode(), RESOURCE)
        except (UnusableError, UnicodeDecodeError):
            return
        if not isinstance(fields, dict | None) or ITEMS in (fields or {}):
            return
        self.fields.update({**(fields or {}), ITEMS: []})
        self._header = self._text[: first.end() - 1]
        self._advance(first.end())
        while self._text.startswith(b"- ", self._place):
            end = self._end_of_item()
            found = [] if end is None else _read_item(self._text[self._place : end])
            if end is None or len(found) != 1:
                return
            yield StreamedValue(found[0], self._lines + 1, self.fields)
            self._advance(end)

    def rest(self) -> _BoundedStream:
        """Return the list without the items before, on the same lines."""
        rest = self._text[self._place :]
        if not self._header:
            return _BoundedStream(self._stream, rest)
        header = self._header if rest.startswith(b"- ") else self._header + b" []"
        blank = b"\n" * (self._lines - header.count(b"\n"))
        return _BoundedStream(self._stream, header + blank + rest, uncounted=len(header + blank))

    def _end_of_item(self) -> int | None:
        """Return the end of the item that begins here; None if it is too large."""
        while (found := _NEXT.search(self._text, self._place)) is None and not self._ended:
            if len(self._text) - self._place > LARGEST_OBJECT:
                return None
            self._read_more()
        end = len(self._text) if found is None else found.end()
        return end if end - self._place <= LARGEST_OBJECT else None

    def _advance(self, place: int) -> None:
        self._lines += self._text.count(b"\n", self._place, place)
        self._place = place

    def _read_more(self) -> None:
        content = self._stream.read(_WINDOW)
        self._text, self._place = self._text[self._place :] + content, 0
        self._ended = not content


def _read_item(text: bytes) -> list[Json]:
    """Return the item in a text; none, or several, if it depends on the rest of the list or is wrong."""
    try:
        lines = text.decode()
    except UnicodeDecodeError:
        return []
    try:
        items = read_lines(lines, RESOURCE)
    except UnusableError:
        if "&" in lines:  # perhaps an anchor that another item uses
            return []
        try:
            found = [*_StreamBuilder(BACKEND(f"{ITEMS}:\n{lines}"), {}).documents()]
        except (UnusableError, YAMLError):
            return []
        items = [each.value for each in found[:-1]]
    return items if isinstance(items, list) else []


class _BoundedStream:
    """Counts the bytes that were read since the last object began.

    ``begin`` was read before; its first ``uncounted`` bytes do not belong to an object.
    """

    def __init__(self, stream: BinaryIO, begin: bytes, *, uncounted: int = 0) -> None:
        self._read = stream.read
        self._begin = BytesIO(begin)
        self._size = -uncounted

    def begin_object(self) -> None:
        self._size = 0

    def read(self, size: int = LARGEST_OBJECT, /) -> bytes:
        """Return the next bytes. Raises ``LimitError`` if the object has too many."""
        content = self._begin.read(size) or self._read(size)
        self._size += len(content)
        if self._size > LARGEST_OBJECT:
            raise LimitError("file_size", f"an object is larger than {LARGEST_OBJECT} bytes").at(0, 0)
        return content

    def read_all(self) -> bytes:
        parts = [self._begin.read()]
        while part := self._read(LARGEST_OBJECT):
            parts.append(part)
        return b"".join(parts)


class _StreamBuilder(TreeBuilder):
    """Builds all documents of a stream of events, and yields the items of lists on the way."""

    __slots__ = ("_fields",)

    def __init__(self, source: EventSource, fields: dict[str, Json]) -> None:
        """``fields`` will be those of the first document, if it is a mapping."""
        super().__init__(source, RESOURCE)
        self._fields = fields

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
        fields, self._fields = self._fields, {}
        fields.clear()
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
