"""Fields that hold nothing: unlike an explicit null, they do not survive a strategic merge patch."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.compose.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.model.field_path import Segment
from renderer.model.json import Json, object_at
from renderer.model.resource import Resource


def without_blank_fields(resource: Resource, schema: MergeSchema) -> Resource:
    """The resource without those of its blank fields that a strategic merge visits (``merge2.go`` VisitMap).

    It goes into no lists but those that merge by key.
    """
    if not resource.blank_fields:
        return resource
    content: Json = resource.content
    root = schema.of_kind(resource.api_version, resource.kind)
    for field in reversed(resource.blank_fields):
        content = _without(content, field.segments, root, schema)
    return resource._replace(content=object_at(content), blank_fields=())


def _without(value: Json, path: Sequence[Segment], field: FieldSchema | None, schema: MergeSchema) -> Json:
    head, *rest = path
    if isinstance(value, list) and isinstance(head, int):
        if field is None or field.merge_keys is None or head >= len(value):
            return value
        element = _without(value[head], rest, schema.element(field), schema)
        return [*value[:head], element, *value[head + 1 :]]
    if not isinstance(value, dict) or not isinstance(head, str) or head not in value:
        return value
    if rest:
        return {**value, head: _without(value[head], rest, schema.fields(field).get(head), schema)}
    if value[head] is not None:
        return value
    return {key: child for key, child in value.items() if key != head}
