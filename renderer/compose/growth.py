"""How much a change adds to an object, found in what the two do not share.

Trees are read-only and share what a change leaves alone, so that this looks at little more than the change. A
tree may also share parts with itself, many times over: each counts wherever it stands, and is looked at once.
"""

from __future__ import annotations

from renderer.model.json import Json
from renderer.model.record import Record

#: Characters of a number, and of what stands around a value when it is written.
_SCALAR, _AROUND = 4, 2


class Growth(Record):
    """Characters that were added, about, and the most collections within each other on the way to them."""

    size: int
    depth: int


_NOTHING = Growth(0, 0)


def growth(before: Json, after: Json) -> Growth:
    """What ``after`` has that ``before`` does not share with it."""
    return _added(before, after, {})


def _added(before: Json, after: Json, known: dict[int, Growth]) -> Growth:
    if before is after:
        return _NOTHING
    if isinstance(after, dict):
        old = before if isinstance(before, dict) else {}
        size = depth = 0
        for key, child in after.items():
            kept = old.get(key)
            if kept is child and key in old:
                continue
            added = _added(kept, child, known) if key in old else _whole(child, known)
            size += added.size + (0 if key in old else len(key) + _AROUND)
            depth = max(depth, added.depth)
        return Growth(size, depth + 1)
    if isinstance(after, list):
        return _added_elements(before if isinstance(before, list) else [], after, known)
    return _scalar(after)


def _added_elements(before: list[Json], after: list[Json], known: dict[int, Growth]) -> Growth:
    """Elements may have moved. One that has changed stands, most likely, where it stood before."""
    kept = set(map(id, before))
    size = depth = 0
    for index, child in enumerate(after):
        if id(child) in kept:
            continue
        changed = len(before) == len(after)
        added = _added(before[index], child, known) if changed else _whole(child, known)
        size += added.size + (0 if changed else _AROUND)
        depth = max(depth, added.depth)
    return Growth(size, depth + 1)


def _whole(value: Json, known: dict[int, Growth]) -> Growth:
    """All of a tree."""
    if not isinstance(value, dict | list):
        return _scalar(value)
    if id(value) not in known:
        children = [_whole(child, known) for child in (value.values() if isinstance(value, dict) else value)]
        keys = sum(map(len, value)) if isinstance(value, dict) else 0
        known[id(value)] = Growth(
            keys + _AROUND * len(value) + sum(child.size for child in children),
            1 + max((child.depth for child in children), default=0),
        )
    return known[id(value)]


def _scalar(value: Json) -> Growth:
    return Growth(len(value) if isinstance(value, str) else _SCALAR, 0)
