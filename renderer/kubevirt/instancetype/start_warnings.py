"""Warnings about the start of a machine that is written without its preference."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.json import JsonObject, text_at

_DEVICES = INSTANCE_SPEC.child("domain", "devices")


def input_device_left_out(vm: VirtualMachine, preference: JsonObject) -> Diagnostic:
    """Warn that ``expand: defaults``, like KubeVirt's expand-spec, leaves out the input device of ``vm``."""
    bus = text_at(preference, "devices", "preferredInputBus") or "usb"
    kind = text_at(preference, "devices", "preferredInputType") or "tablet"
    name = vm.resource.name
    return Diagnostic.about(
        vm.resource,
        vm.field(_DEVICES),
        Code.INPUT_DEVICE_LEFT_OUT,
        f"{name} starts with a tablet on usb instead of a {kind} on {bus}: KubeVirt adds the input device"
        " when the VM starts, and this VM is written without its preference",
        "set expand: applied, which writes the device, or write it: "
        f"inputs: [{{name: default-0, type: {kind}, bus: {bus}}}]",
        severity=Severity.WARNING,
    )


def assumed_network(vms: Sequence[VirtualMachine], binding: str) -> Diagnostic:
    """Warn that the default network of ``vms`` is written for a cluster with unknown configuration."""
    first, others = vms[0], len(vms) - 1
    name = first.resource.name
    names = f"{name} and {others} other VMs name" if others > 1 else f"{name} names"
    names = f"{name} and another VM name" if others == 1 else names
    pronoun = "they get" if others else "it gets"
    return Diagnostic.about(
        first.resource,
        first.field(_DEVICES),
        Code.ASSUMED_NETWORK,
        f"{names} no network; rendered, {pronoun} the cluster's default network, assumed to be {binding}:"
        " neither the overlay nor a catalog has a KubeVirt object",
        "add the cluster's KubeVirt object to a catalog, or write the network and the interface",
        severity=Severity.WARNING,
    )
