"""Objects that configure tools and are not to be applied (``api/resource/factory.go`` DropLocalNodes)."""

from __future__ import annotations

from renderer.compose.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import object_at, scalar_text
from renderer.model.resource import Resource

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
