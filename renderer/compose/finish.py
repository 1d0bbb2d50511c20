"""The last thing that happens to every object: its annotations are set anew (``RemoveBuildAnnotations``)."""

from __future__ import annotations

from renderer.compose.bare_text import is_bare_text
from renderer.compose.metadata import with_text_annotations
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import object_at
from renderer.model.resource import Resource


def finished(resource: Resource) -> Resource:
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
