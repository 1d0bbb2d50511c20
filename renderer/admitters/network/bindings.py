"""How interfaces are bound to their networks, and their state (``binding.go``, ``admit.go``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from renderer.admitters.causes import Causes, invalid, not_supported
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.network.interface import Interface, interfaces
from renderer.admitters.vmi_spec import VmiSpec, has, present, section, text
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import EMPTY, JsonObject
from renderer.model.release import Release

_BINDINGS = ("bridge", "masquerade", "sriov", "passtBinding", "binding")
_DISCONTINUED_GATES = {Gate.PASST: "passt", Gate.MACVTAP: "macvtap"}
_GATES_DISCONTINUED_SINCE = Release(1, 5)
_NETWORKS_OF = {"passt": "pod", "macvtap": "multus"}
#: The address of the bridge inside the pod.
RESERVED_ADDRESS = "02:00:00:00:00:00"


def check_discontinued_gates(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """What is refused where the gate of a discontinued binding is on (``featuregate/validator.go``)."""
    if cluster.release < _GATES_DISCONTINUED_SINCE:
        return
    for gate, binding in _DISCONTINUED_GATES.items():
        if gate in cluster.config.feature_gates:
            for index, interface in enumerate(vmi.interfaces):
                if has(interface, binding):
                    at = vmi.device("interfaces", index, binding)
                    yield not_supported(at, *_discontinued(binding), reported=ROOT)
                    break


def check_discontinued_bindings(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """What no VirtualMachine can be created with; KubeVirt reports it below ``spec``."""
    for index, interface in enumerate(vmi.interfaces):
        for binding in cluster.behaviour.discontinued_bindings:
            if binding in interface and has(interface, binding):
                reported = FieldPath.of("spec", "domain", "devices", "interfaces", index, binding)
                at = vmi.device("interfaces", index, binding)
                yield invalid(at, *_discontinued(binding), reported=reported)


def _discontinued(binding: str) -> tuple[str, str]:
    message = f"the binding {binding} is discontinued since KubeVirt 1.3"
    return message, "use bridge, masquerade or a binding plugin"


def check_interface_states(vmi: VmiSpec, cluster: Cluster) -> Causes:
    for index, interface in enumerate(vmi.interfaces):
        state = text(interface, "state")
        if not state:
            continue
        at = vmi.device("interfaces", index, "state")
        if state not in cluster.behaviour.interface_states:
            hint = f"one of {', '.join(cluster.behaviour.interface_states)}"
            yield invalid(at, f"{state!r} is no state of an interface", hint)
        if has(interface, "sriov") and state in ("down", "up"):
            yield invalid(at, f"an SR-IOV interface cannot be {state}")
        if state == "absent" and not has(interface, "bridge"):
            yield invalid(at, "only an interface with the binding bridge can be absent")
        default = _default_network(vmi)
        if state == "absent" and default and text(default, "name") == text(interface, "name"):
            yield invalid(at, "the interface of the default network cannot be absent")


def check_bindings(vmi: VmiSpec, cluster: Cluster) -> Causes:
    for interface in interfaces(vmi, cluster):
        bindings = present(interface.content, _BINDINGS)
        if len(bindings) != 1:
            yield from _check_number(interface, bindings)
        for binding, check in _CHECKS.items():
            if binding in bindings:
                yield from check(interface)


def check_gated_bindings(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """passt and macvtap, before they were discontinued (``passt.go``, ``macvtap.go``)."""
    for interface in interfaces(vmi, cluster):
        for gate, binding in _DISCONTINUED_GATES.items():
            if not has(interface.content, binding):
                continue
            at, reported = interface.at(binding), interface.at("name")
            if gate not in cluster.gates:
                yield needs_gate(at, binding, gate, reported=reported)
            if not has(interface.network, _NETWORKS_OF[binding]):
                yield invalid(at, f"{binding} needs a {_NETWORKS_OF[binding]} network", reported=reported)


def _check_number(interface: Interface, bindings: Sequence[str]) -> Causes:
    name, several = interface.name, ", ".join(bindings)
    if not interface.cluster.behaviour.needs_one_binding:
        if "binding" in bindings:
            message = f"the interface {name} has a binding plugin and more: {several}"
            yield invalid(interface.at("binding"), message, "keep one of them")
    elif bindings:
        message = f"the interface {name} has more than one binding: {several}"
        yield invalid(interface.at(), message, "keep one of them")
    else:
        hint = "add masquerade, bridge, sriov or a plugin"
        yield invalid(interface.at(), f"the interface {name} has no binding", hint)


def _check_masquerade(interface: Interface) -> Causes:
    if not interface.on_pod:
        hint = "use bridge, or make the network pod"
        yield invalid(interface.at("name"), "masquerade needs the pod network", hint)
    if text(interface.content, "macAddress") == RESERVED_ADDRESS:
        message = f"{RESERVED_ADDRESS} is the address of the pod's own bridge"
        yield invalid(interface.at("macAddress"), message)


def _check_bridge(interface: Interface) -> Causes:
    if interface.on_pod and not interface.cluster.config.permits_bridge:
        message = "the cluster does not permit a bridge on the pod network"
        yield invalid(interface.at("name"), message, "use masquerade")


def _check_passt(interface: Interface) -> Causes:
    if Gate.PASST_BINDING not in interface.cluster.gates:
        yield needs_gate(interface.at("name"), "passtBinding", Gate.PASST_BINDING)
    if not interface.on_pod:
        yield invalid(interface.at("name"), "passtBinding needs the pod network")


_CHECKS: Mapping[str, Callable[[Interface], Causes]] = {
    "masquerade": _check_masquerade,
    "bridge": _check_bridge,
    "passtBinding": _check_passt,
}


def _default_network(vmi: VmiSpec) -> JsonObject:
    """The pod network, or the Multus network that takes its place."""
    for network in vmi.networks:
        if has(network, "pod") or section(network, "multus").get("default"):
            return network
    return EMPTY
