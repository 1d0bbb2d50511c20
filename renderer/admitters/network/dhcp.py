"""DHCP options of an interface."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.network.interface import Interface
from renderer.admitters.vmi_spec import elements, number, section, texts

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
