"""Read the objects of a cluster from the output of ``kubectl get … -o yaml`` or ``-o json``, one by one.

A dump is a list, a list of lists, several documents one after the other, or a folder of files with any of
these, such as the output of ``oc adm must-gather`` and ``oc adm inspect``. However long it is, only one
object is in memory at a time.

JSON is read item by item, as ``yamlio.stream`` reads YAML: in a window that slides over the file.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import BinaryIO, Protocol

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.limits import limit_hint, limits
from renderer.model.live_object import LiveObject
from renderer.model.location import Location
from renderer.model.work import note_read
from renderer.yamlio.stream import ITEMS, LARGEST_OBJECT, StreamedValue, stream_yaml

PRINT_HINT = "print the objects with kubectl get … -o yaml, or -o json"
_AGAIN_HINT = "print the objects again, and check that kubectl finishes and the disk is not full"
_WINDOW = 1 << 20
_BLANKS = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: The end of a text that breaks off in the middle of a value.
_CUT_OFF = re.compile(r"-?|[.eE][+-]?|t(ru?)?|f(a(ls?)?)?|n(ul?)?|u[0-9a-fA-F]{0,4}")
#: An error this close to the end of the window may be false: a number or a word may continue after it.
_LONGEST_WORD = 32
_HEAD = 4096
_BOM = b"\xef\xbb\xbf"
#: The first line of ``kubectl get`` without ``-o``.
_COLUMNS = re.compile(rb"(NAMESPACE +)?NAME( {2,}[A-Z]|\s*$)", re.MULTILINE)
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_LIST = "List"
_KUSTOMIZE = "kustomize.config.k8s.io/"
#: Names of objects that the API server accepts for any kind (``pkg/api/validation/path/name.go``).
_NAME = re.compile(r"(?!\.\.?$)[!-$&-.0-~]+")
_NAMESPACE = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_TABLE_HINT = f"a Table has columns for people and no objects; {PRINT_HINT}"
_NO_OBJECTS = {
    "Table": "this is a Table",
    "Status": "this is an answer of the API server about an error",
    "PartialObjectMetadata": "this is the metadata of an object alone",
    "PartialObjectMetadataList": "these are the metadata of objects alone",
}


def truncated(location: Location) -> DiagnosticError:
    """Return the error for a text that ends before its list or object does."""
    message = "the dump ends here in the middle of a list or an object"
    return Diagnostic.in_file(location, Code.DUMP_INVALID, message, _AGAIN_HINT).error()


def stream_json(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    """Yield the items and documents of a file with one or more JSON values; ``path`` is for messages.

    Raises ``DiagnosticError``: yaml-syntax, yaml-limit, dump-invalid for a text that ends in the middle.
    """
    window = _Window(stream, path)
    while window.peek():
        line = window.line()
        if window.peek() == "[":
            yield from _items(window, {})
        elif window.peek() == "{":
            fields: dict[str, Json] = {}
            yield from _object(window, fields)
            yield StreamedValue(fields, line)
        else:
            yield StreamedValue(window.value(), line)


def _object(window: _Window, fields: dict[str, Json]) -> Iterator[StreamedValue]:
    """Read the fields of an object into ``fields``, and yield its items."""
    window.take("{")
    separator = "}" if window.peek() == "}" else ","
    while separator == ",":
        key = window.value()
        if not isinstance(key, str):
            raise window.malformed("a key is a text in double quotes")
        window.take(":")
        if key == ITEMS and window.peek() == "[":
            fields[key] = []
            yield from _items(window, fields)
        else:
            fields[key] = window.value()
        separator = window.peek()
        if separator == ",":
            window.take(",")
    window.take("}")


def _items(window: _Window, fields: dict[str, Json]) -> Iterator[StreamedValue]:
    window.take("[")
    separator = "]" if window.peek() == "]" else ","
    while separator == ",":
        window.peek()
        line = window.line()
        yield StreamedValue(window.value(), line, fields)
        separator = window.peek()
        if separator == ",":
            window.take(",")
    window.take("]")


class _Window:
    """The part of the file that is being read, from ``_place`` on; the text before it is already read."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._read = stream.read
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_float=_number, parse_constant=_refuse_constant)
        self._text = ""
        self._place = self._counted = 0
        self._lines = 1
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not whitespace; an empty string at the end."""
        while True:
            match = _BLANKS.match(self._text, self._place)
            self._place = match.end() if match else self._place
            if self._place < len(self._text):
                return self._text[self._place]
            if self._ended:
                return ""
            self._slide(_WINDOW)

    def take(self, character: str) -> None:
        """Advance past a character. Raises ``DiagnosticError`` if the next character is a different one."""
        found = self.peek()
        if not found:
            raise truncated(self._location())
        if found != character:
            raise self.malformed(f"{character} is expected here")
        self._place += 1

    def value(self) -> Json:
        """Return the next value. Raises ``DiagnosticError``."""
        if not self.peek():
            raise truncated(self._location())
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                self._go_on(error)
            except (ValueError, RecursionError) as error:
                problem = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
                raise self.malformed(problem) from None
            else:
                if end < len(self._text) or self._ended:  # a number may continue after the window
                    return self._checked(value, end)
                self._slide(_WINDOW)

    def line(self) -> int:
        """Return the line of the current position, from 1."""
        self._lines += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._lines

    def malformed(self, problem: str) -> DiagnosticError:
        return Diagnostic.in_file(
            self._location(),
            Code.YAML_SYNTAX,
            f"the JSON is broken here: {problem}",
            "print the objects again, and check that kubectl finishes",
        ).error()

    def _go_on(self, error: json.JSONDecodeError) -> None:
        """Read more if the window ends in the middle of the value. Raises ``DiagnosticError``."""
        at_end = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_WORD
        if at_end and not self._ended:
            self._slide(max(_WINDOW, len(self._text) - self._place))
            return
        whole = self._text.rstrip()
        if error.msg.startswith("Unterminated string") or _CUT_OFF.fullmatch(whole, error.pos):
            self._place = len(whole)
            raise truncated(self._location())
        self._place = error.pos
        raise self.malformed(error.msg[:1].lower() + error.msg[1:])

    def _slide(self, size: int) -> None:
        self.line()
        rest = self._text[self._place :]
        if len(rest) > LARGEST_OBJECT:
            raise Diagnostic.in_file(
                self._location(),
                Code.YAML_LIMIT,
                f"an object is larger than {LARGEST_OBJECT} bytes",
                limit_hint("file_size"),
            ).error()
        content = self._read(size)
        self._ended = not content
        try:
            self._text = rest + self._decoder.decode(content, final=self._ended)
        except UnicodeDecodeError:
            raise self.malformed("the text is not UTF-8") from None
        self._place = self._counted = 0

    def _checked(self, value: Json, end: int) -> Json:
        if isinstance(value, dict | list):
            if _SURROGATE.search(self._text, self._place, end):
                value = _without_lone_surrogates(value)
            if _is_deeper(value, limits().nesting):
                raise Diagnostic.in_file(
                    self._location(),
                    Code.YAML_LIMIT,
                    f"more than {limits().nesting} levels of nesting",
                    limit_hint("nesting"),
                ).error()
        self._place = end
        return value

    def _location(self) -> Location:
        return Location(self._path, self.line())


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")


def _is_deeper(value: Json, most: int) -> bool:
    """Return True if collections are nested in more than ``most`` levels."""
    level: list[Json] = [value]
    for _ in range(most):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)  # type: ignore[union-attr]  # collections only
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _without_lone_surrogates(value: Json) -> Json:
    """Replace lone surrogates with U+FFFD, as Go's decoder does (``encoding/json`` unquote)."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {str(_without_lone_surrogates(key)): _without_lone_surrogates(v) for key, v in value.items()}
    return list(map(_without_lone_surrogates, value)) if isinstance(value, list) else value


