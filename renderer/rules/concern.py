"""Whether resources are any concern of rules, which can be told without importing the rest of the stage."""

from __future__ import annotations

from renderer.model.json import object_at
from renderer.model.resource import Resource, ResourceSet

_GROUP = "kubevirt.io"
_OURS = "vmrender.io"


def concerns(resources: ResourceSet) -> bool:
    """Whether anything among the resources is KubeVirt's, or has an annotation of ours."""
    return any(_is_kubevirts(resource) or has_annotation_of_ours(resource) for resource in resources)


def has_annotation_of_ours(resource: Resource) -> bool:
    annotations = object_at(resource.content, "metadata", "annotations")
    return bool(annotations) and any(_OURS in key for key in annotations)


def _is_kubevirts(resource: Resource) -> bool:
    group = resource.api_version.partition("/")[0]
    return group == _GROUP or group.endswith(f".{_GROUP}")
