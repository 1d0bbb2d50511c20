"""The NetworkAttachmentDefinitions that operators make of other objects, each with the name of its object.

OVN-Kubernetes makes it in the namespace of a UserDefinedNetwork, and in the namespaces that a
ClusterUserDefinedNetwork selects (``go-controller/pkg/clustermanager/userdefinednetwork/controller.go``
``syncUserDefinedNetwork``, ``syncClusterUDN``); the operators of SR-IOV and NVIDIA in the one that
``networkNamespace`` names (sriov-network-operator ``api/v1/helper.go`` ``RenderNetAttDef``; network-operator
``api/v1alpha1/macvlannetwork_types.go``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource

_GVK = Gvk("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition")
_OVN, _SRIOV, _NVIDIA = "k8s.ovn.org", "sriovnetwork.openshift.io", "mellanox.com"
_OF_NAMESPACE, _OF_CLUSTER = (_OVN, "UserDefinedNetwork"), (_OVN, "ClusterUserDefinedNetwork")
#: Objects whose ``networkNamespace`` names the namespace; in place of it their own, or the one below.
_WITH_NAMESPACE = {
    **{(_SRIOV, kind): "" for kind in ("SriovNetwork", "SriovIBNetwork", "OVSNetwork")},
    **{(_NVIDIA, kind): "default" for kind in ("HostDeviceNetwork", "IPoIBNetwork", "MacvlanNetwork")},
}
#: The label that each namespace has with its own name.
_NAME = "kubernetes.io/metadata.name"


def makes_networks(resource: Resource) -> bool:
    """Return True for an object of which an operator makes NetworkAttachmentDefinitions, and nothing else."""
    key = resource.gvk.group, resource.kind
    return key in (_OF_NAMESPACE, _OF_CLUSTER) or key in _WITH_NAMESPACE


def made_networks(resource: Resource) -> tuple[ResId, ...]:
    """Return what an operator makes of an object, as far as the object says the namespaces."""
    key = resource.gvk.group, resource.kind
    if key == _OF_NAMESPACE:
        namespaces = [resource.namespace]
    elif key == _OF_CLUSTER:
        namespaces = [*_selected(resource)]
    elif key in _WITH_NAMESPACE:
        named = text_at(resource.content, "spec", "networkNamespace")
        namespaces = [named or _WITH_NAMESPACE[key] or resource.namespace]
    else:
        return ()
    return tuple(ResId(_GVK, resource.name, each) for each in namespaces)


def _selected(network: Resource) -> Iterator[str]:
    """Yield the namespaces that a selector names; those that it selects by other labels are not known."""
    selector = object_at(network.content, "spec", "namespaceSelector")
    if name := text_at(selector, "matchLabels", _NAME):
        yield name
    for each in array_at(selector, "matchExpressions"):
        if text_at(each, "key") == _NAME and text_at(each, "operator") == "In":
            yield from (name for name in array_at(each, "values") if isinstance(name, str))
