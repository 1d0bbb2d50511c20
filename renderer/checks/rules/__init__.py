"""Rules: input that is legal but probably a mistake.

``table`` lists every rule, ``judge`` runs them all, ``context`` is the overlay that they check.
"""

from __future__ import annotations

from renderer.model.json import object_at
from renderer.model.resource import Resource, ResourceSet

_GROUP = "kubevirt.io"
_OURS = "vmrender.io"


def concerns(resources: ResourceSet) -> bool:
    """Return True if rules apply to the object: it is KubeVirt's, or has annotations of vmrender."""
    return any(_is_kubevirts(resource) or has_vmrender_annotation(resource) for resource in resources)


def has_vmrender_annotation(resource: Resource) -> bool:
    """Return True if an annotation of the resource is meant for vmrender."""
    annotations = object_at(resource.content, "metadata", "annotations")
    return bool(annotations) and any(_OURS in key for key in annotations)


def _is_kubevirts(resource: Resource) -> bool:
    group = resource.api_version.partition("/")[0]
    return group == _GROUP or group.endswith(f".{_GROUP}")
