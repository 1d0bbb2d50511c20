"""Which kinds have no namespace, as far as kustomize knows (``kyaml/openapi/openapi.go``)."""

from __future__ import annotations

#: Kinds of Kubernetes 1.21 that are cluster-wide; every kind that is not here counts as namespaced.
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

#: What stands for the namespace of an object that has none (``kyaml/resid/resid.go``).
NO_NAMESPACE = "_non_namespaceable_"
DEFAULT_NAMESPACE = "default"


def is_cluster_scoped(api_version: str, kind: str) -> bool:
    return kind in _CLUSTER_SCOPED.get(api_version, ())


def effective_namespace(api_version: str, kind: str, namespace: str) -> str:
    """The namespace that counts when ids are compared."""
    return NO_NAMESPACE if is_cluster_scoped(api_version, kind) else namespace or DEFAULT_NAMESPACE
