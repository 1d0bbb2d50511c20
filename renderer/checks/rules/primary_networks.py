"""Primary networks of OVN-Kubernetes in namespaces that cannot have one.

OVN-Kubernetes makes no network for a namespace without its label (``go-controller/pkg/clustermanager/
userdefinednetwork/controller_helper.go``), so the machines in it are on the network of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from renderer.checks.rules.context import Context
from renderer.checks.rules.pod_labels import texts
from renderer.checks.rules.rule import Finding, related_to
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.label_selector import SelectorError, read_selector, selects
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

#: It counts only if the namespace is created with it.
LABEL = "k8s.ovn.org/primary-user-defined-network"
_NAME_LABEL = "kubernetes.io/metadata.name"
_LAYERS = ("layer2", "layer3")
_PRIMARY = "Primary"


def unlabelled_namespaces(context: Context) -> Iterator[Finding]:
    """Yield a finding for each namespace of the overlay that lacks the label for its primary network."""
    namespaces = [
        (namespace, texts(object_at(namespace.content, "metadata", "labels")))
        for namespace in context.of_kind("Namespace")
    ]
    unlabelled = [each for each in namespaces if LABEL not in each[1]]
    by_name: dict[str, list[tuple[Resource, Mapping[str, str]]]] = {}
    for each in unlabelled:
        by_name.setdefault(each[0].name, []).append(each)
    for network in context.of_kind("UserDefinedNetwork", "ClusterUserDefinedNetwork"):
        spec = object_at(network.content, "spec")
        layers = object_at(spec, "network") or spec
        if not any(text_at(layers, layer, "role") == _PRIMARY for layer in _LAYERS):
            continue
        if network.kind == "UserDefinedNetwork":
            found = by_name.get(network.namespace, [])
        else:
            found = _selected(spec, unlabelled)
        for namespace, _ in found:
            message = (
                f"the namespace lacks the label {LABEL}, so it does not get the primary network"
                f" {network.name}"
            )
            hint = f'write {LABEL}: "" there before the namespace is created: it cannot be added later'
            related = (related_to(network, f"{network.kind} {network.name} is here"),)
            yield Finding(namespace, FieldPath.of("metadata"), message, hint, related)


def _selected(
    spec: JsonObject, namespaces: Sequence[tuple[Resource, Mapping[str, str]]]
) -> list[tuple[Resource, Mapping[str, str]]]:
    """Return the namespaces, each with its labels, that the selector of a network selects."""
    try:
        requirements = read_selector(spec.get("namespaceSelector"))
    except SelectorError:
        return []
    spend((1 + len(requirements)) * len(namespaces), "comparing selectors of networks with namespaces")
    return [
        (namespace, labels)
        for namespace, labels in namespaces
        if requirements and selects(requirements, {**labels, _NAME_LABEL: namespace.name})
    ]
