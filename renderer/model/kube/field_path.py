"""The path of a value inside a document, and JSON pointers (RFC 6901): ``/metadata/labels/a.com~1team``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from renderer.model.record import Record


class ElementName(Record):
    """A list element named by one of its fields, as kustomize writes it: ``[name=web]``."""

    key: str
    value: str


Segment: TypeAlias = str | int | ElementName

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$-")


class FieldPath(Record):
    """The path from a document's root to a value: mapping keys, list indices and list element names."""

    segments: tuple[Segment, ...] = ()

    @classmethod
    def of(cls, *segments: Segment) -> FieldPath:
        return cls(segments)

    def child(self, *segments: Segment) -> FieldPath:
        return FieldPath(self.segments + segments)

    def overlaps(self, other: FieldPath) -> bool:
        """Return True if one of both fields is the other, or is in it."""
        return all(one == two for one, two in zip(self.segments, other.segments, strict=False))

    @property
    def parent(self) -> FieldPath:
        return FieldPath(self.segments[:-1])

    @property
    def keys(self) -> tuple[str, ...]:
        """The segments of a path that leads through mappings only."""
        return tuple(map(str, self.segments))

    def __str__(self) -> str:
        """``spec.template.spec.domain.devices.disks[0].name``; keys that hold dots are quoted in brackets."""
        text = ""
        for segment in self.segments:
            if isinstance(segment, int):
                text += f"[{segment}]"
            elif isinstance(segment, ElementName):
                text += f"[{segment.key}={segment.value}]"
            elif segment and _PLAIN.issuperset(segment):
                text += f".{segment}" if text else segment
            else:
                text += f'["{segment}"]'
        return text


ROOT = FieldPath()


def parse_pointer(pointer: str) -> list[str]:
    """Return the keys of a JSON pointer, unescaped; text before the first slash is ignored."""
    return [unescape(part) for part in pointer.split("/")[1:]]


def format_pointer(keys: Iterable[str | int]) -> str:
    """Return the JSON pointer that leads through ``keys``."""
    return "".join(f"/{escape(str(key))}" for key in keys)


def unescape(part: str) -> str:
    """Return a part of a JSON pointer, unescaped to a key (RFC 6901)."""
    return part.replace("~1", "/").replace("~0", "~")


def escape(key: str) -> str:
    """Return a key, escaped as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
