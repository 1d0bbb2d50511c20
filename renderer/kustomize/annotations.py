"""Labels and annotations as kustomize writes them: as texts, without a field if it would be empty.

At the end of a build the annotations of every object are set once more (``RemoveBuildAnnotations``), and
objects that configure tools are left out (``api/resource/factory.go`` DropLocalNodes).
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.kustomize.build_annotations import BUILD_ANNOTATIONS, is_local
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.values import is_bare_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.fields import describe_value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, scalar_text, with_value, without
from renderer.model.kube.resource import Resource


def with_text_annotations(resource: Resource, text: Callable[[Json], str] = scalar_text) -> Resource:
    """Return the resource with its annotations as texts (kyaml ``SetAnnotations``)."""
    content = with_texts(resource.content, "annotations", resource, text)
    return resource if content is resource.content else resource.with_content(content)


def with_annotations_for_build(resource: Resource) -> JsonObject:
    """Return the content with annotations, possibly empty, if kustomize records build annotations there."""
    content = resource.content
    has_build_annotations = (
        resource.previous_ids or resource.name_prefixes or resource.name_suffixes or resource.needs_hash
    )
    if not has_build_annotations or object_at(content, "metadata").get("annotations"):
        return content
    return with_value(content, ("metadata", "annotations"), {})


def with_texts(
    content: JsonObject, field: str, resource: Resource, text: Callable[[Json], str] = scalar_text
) -> JsonObject:
    """Return ``content`` with labels or annotations as texts; blank ones become empty texts."""
    metadata = object_at(content, "metadata")
    if field not in metadata:
        return content
    entries = metadata[field]
    if not isinstance(entries, dict) or not entries:
        return without(content, "metadata", field)
    if not resource.spellings and all(isinstance(value, str) for value in entries.values()):
        return content
    texts: dict[str, Json] = {}
    for key, value in entries.items():
        spelling = resource.spelling("metadata", field, key)
        texts[key] = text(value) if spelling is None else spelling.text
    return content if texts == entries else with_value(content, ("metadata", field), texts)


def with_final_annotations(resource: Resource, warn: Callable[[Diagnostic], None]) -> Resource:
    """Return the resource with annotations as texts; ``warn`` receives the values that kustomize drops.

    Raises: resource-invalid for annotations that are not a mapping, which kustomize drops or crashes on, and
    for a key that would not be a text.
    """
    written = object_at(resource.content, "metadata").get("annotations")
    if written is not None and not isinstance(written, dict):
        field = FieldPath.of("metadata", "annotations")
        message = f"{field} must be a mapping, not {describe_value(written)}"
        raise Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message).error()
    annotations: JsonObject = written or EMPTY
    for key, value in annotations.items():
        if not is_bare_text(key):
            field = FieldPath.of("metadata", "annotations", key)
            message = f"the annotation {key or 'without a name'} of {resource.current_id} cannot be written"
            hint = "rename it: kustomize writes the key without quotes, which YAML does not read as text"
            raise Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message, hint).error()
        if isinstance(value, dict | list):
            field = FieldPath.of("metadata", "annotations", key)
            warn(
                Diagnostic.about(
                    resource,
                    field,
                    Code.SCHEMA,
                    f"{field} is not text, and kustomize replaces it with an empty text",
                    "put the value in quotes, or write it as a block of text (|); {{ also begins a mapping",
                    severity=Severity.WARNING,
                )
            )
    if not BUILD_ANNOTATIONS.isdisjoint(annotations):
        remaining: Json = {key: value for key, value in annotations.items() if key not in BUILD_ANNOTATIONS}
        content = with_value(resource.content, ("metadata", "annotations"), remaining)
        resource = resource.with_content(content)
    return with_text_annotations(resource)


def drop_local(resources: ResMap) -> None:
    """Remove local objects. Raises: resource-invalid for an object that has lost its name or kind."""
    for key, resource in resources.items():
        is_identified = resource.kind and (resource.name or resource.kind.endswith("List"))
        if not is_identified:
            missing = "metadata.name" if resource.kind else "kind"
            raise Diagnostic(
                Code.RESOURCE_INVALID,
                f"{resource.original_id} has no {missing} after all patches",
                sites=resource.sites(),
            ).error()
        if is_local(resource.content):
            resources.remove(key)
