"""Annotations that kustomize uses as notes during a build (``api/resource/resource.go`` BuildAnnotations).

A ``Resource`` has fields for them. Annotations left in files by another build count as well. They are not
in the output.
"""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, scalar_text
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource

_DOMAIN = "internal.config.kubernetes.io"
_NAMES, _NAMESPACES, _KINDS = (
    f"{_DOMAIN}/{name}" for name in ("previousNames", "previousNamespaces", "previousKinds")
)
_PREFIXES, _SUFFIXES = f"{_DOMAIN}/prefixes", f"{_DOMAIN}/suffixes"
_NEEDS_HASH = f"{_DOMAIN}/needsHashSuffix"
#: On a patch, the permission to change the name or the kind of its target.
ALLOW_NAME_CHANGE, ALLOW_KIND_CHANGE = f"{_DOMAIN}/allowNameChange", f"{_DOMAIN}/allowKindChange"
_ENABLED = "enabled"
_LOCAL_CONFIG = "config.kubernetes.io/local-config"
_OTHERS = (
    "refBy",
    "generatorBehavior",
    "path",
    "index",
    "seqindent",
    "id",
    "annotations-migration-resource-id",
    "helm-generated",
)

BUILD_ANNOTATIONS = frozenset(
    {
        *(
            _NAMES,
            _NAMESPACES,
            _KINDS,
            _PREFIXES,
            _SUFFIXES,
            _NEEDS_HASH,
            ALLOW_NAME_CHANGE,
            ALLOW_KIND_CHANGE,
        ),
        *(f"{_DOMAIN}/{name}" for name in _OTHERS),
        "config.kubernetes.io/path",
        "config.kubernetes.io/index",
        "config.k8s.io/id",
    }
)


def has_build_annotations(resource: Resource) -> bool:
    """Return True if the resource has an annotation that kustomize's functions use to control a build."""
    return not BUILD_ANNOTATIONS.isdisjoint(object_at(resource.content, "metadata", "annotations"))


def is_local(content: JsonObject) -> bool:
    """Return True if the object configures tools and is never applied to a cluster."""
    annotations = object_at(content, "metadata", "annotations")
    return _LOCAL_CONFIG in annotations and scalar_text(annotations[_LOCAL_CONFIG]) != "false"


def is_enabled(resource: Resource, annotation: str) -> bool:
    """Return True if the build annotation has the value ``enabled``."""
    return _text(resource, annotation) == _ENABLED


def read_build_annotations(resource: Resource) -> Resource:
    """Return the resource with the ids, affixes and the need for a hash that its annotations record.

    Raises: resource-invalid if the records of previous ids are inconsistent.
    """
    if not has_build_annotations(resource):
        return resource
    return resource._replace(
        previous_ids=_previous_ids(resource),
        name_prefixes=_comma_separated(resource, _PREFIXES),
        name_suffixes=_comma_separated(resource, _SUFFIXES),
        needs_hash=resource.needs_hash or is_enabled(resource, _NEEDS_HASH),
    )


def _previous_ids(resource: Resource) -> tuple[ResId, ...]:
    """Return the previous ids (``api/internal/utils/makeResIds.go`` PrevIds)."""
    names = _comma_separated(resource, _NAMES)
    if not names:
        return ()
    namespaces, kinds = (_comma_separated(resource, key) or ("",) for key in (_NAMESPACES, _KINDS))
    if not len(names) == len(namespaces) == len(kinds):
        field = FieldPath.of("metadata", "annotations", _NAMES)
        message = f"{resource.current_id} has unequal numbers of previous names, namespaces and kinds"
        hint = f"remove the annotations of {_DOMAIN}, which an earlier build left"
        raise Diagnostic.about(resource, field, Code.RESOURCE_INVALID, message, hint).error()
    group, version = resource.gvk.group, resource.gvk.version
    return tuple(
        ResId(Gvk(group, version, kind), name, namespace)
        for name, namespace, kind in zip(names, namespaces, kinds, strict=True)
    )


def _comma_separated(resource: Resource, annotation: str) -> tuple[str, ...]:
    text = _text(resource, annotation)
    return () if text is None else tuple(text.split(","))


def _text(resource: Resource, annotation: str) -> str | None:
    if annotation not in object_at(resource.content, "metadata", "annotations"):
        return None
    return resource.written_text("metadata", "annotations", annotation)
