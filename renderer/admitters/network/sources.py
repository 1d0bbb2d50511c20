"""Networks: what each is, and which there may be only one of (``netsource.go``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes, duplicate, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, has, present, section, text

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
