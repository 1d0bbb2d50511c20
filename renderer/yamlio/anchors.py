"""Anchors of one document, and how much its aliases stand for."""

from __future__ import annotations

from typing import NamedTuple

from renderer.model.json import Json
from renderer.yamlio.errors import LimitError, UnusableError
from renderer.yamlio.limits import MAX_ALIASED_VALUES, MAX_DEPTH


class _Extent(NamedTuple):
    """How many values a tree has, and how many collections stand within each other."""

    size: int
    height: int


_SCALAR = _Extent(1, 0)


class Anchors:
    """Values by anchor. An alias shares the value of its anchor, as trees are read-only."""

    __slots__ = ("_aliased", "_extents", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Json] = {}
        self._extents: dict[int, tuple[Json, _Extent]] = {}
        self._aliased = 0

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
        extent = self._extent(value)
        self._aliased += extent.size
        if self._aliased > MAX_ALIASED_VALUES:
            raise LimitError(f"the aliases stand for more than {MAX_ALIASED_VALUES} values")
        if depth + extent.height > MAX_DEPTH:
            raise LimitError(f"more than {MAX_DEPTH} levels of nesting")
        return value

    def _extent(self, value: Json) -> _Extent:
        """What a tree amounts to; collections that aliases share count every time, but are looked at once."""
        if not isinstance(value, dict | list):
            return _SCALAR
        known = self._extents.get(id(value))
        if known:
            return known[1]
        children = [self._extent(child) for child in (value.values() if isinstance(value, dict) else value)]
        extent = _Extent(
            size=1 + sum(child.size for child in children),
            height=1 + max((child.height for child in children), default=0),
        )
        self._extents[id(value)] = value, extent
        return extent
