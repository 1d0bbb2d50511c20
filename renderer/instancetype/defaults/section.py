"""Reading and changing sections of a template's spec.

What is not a mapping where one belongs is left alone, so that the schema can tell of it.
"""

from __future__ import annotations

from renderer.model.json import EMPTY, Json, JsonObject, object_at


def with_section(spec: JsonObject, path: tuple[str, ...], section: Json) -> JsonObject:
    """The spec with ``section`` at ``path``; the spec itself when something else is in the way."""
    head, *rest = path
    if not rest:
        return {**spec, head: section}
    child = spec.get(head)
    if child is not None and not isinstance(child, dict):
        return spec
    below = EMPTY if child is None else child
    changed = with_section(below, tuple(rest), section)
    return spec if changed is below else {**spec, head: changed}


def with_default(spec: JsonObject, path: tuple[str, ...], value: Json) -> JsonObject:
    """The spec with ``value`` at ``path`` if there is nothing, or an empty text."""
    current = object_at(spec, *path[:-1]).get(path[-1])
    return with_section(spec, path, value) if current in (None, "") else spec
