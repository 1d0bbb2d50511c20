"""JSON trees, read-only by type, and changes to them; a changed tree shares the unchanged parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Never, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Json: TypeAlias = "Scalar | Sequence[Json] | Mapping[str, Json]"
JsonObject: TypeAlias = Mapping[str, Json]

EMPTY: Mapping[str, Never] = {}
_DIGEST_LENGTH = 10


def count_values(value: Json) -> int:
    """Return the number of values in a tree; a shared value counts each time it is used."""
    if not isinstance(value, dict | list):
        return 1
    # A plain loop and exact types, because this goes through everything that is rendered.
    count, waiting = 1, [value]
    while waiting:
        node = waiting.pop()
        count += len(node)
        for child in node.values() if type(node) is dict else node:
            kind = type(child)
            if kind is not str and (kind is dict or kind is list):
                waiting.append(child)
    return count


def contains_null(value: JsonObject) -> bool:
    """Return True if a field or an element in a tree is null."""
    # A plain loop and exact types, because this goes through everything that is rendered.
    waiting: list[Any] = [value]
    while waiting:
        node = waiting.pop()
        children = node.values() if type(node) is dict else node
        if None in children:
            return True
        for child in children:
            kind = type(child)
            if kind is not str and (kind is dict or kind is list):
                waiting.append(child)
    return False


def mappings_in(value: Json) -> Iterator[JsonObject]:
    """Yield the mappings in a tree, itself among them, in their order; one that aliases share, once."""
    waiting = [value]
    known: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict | list) or id(node) in known:
            continue
        known.add(id(node))
        if isinstance(node, dict):
            yield node
        waiting += reversed(node.values() if isinstance(node, dict) else node)


def object_at(value: Json, *path: str) -> JsonObject:
    """Return the mapping at ``path`` below ``value``; an empty one if it is absent or not a mapping."""
    for key in path:
        if not isinstance(value, dict):
            return EMPTY
        value = value.get(key)
    return value if isinstance(value, dict) else EMPTY


def array_at(value: Json, *path: str) -> Sequence[Json]:
    """Return the sequence at ``path`` below ``value``; an empty one if it is absent or not a sequence."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else ()


def text_at(value: Json, *path: str) -> str:
    """Return the string at ``path`` below ``value``; the empty string if it is absent or not a string."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def scalar_text(value: Json) -> str:
    """Return a scalar as YAML writes it; the empty string for a mapping or sequence."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    return str(value) if isinstance(value, int | float) else ""


def with_entries(value: JsonObject, entries: JsonObject) -> JsonObject:
    """Return a copy of ``value`` with ``entries``; it shares a key table if ``value`` does (``sharing``)."""
    # Every mapping of a tree is a dictionary.
    return value | entries  # type: ignore[operator, no-any-return]


def with_value(value: JsonObject, path: Sequence[str], new: Json) -> JsonObject:
    """Return a copy of ``value`` with ``new`` at ``path``; missing mappings on the path are created."""
    head, *rest = path
    if not rest:
        return with_entries(value, {head: new})
    child = value.get(head)
    changed = with_value(child if isinstance(child, dict) else EMPTY, rest, new)
    return with_entries(value, {head: changed})


def without(value: JsonObject, *path: str) -> JsonObject:
    """Return a copy of ``value`` without the value at ``path``; ``value`` itself if there was none."""
    head, *rest = path
    if head not in value:
        return value
    if not rest:
        return {key: child for key, child in value.items() if key != head}
    child = value[head]
    if not isinstance(child, dict):
        return value
    changed = without(child, *rest)
    return value if changed is child else with_entries(value, {head: changed})


def content_digest(value: Json) -> str:
    """Return ten hexadecimal digits that depend on the value, and not on the order of its keys."""
    import json  # noqa: PLC0415 - for what few commands do

    from renderer.model.digest import sha256  # noqa: PLC0415 - as above

    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")))[:_DIGEST_LENGTH]
