"""Networks, and the table of checks of networks and interfaces (KubeVirt ``pkg/network/admitter``)."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission.causes import Causes, duplicate, invalid, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.network.bindings import (
    RESERVED_ADDRESS,
    check_bindings,
    check_interface_states,
    check_slirp,
)
from renderer.kubevirt.admission.network.interfaces import (
    check_interface_names,
    check_interfaces,
    check_interfaces_have_networks,
    is_mac_address,
)
from renderer.kubevirt.admission.resource_claims import check_claimed_networks
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, present, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.json import Json

_SOURCES = ("pod", "multus", "resourceClaim")
_LINK_STATES = ("absent", "down", "up")


def check_default_networks(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject more than one pod network or default Multus network, and both together."""
    pods = sum(has(network, "pod") for network in vmi.networks)
    if pods > 1:
        message = f"only one network can be the pod network, not {pods}"
        yield duplicate(vmi.at("networks"), message, reported=vmi.at("interfaces"))
    yield from multus_default_problems(vmi)


def multus_default_problems(vmi: VmiSpec) -> Causes:
    """Yield a cause for several default Multus networks, and for one combined with the pod network."""
    defaults = sum(bool(section(network, "multus").get("default")) for network in vmi.networks)
    at = vmi.at("networks")
    if defaults > 1:
        yield invalid(at, f"only one Multus network can be the default, not {defaults}")
    if defaults and any(has(network, "pod") for network in vmi.networks):
        yield invalid(at, "a default Multus network replaces the pod network", "drop one of them")


def check_network_sources(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that each network has exactly one source."""
    for index in range(len(vmi.networks)):
        yield from source_problem(vmi, index)


def source_problem(vmi: VmiSpec, index: int) -> Causes:
    """Yield a cause if the network at ``index`` has no source, or several."""
    network = vmi.networks[index]
    sources = present(network, _SOURCES)
    name = text(network, "name")
    if not sources:
        hint = f"add {' or '.join(_SOURCES)}"
        yield required(vmi.at("networks", index), f"the network {name} has no source", hint)
    elif len(sources) > 1:
        message = f"the network {name} has more than one source: {', '.join(sources)}"
        yield required(vmi.at("networks", index), message, "keep one of them")


def check_multus_names(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that Multus networks name their definition; KubeVirt reports the first that does not."""
    for index, network in enumerate(vmi.networks):
        if has(network, "multus") and not text(section(network, "multus"), "networkName"):
            at = vmi.at("networks", index)
            message = "a multus network needs networkName"
            yield required(at.child("multus", "networkName"), message, reported=at)
            return


def check_network_names(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a second network of the same name."""
    names: set[str] = set()
    for index, network in enumerate(vmi.networks):
        name = text(network, "name")
        if name in names:
            yield duplicate(vmi.at("networks", index, "name"), f"two networks are called {name}")
        names.add(name)


def check_networks_have_interfaces(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that each network has an interface with the same name."""
    interfaces = {text(interface, "name") for interface in vmi.interfaces}
    for index, network in enumerate(vmi.networks):
        name = text(network, "name")
        if name not in interfaces:
            yield required(
                vmi.at("networks", index, "name"),
                f"the network {name} has no interface",
                f"add an interface {name} to {vmi.device('interfaces')}",
            )._replace(unmatched_name=name)


#: ``Validate`` of ``validator.go``, in its order.
NETWORK_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    row(check_default_networks, "networks", upstream="netsource.go validateSinglePodNetwork"),
    row(check_network_sources, "networks", upstream="netsource.go validateSingleNetworkSource"),
    row(check_multus_names, "networks", upstream="netsource.go validateMultusNetworkSource"),
    row(
        partial(check_interface_states, states=("absent",), typeless_is_default=True),
        "interfaces",
        upstream="admit.go validateInterfaceStateValue",
        until="1.5",
    ),
    row(
        partial(check_interface_states, states=_LINK_STATES, typeless_is_default=True),
        "interfaces",
        upstream="admit.go validateInterfaceStateValue",
        since="1.5",
        until="1.9",
    ),
    row(
        partial(check_interface_states, states=_LINK_STATES, typeless_is_default=False),
        "interfaces",
        upstream="admit.go validateInterfaceStateValue",
        since="1.9",
    ),
    row(check_bindings, "interfaces", upstream="binding.go validateInterfaceBinding"),
    row(check_slirp, "interfaces", upstream="slirp.go validateSlirpBinding", until="1.6"),
    row(check_network_names, "networks", upstream="netiface.go validateNetworkNameUnique"),
    row(check_claimed_networks, "networks", upstream="dra.go validateNetworkDevicesWithDRA", since="1.9"),
    row(
        check_networks_have_interfaces,
        "networks",
        upstream="netiface.go validateNetworksAssignedToInterfaces",
    ),
    row(check_interface_names, "interfaces", upstream="netiface.go validateInterfaceNameUnique"),
    row(
        check_interfaces_have_networks,
        "interfaces",
        upstream="netiface.go validateInterfacesAssignedToNetworks",
    ),
    row(check_interfaces, "interfaces", upstream="netiface.go validateInterfacesFields"),
)


def check_networks(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check networks and interfaces by the table above."""
    yield from NETWORK_CHECKS.causes(cluster.release, vmi.fields, vmi, cluster)


def is_valid_address(address: Json) -> bool:
    """Return True for a valid MAC address."""
    return isinstance(address, str) and address != RESERVED_ADDRESS and is_mac_address(address)
