"""The last changes that kustomize-controller makes to the built objects before it applies them.

``kustomization_controller.go`` apply, ``fluxcd/pkg`` ``ssa/utils`` ReadObjects and SetCommonMetadata.
"""

from __future__ import annotations

from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZE_GROUP

_METADATA = ("labels", "annotations")


def read_objects(resources: ResourceSet) -> ResourceSet:
    """Return the objects except kustomization files that are listed as resources."""
    return resources.where(
        lambda each: not (each.kind == "Kustomization" and each.gvk.group == KUSTOMIZE_GROUP)
    )


def with_common_metadata(resources: ResourceSet, entry: Resource) -> ResourceSet:
    """Return the objects with ``spec.commonMetadata`` merged over their own labels and annotations."""
    common = object_at(entry.content, "spec", "commonMetadata")
    added = {field: object_at(common, field) for field in _METADATA if object_at(common, field)}
    if not added:
        return resources

    def merged(content: JsonObject) -> JsonObject:
        metadata = object_at(content, "metadata")
        fields = {field: {**object_at(metadata, field), **values} for field, values in added.items()}
        return {**content, "metadata": {**metadata, **fields}}

    return resources.map(lambda each: each.with_content(merged(each.content)))
