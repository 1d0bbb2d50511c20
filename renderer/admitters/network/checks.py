"""The checks of networks and interfaces, in the order of ``ValidateVirtualMachineInstanceSpec``."""

from __future__ import annotations

from renderer.admitters.cause import Causes
from renderer.admitters.check import CheckTable, on
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
from renderer.admitters.network.resource_claims import check_claimed_networks
from renderer.admitters.network.sources import (
    check_default_networks,
    check_multus_names,
    check_network_names,
    check_network_sources,
    check_networks_have_interfaces,
)
from renderer.admitters.shared_checks import once_for_equal
from renderer.admitters.vmi_spec import VmiSpec
from renderer.model.json import JsonObject
from renderer.model.release import Release

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
