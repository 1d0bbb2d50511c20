"""Read the objects of a cluster from what ``kubectl get … -o yaml`` or ``-o json`` printed, one by one.

A dump is a list, a list of lists, several documents one after the other, or a folder of files with any of
these, such as ``oc adm must-gather`` and ``oc adm inspect`` make. However long it is, one object is held.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Protocol

from renderer.dump.findings import PRINT_HINT, invalid, without_end
from renderer.dump.json_stream import stream_json
from renderer.model.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.limits import limits
from renderer.model.live_object import LiveObject
from renderer.model.location import Location
from renderer.model.work import note_read
from renderer.yamlio.stream import ITEMS, StreamedValue, stream_yaml


class DumpFile(Protocol):
    """A part of a dump. ``is_named``: people named the file, and did not name the folder that it is in."""

    @property
    def path(self) -> str: ...

    @property
    def is_named(self) -> bool: ...

    def open(self) -> BinaryIO: ...


_HEAD = 4096
_BOM = b"\xef\xbb\xbf"
#: The first line of ``kubectl get`` without ``-o``.
_COLUMNS = re.compile(rb"(NAMESPACE +)?NAME( {2,}[A-Z]|\s*$)", re.MULTILINE)
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_LIST = "List"
_KUSTOMIZE = "kustomize.config.k8s.io/"
#: Names of objects as the API server takes them for any kind (``pkg/api/validation/path/name.go``).
_NAME = re.compile(r"(?!\.\.?$)[!-$&-.0-~]+")
_NAMESPACE = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_TABLE_HINT = f"a Table has columns for people and no objects; {PRINT_HINT}"
_NO_OBJECTS = {
    "Table": "this is a Table",
    "Status": "this is an answer of the API server about an error",
    "PartialObjectMetadata": "this is the metadata of an object alone",
    "PartialObjectMetadataList": "these are the metadata of objects alone",
}


def read_dump(files: Iterable[DumpFile]) -> Iterator[LiveObject]:
    """Yield the objects in the order of the files.

    In a folder, documents that are no objects of a cluster are passed over, such as kustomizations.

    Raises ``DiagnosticError``: dump-invalid, yaml-syntax, yaml-duplicate-key, yaml-limit, file-unreadable.
    """
    for file in files:
        with file.open() as stream:
            for found in _values(stream, file.path):
                yield from _objects(found, Location(file.path, found.line), is_named=file.is_named)


def _values(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    head = stream.read(_HEAD)
    if head.startswith(_COMPRESSED):
        raise invalid("the file is compressed", Location(path), "unpack it first")
    start = head.removeprefix(_BOM).lstrip()
    if _COLUMNS.match(start):
        raise invalid("these are the columns that kubectl get prints for people", Location(path, 1))
    whole = _Rejoined(head, stream)
    yield from stream_json(whole, path) if start.startswith((b"{", b"[")) else stream_yaml(whole, path)  # type: ignore[arg-type]  # only read() is called
    note_read(f"dump {path}", whole.size)


class _Rejoined:
    """A stream whose first bytes were read already; ``size`` counts all that were."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = head
        self._stream = stream
        self.size = len(head)

    def read(self, size: int) -> bytes:
        """Return the next bytes; nothing at the end."""
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
            raise invalid("the name of this object is none that an API server takes", location)
    if not live.name:
        raise invalid(f"the {live.kind} has no metadata.name", location)
    yield live


def _check_kind(content: JsonObject, location: Location) -> None:
    kind = text_at(content, "kind")
    if kind in _NO_OBJECTS:
        says = f": {text_at(content, 'message')[:200]}" if kind == "Status" else ""
        raise invalid(f"{_NO_OBJECTS[kind]}{says}", location, _TABLE_HINT if kind == "Table" else PRINT_HINT)
    if not _is_object(content):
        raise invalid("this is no Kubernetes object, which has an apiVersion and a kind", location)


def _check_list(fields: JsonObject, location: Location) -> None:
    """Check the fields around the items of a document: kubectl prints its kind behind the items."""
    kind = scalar_text(fields.get("kind"))
    if "kind" not in fields:
        raise without_end(location)
    if kind in _NO_OBJECTS:
        _check_kind(fields, location)
    if not kind.endswith(_LIST):
        raise invalid(f"this {kind} has items, and is no List", location)


def _is_object(value: Json) -> bool:
    return bool(text_at(value, "apiVersion") and text_at(value, "kind"))


def _with_kind(item: Json, fields: JsonObject) -> Json:
    """Return the item with the kind that its list tells: the API server leaves it out of a ``FooList``."""
    kind = text_at(fields, "kind").removesuffix(_LIST)
    if not isinstance(item, dict) or "kind" in item or not kind:
        return item
    return {"apiVersion": text_at(fields, "apiVersion"), "kind": kind, **item}
