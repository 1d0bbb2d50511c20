"""Labels and annotations as kustomize leaves them when it sets them: texts, and none rather than empty."""

from __future__ import annotations

from collections.abc import Callable

from renderer.model.json import Json, JsonObject, object_at, scalar_text, with_value, without
from renderer.model.resource import Resource


def with_text_annotations(resource: Resource, text: Callable[[Json], str] = scalar_text) -> Resource:
    """The resource with its annotations as texts (kyaml ``SetAnnotations``); itself when they are."""
    content = _with_texts(resource.content, "annotations", resource, text)
    return resource if content is resource.content else resource.with_content(content)


def as_targeted_patch(document: Resource) -> JsonObject:
    """A strategic merge patch as kustomize applies it to what a target selects (``ApplySmPatch``).

    Its API version becomes the target's. Its labels and annotations are set anew: null deletes none of them.
    """
    content = _with_texts(without(document.content, "apiVersion"), "annotations", document)
    return _with_texts(content, "labels", document)


def _with_texts(
    content: JsonObject, field: str, resource: Resource, text: Callable[[Json], str] = scalar_text
) -> JsonObject:
    """``content`` with the labels or annotations as texts; nothing where ``resource`` holds nothing."""
    metadata = object_at(content, "metadata")
    if field not in metadata:
        return content
    entries = metadata[field]
    if not isinstance(entries, dict) or not entries:
        return without(content, "metadata", field)
    if all(isinstance(value, str) for value in entries.values()):
        return content
    blank = {path.segments[-1] for path in resource.blank_fields if path.segments[:-1] == ("metadata", field)}
    texts: Json = {key: "" if key in blank else text(value) for key, value in entries.items()}
    return with_value(content, ("metadata", field), texts)
