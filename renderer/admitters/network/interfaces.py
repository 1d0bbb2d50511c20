"""Each interface's own fields (``netiface.go``)."""

from __future__ import annotations

import re

from renderer.admitters.cause import Causes, duplicate, invalid, not_supported
from renderer.admitters.check import CheckTable, on
from renderer.admitters.cluster import Cluster
from renderer.admitters.network.dhcp import check_dhcp
from renderer.admitters.network.interface import Interface, interfaces
from renderer.admitters.network.port_ranges import check_port_ranges
from renderer.admitters.network.ports import check_ports
from renderer.admitters.pci_address import is_pci_address
from renderer.admitters.vmi_spec import VmiSpec, text

_NAME = re.compile(r"[A-Za-z0-9-_]+")
MAC_ADDRESS = re.compile(
    r"[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2}){4}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}"
)
_BARE_MAC_ADDRESS = re.compile(r"[0-9a-fA-F]{12}")
_MODELS = ("e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio")


def check_interface_names(vmi: VmiSpec, _: Cluster) -> Causes:
    names: set[str] = set()
    for index, interface in enumerate(vmi.interfaces):
        name = text(interface, "name")
        if name in names:
            message = f"two interfaces are called {name}; a network has one interface"
            yield duplicate(vmi.device("interfaces", index, "name"), message)
        names.add(name)


def check_interfaces_have_networks(vmi: VmiSpec, _: Cluster) -> Causes:
    networks = {text(network, "name") for network in vmi.networks}
    for index, interface in enumerate(vmi.interfaces):
        name = text(interface, "name")
        if name not in networks:
            yield invalid(
                vmi.device("interfaces", index, "name"),
                f"the interface {name} has no network",
                f"add a network {name} to {vmi.at('networks')}",
            )


def check_interfaces(vmi: VmiSpec, cluster: Cluster) -> Causes:
    for interface in interfaces(vmi, cluster):
        for check in _CHECKS.needed(cluster.release, frozenset(interface.content)):
            yield from check(interface)


def _check_name(interface: Interface) -> Causes:
    if _NAME.fullmatch(interface.name) is None:
        message = f"an interface's name is of letters, digits, '-' and '_', which {interface.name!r} is not"
        yield invalid(interface.at("name"), message)


def _check_model(interface: Interface) -> Causes:
    model = text(interface.content, "model")
    if model and model not in _MODELS:
        hint = f"one of {', '.join(_MODELS)}"
        yield not_supported(interface.at("model"), f"{model!r} is no model of an interface", hint)


def _check_mac_address(interface: Interface) -> Causes:
    address = text(interface.content, "macAddress")
    if not address or MAC_ADDRESS.fullmatch(address):
        return
    if not interface.cluster.behaviour.reads_bare_mac_addresses or not _BARE_MAC_ADDRESS.fullmatch(address):
        message = f"{address!r} is no MAC address"
        yield invalid(interface.at("macAddress"), message, "write it as 02:00:00:00:00:01")


def _check_pci_address(interface: Interface) -> Causes:
    address = text(interface.content, "pciAddress")
    if address and not is_pci_address(address):
        message = f"{address!r} is no PCI address"
        yield invalid(interface.at("pciAddress"), message, "write it as 0000:81:01.0")


_CHECKS = CheckTable(
    on(_check_name),
    on(_check_model, "model"),
    on(_check_mac_address, "macAddress"),
    on(_check_pci_address, "pciAddress"),
    on(check_ports, "ports"),
    on(check_port_ranges, "portRanges"),
    on(check_dhcp, "dhcpOptions"),
)
