"""Networks and interfaces as KubeVirt 1.0 to 1.2 check them (``vmi-create-admitter.go``, ``network.go``).

Each interface gets all its checks before the next one, and several problems end the admission.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from renderer.kubevirt.admission.boot_order import check_interface_boot_order, disk_boot_orders
from renderer.kubevirt.admission.causes import Cause, Causes, duplicate, invalid, needs_gate, required
from renderer.kubevirt.admission.check_table import Check, row
from renderer.kubevirt.admission.network.bindings import (
    MASQUERADE_OFF_POD,
    RESERVED,
    RESERVED_ADDRESS,
    check_bridge,
    check_interface_states,
    check_plugins_are_alone,
    slirp_problems,
)
from renderer.kubevirt.admission.network.interface import Interface, interfaces, pod_interfaces
from renderer.kubevirt.admission.network.interfaces import (
    MODELS_1_0,
    check_interface_pci_address,
    check_mac_address,
    check_model,
    check_name_format,
    check_ntp_servers,
    check_private_options,
    has_repeated_option,
)
from renderer.kubevirt.admission.network.networks import multus_default_problems, source_problem
from renderer.kubevirt.admission.network.ports import check_port, check_port_name
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.kube.json import EMPTY

Checks: TypeAlias = tuple[Check[[VmiSpec, Cluster]], ...]

_MOST = 256
_METHODS = ("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt")


def check_number(vmi: VmiSpec, _: Cluster, *, path: tuple[str, ...]) -> Causes:
    """Reject a list of more than 256 elements at ``path``."""
    parent = vmi.content
    for key in path[:-1]:
        parent = section(parent, key)
    count = len(elements(parent, path[-1]))
    if count > _MOST:
        yield invalid(vmi.at(*path), f"there are {count} {path[-1]}; {_MOST} are allowed")


def check_pod_interfaces(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject more than one interface on pod networks."""
    count = pod_interfaces(vmi)
    if count > 1:
        message = f"only one network with an interface can be the pod network, not {count}"
        yield duplicate(vmi.device("interfaces"), message, reported=vmi.at("interfaces"))


