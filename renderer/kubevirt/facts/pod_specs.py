"""The pods that workloads of Kubernetes and others make, as their objects have them."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.resource import Resource

#: The fields of a pod's spec with its containers.
CONTAINERS = ("initContainers", "containers")
#: Where the kinds of workloads have the spec of their pods.
_POD_SPECS = (
    ("spec",),
    ("spec", "template", "spec"),
    ("spec", "jobTemplate", "spec", "template", "spec"),
    ("template", "spec"),
)


def pod_specs(resource: Resource) -> Iterator[JsonObject]:
    """Yield what may be the spec of a pod in an object, of whatever kind."""
    for path in _POD_SPECS:
        if found := object_at(resource.content, *path):
            yield found
