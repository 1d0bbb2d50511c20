"""A Kustomization of Flux, as its fields say: the folder and source that it deploys, and its variables."""

from __future__ import annotations

from renderer.files.file_system import normal_path
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource


def is_flux_kustomization(resource: Resource) -> bool:
    """Return True for a Kustomization of Flux, not of kustomize."""
    return resource.kind == "Kustomization" and resource.gvk.group == FLUX_KUSTOMIZE_GROUP


def deployed_folder(kustomization: Resource) -> str:
    """Return the folder of ``spec.path``, which is always inside of the source (``securejoin``)."""
    return normal_path(text_at(kustomization.content, "spec", "path"))


def source_key(kustomization: Resource) -> Reference:
    """Return the object that ``spec.sourceRef`` names.

    It is in the Kustomization's namespace unless the reference names another.
    """
    reference = object_at(kustomization.content, "spec", "sourceRef")
    namespace = text_at(reference, "namespace") or kustomization.namespace
    return text_at(reference, "kind"), namespace, text_at(reference, "name")


def variable_sources(kustomization: Resource) -> tuple[Reference, ...]:
    """Return the ConfigMaps and Secrets that ``substituteFrom`` names, in the object's own namespace."""
    references = array_at(kustomization.content, "spec", "postBuild", "substituteFrom")
    return tuple(
        (text_at(each, "kind"), kustomization.namespace, text_at(each, "name")) for each in references
    )


def is_suspended(resource: Resource) -> bool:
    """Return True if ``spec.suspend`` keeps Flux from acting on a Kustomization, source or other object."""
    return object_at(resource.content, "spec").get("suspend") is True
