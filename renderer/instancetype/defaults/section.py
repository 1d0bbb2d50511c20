"""Values for the fields of a template's spec that are silent."""

from __future__ import annotations

from renderer.instancetype.vmi_template import with_section
from renderer.model.json import Json, JsonObject, object_at


def with_default(spec: JsonObject, path: tuple[str, ...], value: Json) -> JsonObject:
    """The spec with ``value`` at ``path`` if there is nothing, or an empty text."""
    current = object_at(spec, *path[:-1]).get(path[-1])
    return with_section(spec, path, value) if current in (None, "") else spec
