"""JSON pointers (RFC 6901): ``/metadata/annotations/example.com~1team``."""

from __future__ import annotations

from collections.abc import Iterable


def parse_pointer(pointer: str) -> list[str]:
    """Return the keys of ``pointer``, unescaped; text before the first slash does not count."""
    return [unescape(part) for part in pointer.split("/")[1:]]


def format_pointer(keys: Iterable[str | int]) -> str:
    """Return the pointer that leads through ``keys``."""
    return "".join(f"/{escape(str(key))}" for key in keys)


def unescape(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
