"""Objects of the Flux operator that make others: ResourceSets, and the providers of their inputs."""

from __future__ import annotations

from renderer.model.engines import FLUX_OPERATOR_GROUP
from renderer.model.kube.json import array_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource

PROVIDER = "ResourceSetInputProvider"
_RECONCILE = f"{FLUX_OPERATOR_GROUP}/reconcile"


def is_resource_set(resource: Resource) -> bool:
    """Return True for a ResourceSet of the Flux operator."""
    return resource.kind == "ResourceSet" and resource.gvk.group == FLUX_OPERATOR_GROUP


def is_instance(resource: Resource) -> bool:
    """Return True for a FluxInstance of the Flux operator."""
    return resource.kind == "FluxInstance" and resource.gvk.group == FLUX_OPERATOR_GROUP


def is_disabled(resource: Resource) -> bool:
    """Return True if an annotation makes the operator leave the object as it is."""
    return str(resource.annotations.get(_RECONCILE, "")).lower() == "disabled"


def named_providers(entry: Resource) -> tuple[Reference, ...] | None:
    """Return the providers that ``inputsFrom`` names; None if it selects some by their labels."""
    names = [text_at(each, "name") for each in array_at(entry.content, "spec", "inputsFrom")]
    return tuple((PROVIDER, entry.namespace, name) for name in names) if all(names) else None
