"""The pod in which KubeVirt runs a virtual machine: its host name and its labels."""

from __future__ import annotations

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import JsonObject, object_at, text_at

_LONGEST_LABEL = 63
#: In place of a UID, which no selector names.
_UID = "(UID)"


def host_name(name: str, instance: JsonObject) -> str:
    """Return the host name of a machine with this name, whose spec is ``instance``.

    KubeVirt ``pkg/util/net/dns/sanitize.go`` ``SanitizeHostname``.
    """
    return text_at(instance, "hostname") or name.partition(".")[0][:_LONGEST_LABEL]


def launcher_labels(machine: VirtualMachineView) -> JsonObject:
    """Return the labels of a machine's pod; the UID in one of them is not known.

    KubeVirt ``pkg/virt-controller/services/template.go`` ``podLabels``.
    """
    template = object_at(machine.resource.content, *machine.paths.template.keys)
    return {
        **object_at(template, "metadata", "labels"),
        "kubevirt.io": "virt-launcher",
        "kubevirt.io/created-by": _UID,
        "vm.kubevirt.io/name": host_name(machine.name, machine.instance),
    }
