"""Networks, and the table of checks of networks and interfaces (KubeVirt ``pkg/network/admitter``)."""

from __future__ import annotations

from renderer.admitters.causes import Causes, duplicate, invalid, required
from renderer.admitters.check_table import CheckTable, on, once_for_equal
from renderer.admitters.cluster import Cluster
from renderer.admitters.network.bindings import (
    RESERVED_ADDRESS,
    check_bindings,
    check_gated_bindings,
    check_interface_states,
)
from renderer.admitters.network.interfaces import (
    MAC_ADDRESS,
    check_interface_names,
    check_interfaces,
    check_interfaces_have_networks,
)
from renderer.admitters.resource_claims import check_claimed_networks
from renderer.admitters.vmi_spec import VmiSpec, has, present, section, text
from renderer.model.json import JsonObject
from renderer.model.release import Release

_SOURCES = ("pod", "multus", "resourceClaim")


def check_default_networks(vmi: VmiSpec, _: Cluster) -> Causes:
    pods = sum(has(network, "pod") for network in vmi.networks)
    defaults = sum(bool(section(network, "multus").get("default")) for network in vmi.networks)
    at = vmi.at("networks")
    if pods > 1:
        message = f"{pods} networks are the pod network; there is only one"
        yield duplicate(at, message, reported=vmi.at("interfaces"))
    if defaults > 1:
        yield invalid(at, f"{defaults} Multus networks are the default; there can be one")
    if pods and defaults:
        yield invalid(at, "a default Multus network takes the place of the pod network", "drop one of them")


def check_network_sources(vmi: VmiSpec, _: Cluster) -> Causes:
    for index, network in enumerate(vmi.networks):
        sources = present(network, _SOURCES)
        if len(sources) == 1:
            continue
        name = text(network, "name")
        if not sources:
            hint = f"add {' or '.join(_SOURCES)}"
            yield required(vmi.at("networks", index), f"the network {name} has no source", hint)
        else:
            message = f"the network {name} has more than one source: {', '.join(sources)}"
            yield required(vmi.at("networks", index), message, "keep one of them")


def check_multus_names(vmi: VmiSpec, _: Cluster) -> Causes:
    for index, network in enumerate(vmi.networks):
        if has(network, "multus") and not text(section(network, "multus"), "networkName"):
            at = vmi.at("networks", index)
            message = "a multus network needs networkName"
            yield required(at.child("multus", "networkName"), message, reported=at)
            return


def check_network_names(vmi: VmiSpec, _: Cluster) -> Causes:
    names: set[str] = set()
    for index, network in enumerate(vmi.networks):
        name = text(network, "name")
        if name in names:
            yield duplicate(vmi.at("networks", index, "name"), f"two networks are called {name}")
        names.add(name)


def check_networks_have_interfaces(vmi: VmiSpec, _: Cluster) -> Causes:
    interfaces = {text(interface, "name") for interface in vmi.interfaces}
    for index, network in enumerate(vmi.networks):
        name = text(network, "name")
        if name not in interfaces:
            yield required(
                vmi.at("networks", index, "name"),
                f"the network {name} has no interface",
                f"add an interface {name} to {vmi.device('interfaces')}",
            )


_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    on(check_default_networks, "networks"),
    on(check_network_sources, "networks"),
    on(check_multus_names, "networks"),
    on(check_interface_states, "interfaces"),
    on(check_bindings, "interfaces"),
    on(check_gated_bindings, "interfaces", until=Release(1, 8)),
    on(check_network_names, "networks"),
    on(check_claimed_networks, "networks", since=Release(1, 9)),
    on(check_networks_have_interfaces, "networks"),
    on(check_interface_names, "interfaces"),
    on(check_interfaces_have_networks, "interfaces"),
    on(check_interfaces, "interfaces"),
)


def _check_networks(vmi: VmiSpec, cluster: Cluster) -> Causes:
    for check in _CHECKS.needed(cluster.release, vmi.fields):
        yield from check(vmi, cluster)


def _looked_at(vmi: VmiSpec) -> object:
    return vmi.networks, [*map(_without_address, vmi.interfaces)], vmi.content.get("resourceClaims")


def _without_address(interface: JsonObject) -> JsonObject:
    """The interface without a MAC address that nothing is wrong with: each machine has its own."""
    address = interface.get("macAddress")
    if not isinstance(address, str) or address == RESERVED_ADDRESS or not MAC_ADDRESS.fullmatch(address):
        return interface
    return {key: value for key, value in interface.items() if key != "macAddress"}


check_networks = once_for_equal(_check_networks, _looked_at)
