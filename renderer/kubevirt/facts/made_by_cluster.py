"""The objects that a cluster makes itself, and that no repository has."""

from __future__ import annotations

from renderer.model.pattern import pattern

#: Objects that Kubernetes and OpenShift make in every namespace, by kind and name
#: (``pkg/controller/certificates/rootcacertpublisher``, ``pkg/controller/serviceaccount``).
IN_EVERY_NAMESPACE = {
    ("ConfigMap", "kube-root-ca.crt"),
    ("ConfigMap", "openshift-service-ca.crt"),
    ("ServiceAccount", "default"),
    ("ServiceAccount", "builder"),
    ("ServiceAccount", "deployer"),
    ("RoleBinding", "system:deployers"),
    ("RoleBinding", "system:image-builders"),
    ("RoleBinding", "system:image-pullers"),
}
_SYSTEM_NAMESPACE = pattern(r"default|(kube|openshift)-.*|openshift")
#: The PriorityClasses of Kubernetes (``pkg/apis/scheduling/v1/helpers.go``), KubeVirt
#: (``pkg/virt-operator/resource/generate/components/priorityclass.go``) and OpenShift.
_PRIORITY_CLASSES = (
    "system-node-critical",
    "system-cluster-critical",
    "kubevirt-cluster-critical",
    "openshift-user-critical",
)


def is_made_by_cluster(kind: str, name: str) -> bool:
    """Return True for an object that each cluster has, or each of its namespaces."""
    return (kind, name) in IN_EVERY_NAMESPACE or (kind == "PriorityClass" and name in _PRIORITY_CLASSES)


def is_system_namespace(name: str) -> bool:
    """Return True for a namespace that each cluster has, or that OpenShift makes."""
    return _SYSTEM_NAMESPACE.fullmatch(name) is not None
