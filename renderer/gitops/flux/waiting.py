"""Kustomizations and ResourceSets that wait until the objects that they need are known."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

from renderer.model.kube.res_id import Reference

Item = TypeVar("Item")


class ReadyFirst(Generic[Item]):
    """Items in the order in which they were added; those that miss nothing come before all others.

    Each item is looked at only when an object is known that it waits for.
    """

    def __init__(self) -> None:
        self._items: dict[int, tuple[Item, Iterator[Reference]]] = {}
        self._ready: list[int] = []
        self._waiting_for: dict[Reference, list[int]] = {}
        self._added = 0

    def add(self, item: Item, missing: Iterator[Reference]) -> None:
        """Add an item; ``missing`` yields an object that it waits for, and the next when that is known."""
        self._items[self._added] = item, missing
        self._look_at(self._added)
        self._added += 1

    def note(self, key: Reference) -> None:
        """Note that an object is known."""
        for number in self._waiting_for.pop(key, ()):
            if number in self._items:
                self._look_at(number)

    def take_ready(self) -> Item | None:
        """Remove and return the first item that misses nothing."""
        return self._items.pop(heappop(self._ready))[0] if self._ready else None

    def take_any(self) -> Item | None:
        """Remove and return the first item; none of them may be ready."""
        return self._items.pop(next(iter(self._items)))[0] if self._items else None

    def _look_at(self, number: int) -> None:
        missing = next(self._items[number][1], None)
        if missing is None:
            heappush(self._ready, number)
        else:
            self._waiting_for.setdefault(missing, []).append(number)
