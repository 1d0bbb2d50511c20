"""Diagnostics about entry points: what is wrong, at the field of the object that says so."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json, JsonObject
from renderer.model.resource import Resource
from renderer.model.suggest import suggest

#: The fields of a Flux Kustomization's spec, old and new (kustomize-controller ``kustomization_types.go``).
KUSTOMIZATION_FIELDS = (
    *(
        "commonMetadata",
        "components",
        "decryption",
        "deletionPolicy",
        "dependsOn",
        "force",
        "healthCheckExprs",
    ),
    *(
        "healthChecks",
        "ignoreMissingComponents",
        "images",
        "interval",
        "kubeConfig",
        "namePrefix",
        "nameSuffix",
    ),
    *("patches", "patchesJson6902", "patchesStrategicMerge", "path", "postBuild", "prune", "retryInterval"),
    *("serviceAccountName", "sourceRef", "suspend", "targetNamespace", "timeout", "validation", "wait"),
)
#: The fields of a source of an Application (argo-cd ``pkg/apis/application/v1alpha1/types.go``).
SOURCE_FIELDS = (
    *(
        "chart",
        "directory",
        "helm",
        "kustomize",
        "name",
        "path",
        "plugin",
        "ref",
        "repoURL",
        "targetRevision",
    ),
)


def misspelled_fields(
    entry: Resource, content: Json, known: tuple[str, ...], *way: Segment
) -> Iterator[Diagnostic]:
    """Yield a warning for each field at ``way`` that is nearly one of those ``known``."""
    fields: JsonObject = content if isinstance(content, dict) else {}
    for key in fields:
        near = (
            () if key in known else suggest(key, [name for name in known if name not in fields], cutoff=0.8)
        )
        if near:
            path = FieldPath((*way, key))
            yield Diagnostic.about(
                entry,
                path,
                Code.UNKNOWN_FIELD,
                f"{path} is not a field of {entry.kind}",
                f"did you mean {near[0]}? the API server would drop it silently",
                severity=Severity.WARNING,
            )


def refusal(
    code: Code, entry: Resource, message: str, *field: Segment, hint: str | None = None
) -> DiagnosticError:
    """Return the error about ``field`` of the object ``entry``."""
    path = FieldPath(field)
    return DiagnosticError(
        Diagnostic(
            code=code,
            message=message,
            sites=entry.sites(path),
            resource=entry.current_id,
            field=path,
            hint=hint,
        )
    )
