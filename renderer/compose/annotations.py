"""Labels and annotations as kustomize writes them when it sets them: texts, and no field rather than an empty one.

At the end of a build every object's annotations are set once more (``RemoveBuildAnnotations``), and objects that
configure tools are left out (``api/resource/factory.go`` DropLocalNodes).
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.compose.res_map import ResMap
from renderer.compose.values import is_bare_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
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


def with_final_annotations(resource: Resource) -> Resource:
    """The resource with its annotations as texts. Raises: resource-invalid when a key would be no text."""
    annotations = object_at(resource.content, "metadata", "annotations")
    for key in annotations:
        if not is_bare_text(key):
            raise _unwritable(resource, key)
    return with_text_annotations(resource)


def _unwritable(resource: Resource, key: str) -> DiagnosticError:
    field = FieldPath.of("metadata", "annotations", key)
    return DiagnosticError(
        Diagnostic(
            code=Code.RESOURCE_INVALID,
            message=f"the annotation {key or 'without a name'} of {resource.current_id} cannot be written",
            sites=resource.sites(field),
            resource=resource.current_id,
            field=field,
            hint="rename it: as a key without quotes it would be no text",
        )
    )


_ANNOTATION = "config.kubernetes.io/local-config"


def drop_local(resources: ResMap) -> None:
    """Removes the local objects. Raises: resource-invalid for an object that has lost its name or kind."""
    for key, resource in resources.items():
        _check(resource)
        if _is_local(resource):
            resources.remove(key)


def _is_local(resource: Resource) -> bool:
    annotations = object_at(resource.content, "metadata", "annotations")
    return _ANNOTATION in annotations and scalar_text(annotations[_ANNOTATION]) != "false"


def _check(resource: Resource) -> None:
    missing = "kind" if not resource.kind else "metadata.name" if not resource.name else ""
    if missing and not resource.kind.endswith("List"):
        raise DiagnosticError(
            Diagnostic(
                code=Code.RESOURCE_INVALID,
                message=f"{resource.original_id} has no {missing} after all patches",
                sites=resource.sites(),
            )
        )
