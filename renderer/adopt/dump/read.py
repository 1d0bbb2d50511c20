"""Read the objects of a cluster from the output of ``kubectl get … -o yaml`` or ``-o json``, one by one.

A dump is a list, a list of lists, several documents one after the other, or a folder of files with any of
these, such as the output of ``oc adm must-gather`` and ``oc adm inspect``. However long it is, only one
object is in memory at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol

from renderer.adopt.dump.json_stream import PRINT_AGAIN_HINT, stream_json
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location
from renderer.model.run.limits import limits, over_limit
from renderer.model.run.work import note_read
from renderer.yamlio.stream import ITEMS, StreamedValue, stream_yaml

_PRINT_HINT = "print the objects with kubectl get … -o yaml, or -o json"
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
_TABLE_HINT = f"a Table has columns for people and no objects; {_PRINT_HINT}"
_NO_OBJECTS = {
    "Table": "this is a Table",
    "Status": "this is an answer of the API server about an error",
    "PartialObjectMetadata": "this is the metadata of an object alone",
    "PartialObjectMetadataList": "these are the metadata of objects alone",
}


class DumpFile(Protocol):
    """A part of a dump. ``is_named``: the user named the file itself, not the folder that it is in."""

    @property
    def path(self) -> str: ...

    @property
    def is_named(self) -> bool: ...

    def open(self) -> BinaryIO: ...


def read_dump(files: Iterable[DumpFile]) -> Iterator[LiveObject]:
    """Yield the objects in the order of the files.

    In a folder, documents that are not objects of a cluster are skipped, such as kustomizations. The items of
    a ``FooList`` need not say their kind; if the list says it after them, they are kept until it does.

    Raises ``DiagnosticError``: dump-invalid, yaml-syntax, yaml-duplicate-key, yaml-limit, build-limit,
    file-unreadable.
    """
    for file in files:
        with file.open() as stream:
            waiting: list[StreamedValue] = []
            for found in _stream_values(stream, file.path):
                if _waits_for_kind(found):
                    waiting.append(found)
                    if len(waiting) > limits().resources:
                        raise over_limit(
                            "resources", f"the list holds more than {limits().resources} objects"
                        )
                    continue
                yield from _objects(found, Location(file.path, found.line), is_named=file.is_named)
                if found.list_fields is None:  # a list ends with its document
                    yield from _with_kinds(waiting, file.path)
                    waiting.clear()
            yield from _with_kinds(waiting, file.path)


def _waits_for_kind(found: StreamedValue) -> bool:
    """Return True for an item without a kind, of a list whose kind was not read yet."""
    return found.list_fields is not None and not (
        _is_object(found.value) or {"apiVersion", "kind"} <= found.list_fields.keys()
    )


def _with_kinds(waiting: Iterable[StreamedValue], path: str) -> Iterator[LiveObject]:
    """Yield the objects that waited for the kind of their list, which has ended."""
    for found in waiting:
        item = _with_kind(found.value, found.list_fields or {})
        yield from _live_objects(item, Location(path, found.line))


def _stream_values(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    head = stream.read(_HEAD)
    if head.startswith(_COMPRESSED):
        message = "the file is compressed"
        raise Diagnostic.in_file(path, Code.DUMP_INVALID, message, "unpack it first").error()
    start = head.removeprefix(_BOM).lstrip()
    if _COLUMNS.match(start):
        message = "these are the columns that kubectl get prints for people"
        raise Diagnostic.in_file(Location(path, 1), Code.DUMP_INVALID, message, _PRINT_HINT).error()
    whole = _PeekedStream(head, stream)
    yield from stream_json(whole, path) if start.startswith((b"{", b"[")) else stream_yaml(whole, path)  # type: ignore[arg-type]  # only read() is called
    note_read(f"dump {path}", whole.size)


class _PeekedStream:
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
    yield from _live_objects(value, location)


def _live_objects(value: Json, location: Location) -> Iterator[LiveObject]:
    """Yield the object, or the objects of the list that it is."""
    content = object_at(value)
    _check_kind(content, location)
    items = content.get(ITEMS)
    if isinstance(items, list) and text_at(content, "kind").endswith(_LIST):
        for item in items:
            yield from _live_objects(_with_kind(item, content), location)
        return
    live = LiveObject(content, location)
    for name, pattern in ((live.name, _NAME), (live.namespace, _NAMESPACE)):
        if len(name) > limits().name_length or (name and not pattern.fullmatch(name)):
            message = "no API server accepts the name of this object"
            raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, _PRINT_HINT).error()
    if not live.name:
        message = f"the {live.kind} has no metadata.name"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, _PRINT_HINT).error()
    yield live


def _check_kind(content: JsonObject, location: Location) -> None:
    kind = text_at(content, "kind")
    if kind in _NO_OBJECTS:
        says = f": {text_at(content, 'message')[:200]}" if kind == "Status" else ""
        hint = _TABLE_HINT if kind == "Table" else _PRINT_HINT
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, f"{_NO_OBJECTS[kind]}{says}", hint).error()
    if not _is_object(content):
        message = "this is not a Kubernetes object, which has an apiVersion and a kind"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, _PRINT_HINT).error()


def _check_list(fields: JsonObject, location: Location) -> None:
    """Check the fields around the items of a document: kubectl prints its kind after the items."""
    kind = scalar_text(fields.get("kind"))
    if "kind" not in fields:
        message = "the list that begins here has no kind: the dump ends too early"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_AGAIN_HINT).error()
    if kind in _NO_OBJECTS:
        _check_kind(fields, location)
    if not kind.endswith(_LIST):
        message = f"this {kind} has items, and is not a List"
        raise Diagnostic.in_file(location, Code.DUMP_INVALID, message, _PRINT_HINT).error()


def _is_object(value: Json) -> bool:
    return bool(text_at(value, "apiVersion") and text_at(value, "kind"))


def _with_kind(item: Json, fields: JsonObject) -> Json:
    """Return the item with the kind that its list implies: the API server omits it in a ``FooList``."""
    kind = text_at(fields, "kind").removesuffix(_LIST)
    if not isinstance(item, dict) or "kind" in item or not kind:
        return item
    return {"apiVersion": text_at(fields, "apiVersion"), "kind": kind, **item}
