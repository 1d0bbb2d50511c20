"""Anchors of one document, and how much its aliases stand for."""

from __future__ import annotations

from typing import NamedTuple

from renderer.model.json import Json
from renderer.model.limits import limits
from renderer.yamlio.errors import LimitError, UnusableError


class _Extent(NamedTuple):
    """Values of a tree, collections in it that stand within each other, and characters of its texts."""

    size: int
    height: int
    length: int


class Anchors:
    """Values by anchor. An alias shares the value of its anchor, as trees are read-only."""

    __slots__ = ("_aliased", "_extents", "_length", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Json] = {}
        self._extents: dict[int, tuple[Json, _Extent]] = {}
        self._aliased = 0
        self._length = 0

    def open(self, anchor: str) -> None:
        """From here on ``anchor`` names a value that is still being read."""
        self._values.pop(anchor, None)

    def close(self, anchor: str, value: Json) -> None:
        self._values[anchor] = value

    def alias(self, anchor: str, depth: int) -> Json:
        """The value of ``anchor``, to stand ``depth`` collections deep. Raises ``UnusableError``."""
        if anchor not in self._values:
            raise UnusableError(
                # Its name is not repeated: it may be a password that begins with *.
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
            message = f"the aliases stand for more than {most.aliased_values} values"
            raise LimitError("aliased_values", message)
        if self._length > most.file_size:
            raise LimitError("file_size", f"the aliases stand for more than {most.file_size} characters")
        if depth + extent.height > most.nesting:
            raise LimitError("nesting", f"more than {most.nesting} levels of nesting")

    def _extent(self, value: Json) -> _Extent:
        """What a tree amounts to; collections that aliases share count every time, but are looked at once."""
        if not isinstance(value, dict | list):
            return _Extent(1, 0, len(value) if isinstance(value, str) else 0)
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
