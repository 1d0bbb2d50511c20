"""Copies of Flux's objects that point at rendered trees.

A tree holds the result of everything that the Kustomization did to its sources, so the copy does none of it
again (kustomize-controller ``api/v1/kustomization_types.go``, ``fluxcd/pkg`` ``kustomize_generator.go``).
What controls when, how and as whom the objects are applied stays.
"""

from __future__ import annotations

from renderer.gitops.flux.kustomization import is_flux_kustomization
from renderer.model.entry_point import SOURCE_PATH, RepointedTree
from renderer.model.kube.json import object_at, text_at, with_value, without
from renderer.model.kube.resource import Resource

#: Fields of the spec that change the objects, and are applied in the tree.
_APPLIED_IN_TREE = (
    "buildMetadata",
    "commonMetadata",
    "components",
    "ignoreMissingComponents",
    "images",
    "namePrefix",
    "nameSuffix",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "targetNamespace",
)
#: The path of the root's folder in the objects of the Flux operator, by kind.
_SYNC_PATHS = {
    "FluxInstance": ("spec", "sync", "path"),
    "HelmRelease": ("spec", "values", "instance", "sync", "path"),
}


def repointed(resource: Resource, tree: RepointedTree) -> Resource:
    """Return the copy of an object that points at ``tree``."""
    if sync_path(resource):
        return resource.with_content(with_value(resource.content, _SYNC_PATHS[resource.kind], tree.path))
    if not is_flux_kustomization(resource):
        return resource
    spec = {
        name: value
        for name, value in object_at(resource.content, "spec").items()
        if name not in _APPLIED_IN_TREE and (tree.keeps_variables or name != "postBuild")
    }
    content = without(resource.content, "metadata", "annotations", SOURCE_PATH)
    if not object_at(content, "metadata", "annotations"):
        content = without(content, "metadata", "annotations")
    return resource.with_content({**content, "spec": {**spec, "path": f"./{tree.path}"}})


def sync_path(resource: Resource) -> str:
    """Return the folder that an object of the Flux operator makes the root apply; empty for other objects."""
    path = _SYNC_PATHS.get(resource.kind)
    return text_at(resource.content, *path) if path else ""
