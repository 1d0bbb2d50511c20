"""The identity of resources: two ids with the same identity are the same resource.

kustomize ``kyaml/resid/resid.go``, ``api/resource/resource.go``, ``kyaml/openapi/openapi.go``.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

#: Steps to change the name or namespace of a resource (``model.run.work``).
STEPS_TO_RENAME = 60

#: Cluster-wide kinds of Kubernetes 1.21; every other kind counts as namespaced.
_CLUSTER_SCOPED = {
    "admissionregistration.k8s.io/v1": ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    "admissionregistration.k8s.io/v1beta1": (
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "apiextensions.k8s.io/v1beta1": ("CustomResourceDefinition",),
    "apiregistration.k8s.io/v1": ("APIService",),
    "apiregistration.k8s.io/v1beta1": ("APIService",),
    "certificates.k8s.io/v1": ("CertificateSigningRequest",),
    "certificates.k8s.io/v1beta1": ("CertificateSigningRequest",),
    "flowcontrol.apiserver.k8s.io/v1beta1": ("FlowSchema", "PriorityLevelConfiguration"),
    "networking.k8s.io/v1": ("IngressClass",),
    "networking.k8s.io/v1beta1": ("IngressClass",),
    "node.k8s.io/v1": ("RuntimeClass",),
    "node.k8s.io/v1beta1": ("RuntimeClass",),
    "policy/v1beta1": ("PodSecurityPolicy",),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding"),
    "rbac.authorization.k8s.io/v1beta1": ("ClusterRole", "ClusterRoleBinding"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
    "scheduling.k8s.io/v1beta1": ("PriorityClass",),
    "storage.k8s.io/v1": ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"),
    "storage.k8s.io/v1beta1": ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"),
    "v1": ("ComponentStatus", "Namespace", "Node", "NodeProxyOptions", "PersistentVolume"),
}

#: The effective namespaces of cluster-wide objects and of objects without one (``kyaml/resid/resid.go``).
NO_NAMESPACE = "_non_namespaceable_"
DEFAULT_NAMESPACE = "default"


def is_cluster_scoped(api_version: str, kind: str) -> bool:
    """Return True if kustomize knows that the kind has no namespace."""
    return kind in _CLUSTER_SCOPED.get(api_version, ())


def effective_namespace(api_version: str, kind: str, namespace: str) -> str:
    """Return the effective namespace, with which ids are compared."""
    return NO_NAMESPACE if is_cluster_scoped(api_version, kind) else namespace or DEFAULT_NAMESPACE


class Identity(Record):
    """An id with the effective namespace; equal if kustomize considers the ids equal."""

    api_version: str
    kind: str
    name: str
    namespace: str


def current_identity(resource: Resource) -> Identity:
    """Return the current id of the resource, with the namespace as kustomize compares it."""
    api_version, kind = resource.api_version, resource.kind
    return Identity(
        api_version, kind, resource.name, effective_namespace(api_version, kind, resource.namespace)
    )


def identities(resource: Resource) -> Iterator[Identity]:
    """Yield the current identity, then the identities that the resource had before."""
    yield current_identity(resource)
    api_version = resource.api_version
    for previous in resource.previous_ids:
        yield Identity(api_version, previous.gvk.kind, previous.name, previous.namespace)


def original_identity(resource: Resource) -> Identity:
    """Return the identity before any change."""
    if not resource.previous_ids:
        return current_identity(resource)
    first = resource.previous_ids[0]
    return Identity(resource.api_version, first.gvk.kind, first.name, first.namespace)


def with_previous_id(resource: Resource) -> Resource:
    """Return the resource with its current id among the previous ones (``StorePreviousId``)."""
    current = current_identity(resource)
    previous = ResId(resource.gvk, current.name, current.namespace)
    if previous in resource.previous_ids:
        return resource
    return resource._replace(previous_ids=(*resource.previous_ids, previous))
