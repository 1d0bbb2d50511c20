"""Each interface's own fields (``netiface.go``)."""

from __future__ import annotations

import re

from renderer.admitters.causes import Causes, duplicate, invalid, not_supported
from renderer.admitters.check_table import CheckTable, on
from renderer.admitters.cluster import Cluster
from renderer.admitters.devices import is_pci_address
from renderer.admitters.network.interface import Interface, interfaces
from renderer.admitters.network.ports import check_port_ranges, check_ports
from renderer.admitters.vmi_spec import VmiSpec, elements, number, section, text, texts

_FIRST_PRIVATE, _LAST_PRIVATE = 224, 254


def check_dhcp(interface: Interface) -> Causes:
    options = section(interface.content, "dhcpOptions")
    at, reported = interface.at("dhcpOptions"), interface.vmi.path
    numbers = [number(option, "option") for option in elements(options, "privateOptions")]
    if len(set(numbers)) < len(numbers):
        yield invalid(at.child("privateOptions"), "a private option is given twice", reported=reported)
    for position, option in enumerate(numbers):
        if not _FIRST_PRIVATE <= option <= _LAST_PRIVATE:
            yield invalid(
                at.child("privateOptions", position, "option"),
                f"private options are from {_FIRST_PRIVATE} to {_LAST_PRIVATE}, not {option}",
                reported=reported,
            )
    for position, server in enumerate(texts(options, "ntpServers")):
        if not _is_ipv4(server):
            yield invalid(at.child("ntpServers", position), f"{server!r} is not an IPv4 address")


def _is_ipv4(address: str) -> bool:
    """Also one with zeros in front, which the API type takes away, or in IPv6's notation."""
    from ipaddress import IPv6Address, ip_address  # noqa: PLC0415 - only needed where someone sets NTP servers

    if "%" in address:
        return False
    if ":" not in address:
        address = ".".join(part.lstrip("0") or part[-1:] for part in address.split("."))
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return parsed.ipv4_mapped is not None if isinstance(parsed, IPv6Address) else True


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