class DumpFile(Protocol):
    """A part of a dump. ``is_named``: the user named the file itself, not the folder that it is in."""

    @property
    def path(self) -> str: ...

    @property
    def is_named(self) -> bool: ...

    def open(self) -> BinaryIO: ...


def read_dump(files: Iterable[DumpFile]) -> Iterator[LiveObject]:
    """Yield the objects in the order of the files.

    In a folder, documents that are not objects of a cluster are skipped, such as kustomizations.

    Raises ``DiagnosticError``: dump-invalid, yaml-syntax, yaml-duplicate-key, yaml-limit, file-unreadable.
    """
    for file in files:
        with file.open() as stream:
            for found in _values(stream, file.path):
                yield from _objects(found, Location(file.path, found.line), is_named=file.is_named)


def _values(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    head = stream.read(_HEAD)
    if head.startswith(_COMPRESSED):
        message = "the file is compressed"
        raise Diagnostic.in_file(path, Code.DUMP_INVALID, message, "unpack it first").error()
    start = head.removeprefix(_BOM).lstrip()
    if _COLUMNS.match(start):
        message = "these are the columns that kubectl get prints for people"
        raise Diagnostic.in_file(Location(path, 1), Code.DUMP_INVALID, message, PRINT_HINT).error()
    whole = _Rejoined(head, stream)
    yield from stream_json(whole, path) if start.startswith((b"{", b"[")) else stream_yaml(whole, path)  # type: ignore[arg-type]  # only read() is called
    note_read(f"dump {path}", whole.size)


class _Rejoined:
    """A stream whose first bytes were read already; ``size`` counts all bytes that were read."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream
        self.size = len(head)

    def read(self, size: int) -> bytes:
        """Return the next bytes; empty at the end."""
        if not self._head:
            content = self._stream.read(size)
            self.size += len(content)
            return content
        part, self._head = self._head[:size], self._head[size:]
        return part


def _objects(found: StreamedValue, location: Location, *, is_named: bool) -> Iterator[LiveObject]:
    value = found.value
    if value is None or value == {}:
        return
    if found.list_fields is None and ITEMS in object_at(value):
        _check_list(object_at(value), location)
        return
    if found.list_fields is not None:
        value = _with_kind(value, found.list_fields)
    elif not is_named and (not _is_object(value) or text_at(value, "apiVersion").startswith(_KUSTOMIZE)):
        return
    yield from _unwrapped(value, location)


def _unwrapped(value: Json, location: Location) -> Iterator[LiveObject]:
    """Yield the object, or the objects of the list that it is."""
    content = object_at(value)
    _check_kind(content, location)
    items = content.get(ITEMS)
    if isinstance(items, list) and text_at(content, "kind").endswith(_LIST):
        for item in items:
            yield from _unwrapped(_with_kind(item, content), location)
        return
    live = LiveObject(content, location)
    for name, pattern in ((live.name, _NAME), (live.namespace, _NAMESPACE)):
        if len(name) > limits().name_length or (name and not pattern.fullmatch(name)):
            message = "no API server accepts the name of this object"
            raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_HINT).error()
    if not live.name:
        message = f"the {live.kind} has no metadata.name"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_HINT).error()
    yield live


def _check_kind(content: JsonObject, location: Location) -> None:
    kind = text_at(content, "kind")
    if kind in _NO_OBJECTS:
        says = f": {text_at(content, 'message')[:200]}" if kind == "Status" else ""
        hint = _TABLE_HINT if kind == "Table" else PRINT_HINT
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, f"{_NO_OBJECTS[kind]}{says}", hint).error()
    if not _is_object(content):
        message = "this is not a Kubernetes object, which has an apiVersion and a kind"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_HINT).error()


def _check_list(fields: JsonObject, location: Location) -> None:
    """Check the fields around the items of a document: kubectl prints its kind after the items."""
    kind = scalar_text(fields.get("kind"))
    if "kind" not in fields:
        message = "the list that begins here has no kind: the dump ends too early"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, _AGAIN_HINT).error()
    if kind in _NO_OBJECTS:
        _check_kind(fields, location)
    if not kind.endswith(_LIST):
        message = f"this {kind} has items, and is not a List"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_HINT).error()


def _is_object(value: Json) -> bool:
    return bool(text_at(value, "apiVersion") and text_at(value, "kind"))


def _with_kind(item: Json, fields: JsonObject) -> Json:
    """Return the item with the kind that its list implies: the API server omits it in a ``FooList``."""
    kind = text_at(fields, "kind").removesuffix(_LIST)
    if not isinstance(item, dict) or "kind" in item or not kind:
        return item
    return {"apiVersion": text_at(fields, "apiVersion"), "kind": kind, **item}
