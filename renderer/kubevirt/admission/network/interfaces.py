"""Fields of interfaces: name, model, addresses, ports and DHCP options (``netiface.go``)."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission import devices
from renderer.kubevirt.admission.causes import Causes, duplicate, invalid, not_supported
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.network import ports
from renderer.kubevirt.admission.network.interface import Interface, interfaces
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, number, section, text, texts
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kubernetes_names import ALPHANUMERIC, HEXADECIMAL, consists_of
from renderer.model.kube.json import JsonObject

_FIRST_PRIVATE, _LAST_PRIVATE = 224, 254
_MAC_DIGITS = 12
MODELS_1_0 = ("e1000", "e1000e", "ne2k_pci", "pcnet", "rtl8139", "virtio")
_MODELS_1_4 = ("e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio")


def is_mac_address(text: str) -> bool:
    """Return True if Go's ``net.ParseMAC`` reads six bytes from ``text``."""
    length = 4 if "." in text else 2
    groups = text.split("." if "." in text else "-" if "-" in text else ":")
    return len(groups) * length == _MAC_DIGITS and all(_is_hexadecimal(group, length) for group in groups)


def is_bare_mac_address(text: str) -> bool:
    """Return True if ``text`` is six bytes without separators, which Go accepts since 1.26."""
    return _is_hexadecimal(text, _MAC_DIGITS)


def _is_hexadecimal(text: str, length: int) -> bool:
    return len(text) == length and consists_of(text, HEXADECIMAL)


def check_interface_names(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a second interface of the same name."""
    names: set[str] = set()
    for index, interface in enumerate(vmi.interfaces):
        name = text(interface, "name")
        if name in names:
            message = f"two interfaces are called {name}; a network has one interface"
            yield duplicate(vmi.device("interfaces", index, "name"), message)
        names.add(name)


def check_interfaces_have_networks(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that each interface has a network with the same name."""
    networks = {text(network, "name") for network in vmi.networks}
    for index, interface in enumerate(vmi.interfaces):
        name = text(interface, "name")
        if name not in networks:
            yield invalid(
                vmi.device("interfaces", index, "name"),
                f"the interface {name} has no network",
                f"add a network {name} to {vmi.at('networks')}",
            )._replace(unmatched_name=name)


def check_interfaces(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Run the checks of the table below for each interface."""
    for interface in interfaces(vmi, cluster):
        yield from INTERFACE_CHECKS.causes(cluster.release, frozenset(interface.content), interface)


def check_name_format(interface: Interface) -> Causes:
    """Check the characters of the name."""
    if not interface.name or not consists_of(interface.name, f"{ALPHANUMERIC}-_"):
        message = f"the interface's name {interface.name!r} must consist of letters, digits, '-' and '_'"
        yield invalid(interface.at("name"), message)


def check_model(interface: Interface, *, models: tuple[str, ...]) -> Causes:
    """Check that the model is in ``models``."""
    model = text(interface.content, "model")
    if model and model not in models:
        hint = f"one of {', '.join(models)}"
        yield not_supported(interface.at("model"), f"{model!r} is not an interface model", hint)


def check_mac_address(interface: Interface) -> Causes:
    """Check that the MAC address has six bytes, with separators."""
    address = text(interface.content, "macAddress")
    if address and not is_mac_address(address):
        message = f"{address!r} is not a MAC address"
        yield invalid(interface.at("macAddress"), message, "write it as 02:00:00:00:00:01")


def _check_bare_mac_address(interface: Interface) -> Causes:
    """Check the MAC address, which since Go 1.26 may also have no separators."""
    if not is_bare_mac_address(text(interface.content, "macAddress")):
        yield from check_mac_address(interface)


def check_interface_pci_address(interface: Interface) -> Causes:
    """Check the PCI address."""
    address = text(interface.content, "pciAddress")
    if address and not devices.is_pci_address(address):
        message = f"{address!r} is not a PCI address"
        yield invalid(interface.at("pciAddress"), message, "write it as 0000:81:01.0")


def _check_dhcp(interface: Interface) -> Causes:
    yield from check_private_options(interface)
    yield from check_ntp_servers(interface)


def check_private_options(interface: Interface) -> Causes:
    """Check that private DHCP options are from 224 to 254, without duplicates."""
    at, reported = interface.at("dhcpOptions"), interface.vmi.path
    if has_repeated_option(interface.content):
        yield invalid(at.child("privateOptions"), "a private option is given twice", reported=reported)
    for position, option in enumerate(_private_options(interface.content)):
        if not _FIRST_PRIVATE <= option <= _LAST_PRIVATE:
            yield invalid(
                at.child("privateOptions", position, "option"),
                f"a private option must be from {_FIRST_PRIVATE} to {_LAST_PRIVATE}, not {option}",
                reported=reported,
            )


def has_repeated_option(interface: JsonObject) -> bool:
    """Return True if a private DHCP option is given twice."""
    numbers = _private_options(interface)
    return len(set(numbers)) < len(numbers)


def _private_options(interface: JsonObject) -> list[int]:
    options = elements(section(interface, "dhcpOptions"), "privateOptions")
    return [number(option, "option") for option in options]


def check_ntp_servers(interface: Interface) -> Causes:
    """Check that NTP servers are IPv4 addresses."""
    options = section(interface.content, "dhcpOptions")
    for position, server in enumerate(texts(options, "ntpServers")):
        if not _is_ipv4(server):
            at = interface.at("dhcpOptions", "ntpServers", position)
            yield invalid(at, f"{server!r} is not an IPv4 address")


def _is_ipv4(address: str) -> bool:
    """Return True also for leading zeros, which the API type removes, and for IPv6 notation."""
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


#: ``validateInterfacesFields``; 1.0 to 1.2 have another version (``before_1_3``).
INTERFACE_CHECKS: CheckTable[[Interface]] = CheckTable(
    row(check_name_format, upstream="netiface.go validateInterfaceNameFormat", since="1.3"),
    row(
        partial(check_model, models=MODELS_1_0),
        "model",
        upstream="netiface.go validateInterfaceModel",
        since="1.3",
        until="1.4",
    ),
    row(
        partial(check_model, models=_MODELS_1_4),
        "model",
        upstream="netiface.go validateInterfaceModel",
        since="1.4",
    ),
    row(
        check_mac_address,
        "macAddress",
        upstream="netiface.go validateMacAddress",
        since="1.3",
        until="1.9",
    ),
    row(_check_bare_mac_address, "macAddress", upstream="netiface.go validateMacAddress", since="1.9"),
    row(check_interface_pci_address, "pciAddress", upstream="netiface.go validatePciAddress", since="1.3"),
    row(
        partial(ports.check_ports, most=65536, key=""),
        "ports",
        upstream="netiface.go validatePortConfiguration",
        since="1.3",
        until="1.9",
    ),
    row(
        partial(ports.check_ports, most=65535, key="port"),
        "ports",
        upstream="netiface.go validatePortConfiguration",
        since="1.9",
    ),
    row(
        ports.check_port_ranges,
        "portRanges",
        upstream="netiface.go validatePortRangesConfiguration",
        since="1.9",
    ),
    row(_check_dhcp, "dhcpOptions", upstream="netiface.go validateDHCPOptions", since="1.3"),
)
