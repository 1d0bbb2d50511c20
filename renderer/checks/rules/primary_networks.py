"""Primary networks of OVN-Kubernetes in namespaces that cannot have one.

OVN-Kubernetes makes no network for a namespace without its label (``go-controller/pkg/clustermanager/
userdefinednetwork/controller_helper.go``), so the machines in it are on the network of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.checks.rules.context import Context
from renderer.checks.rules.pod_labels import texts
from renderer.checks.rules.rule import Finding, related_to
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.label_selector import SelectorError, read_selector, selects
from renderer.model.kube.resource import Resource

#: It counts only if the namespace is created with it.
LABEL = "k8s.ovn.org/primary-user-defined-network"
_NAME_LABEL = "kubernetes.io/metadata.name"
_LAYERS = ("layer2", "layer3")
_PRIMARY = "Primary"


def unlabelled_namespaces(context: Context) -> Iterator[Finding]:
    """Yield a finding for each namespace of the overlay that lacks the label for its primary network."""
    for network in context.of_kind("UserDefinedNetwork", "ClusterUserDefinedNetwork"):
        spec = object_at(network.content, "spec")
        layers = object_at(spec, "network") or spec
        if not any(text_at(layers, layer, "role") == _PRIMARY for layer in _LAYERS):
            continue
        for namespace in context.of_kind("Namespace"):
            labels = texts(object_at(namespace.content, "metadata", "labels"))
            if LABEL not in labels and _is_for(network, spec, namespace.name, labels):
                message = (
                    f"the namespace lacks the label {LABEL}, so it does not get the primary network"
                    f" {network.name}"
                )
                hint = f'write {LABEL}: "" there before the namespace is created: it cannot be added later'
                related = (related_to(network, f"{network.kind} {network.name} is here"),)
                yield Finding(namespace, FieldPath.of("metadata"), message, hint, related)


def _is_for(network: Resource, spec: JsonObject, name: str, labels: Mapping[str, str]) -> bool:
    if network.kind == "UserDefinedNetwork":
        return network.namespace == name
    try:
        requirements = read_selector(spec.get("namespaceSelector"))
    except SelectorError:
        return False
    return bool(requirements) and selects(requirements, {**labels, _NAME_LABEL: name})
