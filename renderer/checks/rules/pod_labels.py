"""The labels of the pods that the objects of an overlay create."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.kinds import VMI
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at

#: Objects that are pods, or whose own labels are copied to pods, and the paths of pod templates in other
#: specs.
_PODS = ("Pod", VMI)
_TEMPLATES = (
    ("virtualMachineTemplate", "spec", "template"),
    ("jobTemplate", "spec", "template"),
    ("template",),
)
#: The beginnings of labels that KubeVirt itself adds to pods.
LABELS_OF_KUBEVIRT = ("kubevirt.io", "vm.kubevirt.io/name")


def pod_labels(content: JsonObject) -> JsonObject:
    """Return the labels of the pods that an object creates, or of the pod that it is."""
    spec = object_at(content, "spec")
    for path in _TEMPLATES:
        template = object_at(spec, *path)
        if template:
            return object_at(template, "metadata", "labels")
    return object_at(content, "metadata", "labels") if text_at(content, "kind") in _PODS else EMPTY


def texts(labels: JsonObject) -> Mapping[str, str]:
    """Return the labels with a text as their value; the schema stage reports the others."""
    return {key: value for key, value in labels.items() if isinstance(value, str)}