def check_sources(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the source of each network, and the number of default networks (``validateNetworks``)."""
    for index, network in enumerate(vmi.networks):
        yield from source_problem(vmi, index)
        if has(network, "multus") and not text(section(network, "multus"), "networkName"):
            at = vmi.at("networks", index)
            message = "a multus network needs networkName"
            yield required(at.child("multus", "networkName"), message, reported=at)
    yield from multus_default_problems(vmi)


def check_interfaces_in_turn(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check each interface, until one repeats a DHCP option (``validateNetworksMatchInterfaces``)."""
    names: set[str] = set()
    port_names: set[str] = set()
    boot_orders = disk_boot_orders(vmi)
    for interface in interfaces(vmi, cluster):
        yield from _binding_problem(interface)
        if interface.name in names:
            message = f"two interfaces are called {interface.name}; a network has one interface"
            yield duplicate(interface.at("name"), message)
        names.add(interface.name)
        yield from check_name_format(interface)
        yield from _check_ports(interface, port_names)
        yield from check_model(interface, models=MODELS_1_0)
        yield from check_mac_address(interface)
        yield from check_interface_boot_order(vmi, interface.position, boot_orders)
        yield from check_interface_pci_address(interface)
        yield from check_private_options(interface)
        if has_repeated_option(interface.content):
            return
        yield from check_ntp_servers(interface)


def _binding_problem(interface: Interface) -> Causes:
    """Yield the first problem of the binding (``validateInterfaceNetworkBasics``)."""
    if interface.network is EMPTY:
        yield missing_network(interface)
        return
    checks = (_check_slirp, _check_masquerade, check_bridge, _check_macvtap, _check_passt, _check_plugin)
    yield from next(filter(None, (tuple(check(interface)) for check in checks)), ())


def missing_network(interface: Interface) -> Cause:
    """Return the cause for an interface whose name no network has."""
    hint = f"add a network {interface.name} to {interface.vmi.at('networks')}"
    return invalid(interface.at("name"), f"the interface {interface.name} has no network", hint)


def _check_slirp(interface: Interface) -> Causes:
    if has(interface.content, "slirp"):
        yield from slirp_problems(interface)


def _check_masquerade(interface: Interface) -> Causes:
    if not has(interface.content, "masquerade"):
        return
    if not interface.on_pod:
        yield invalid(interface.at("name"), *MASQUERADE_OFF_POD)
    elif text(interface.content, "macAddress") == RESERVED_ADDRESS:
        yield invalid(interface.at("macAddress"), RESERVED)


def _check_macvtap(interface: Interface) -> Causes:
    at, reported = interface.at("macvtap"), interface.at("name")
    if not has(interface.content, "macvtap"):
        return
    if Gate.MACVTAP not in interface.cluster.gates:
        yield needs_gate(at, "macvtap", Gate.MACVTAP, reported=reported)
    elif not has(interface.network, "multus"):
        yield invalid(at, "macvtap needs a multus network", reported=reported)


def _check_passt(interface: Interface) -> Causes:
    at, reported = interface.at("passt"), interface.at("name")
    if not has(interface.content, "passt"):
        return
    if Gate.PASST not in interface.cluster.gates:
        yield needs_gate(at, "passt", Gate.PASST, reported=reported)
    elif not interface.on_pod:
        yield invalid(at, "passt needs a pod network", reported=reported)
    elif len(interface.vmi.interfaces) > 1:
        yield invalid(at, "passt cannot be combined with another interface", reported=reported)


def _check_plugin(interface: Interface) -> Causes:
    gate = Gate.NETWORK_BINDING_PLUGINS
    if has(interface.content, "binding") and gate not in interface.cluster.gates:
        yield needs_gate(interface.at("binding"), "a binding plugin", gate, reported=interface.at("name"))


def _check_ports(interface: Interface, names: set[str]) -> Causes:
    """Check the ports; ``names`` are the port names of all interfaces."""
    if not interface.on_pod:
        return
    for index, port in enumerate(elements(interface.content, "ports")):
        at = interface.at("ports", index)
        yield from check_port(at, port, most=65536, reported=at)
        yield from check_port_name(at, port, names)


def check_networks_are_used(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check names and interfaces, network by network (``validateNetworksAssignedToInterfaces``)."""
    interfaces_by_name = {text(interface, "name") for interface in vmi.interfaces}
    names: set[str] = set()
    for index, network in enumerate(vmi.networks):
        name, at = text(network, "name"), vmi.at("networks", index, "name")
        if name in names:
            yield duplicate(at, f"two networks are called {name}")
        names.add(name)
        if name not in interfaces_by_name:
            hint = f"add an interface {name} to {vmi.device('interfaces')}"
            yield required(at, f"the network {name} has no interface", hint)


def check_plugins(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a binding plugin combined with another binding (``validateInterfaceBinding``)."""
    for interface in interfaces(vmi, cluster):
        yield from check_plugins_are_alone(interface, methods=_METHODS)


def _has_repeated_option(vmi: VmiSpec, _: Cluster) -> bool:
    return any(map(has_repeated_option, vmi.interfaces))


def _always(_: VmiSpec, __: Cluster) -> bool:
    return True


def _number_row(*path: str) -> Check[[VmiSpec, Cluster]]:
    return row(
        partial(check_number, path=path),
        path[-1],
        upstream="ValidateVirtualMachineInstanceSpec arrayLenMax",
        until="1.3",
        ends=_always,
    )


#: The checks before all others.
NUMBER_CHECKS: Checks = (_number_row("domain", "devices", "disks"), _number_row("volumes"))

#: At the position of ``pkg/network/admitter``, before ``validateBootOrder``.
NETWORK_CHECKS_BEFORE_BOOT_ORDER: Checks = (
    _number_row("domain", "devices", "interfaces"),
    _number_row("networks"),
    row(check_pod_interfaces, "networks", upstream="getNumberOfPodInterfaces", until="1.3", ends=_always),
)

#: The other checks, after ``validateBootOrder``.
NETWORK_CHECKS_AFTER_BOOT_ORDER: Checks = (
    row(check_sources, "networks", upstream="validateNetworks", until="1.3"),
    row(
        check_interfaces_in_turn,
        "interfaces",
        upstream="validateNetworksMatchInterfaces",
        until="1.3",
        ends=_has_repeated_option,
    ),
    row(check_networks_are_used, "networks", upstream="validateNetworksAssignedToInterfaces", until="1.3"),
    row(
        partial(check_interface_states, states=("absent",), typeless_is_default=True),
        "interfaces",
        upstream="network.go validateInterfaceStateValue",
        until="1.3",
    ),
    row(
        check_plugins,
        "interfaces",
        upstream="network.go validateInterfaceBinding",
        since="1.1",
        until="1.3",
    ),
)
