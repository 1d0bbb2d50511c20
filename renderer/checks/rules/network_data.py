"""Mistakes in network data, as cloud-init reads it (``cloudinit/net/network_state.py``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address, ip_interface

from renderer.checks.rules.guest_files import (
    GuestYaml,
    Problem,
    has_several_documents,
    nearest_key,
    once_for_equal_data,
)
from renderer.kubevirt.guest_data import network_config as facts
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.pattern import pattern
from renderer.model.placeholders import has_placeholder, has_placeholder_word, without_placeholders
from renderer.yamlio.decode import decode_yaml11

_Path = tuple[Segment, ...]
_FALLBACK = "so cloud-init ignores it and asks for an address by DHCP on the first network card"
_NO_NETWORK = "so cloud-init configures no network card"
_ENI = pattern(r"^[ \t]*(auto|iface|allow-hotplug)\s", re.MULTILINE)
_MAC = pattern(r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}")


@once_for_equal_data
def network_data_problems(content: bytes, name: str, *, is_openstack: bool) -> Iterator[Problem]:
    """Yield the mistakes in network data that ``name`` contains.

    ``is_openstack``: it is on a config drive, from which cloud-init reads OpenStack's format.
    """
    text = content.decode("utf-8", "replace")
    if not text.strip():
        return
    reader = _openstack_problems if is_openstack else _no_cloud_problems
    yield from reader(GuestYaml(text, 1), name)


def _no_cloud_problems(text: GuestYaml, name: str) -> Iterator[Problem]:
    try:
        data = decode_yaml11(without_placeholders(text.text).encode("utf-8", "replace"), "networkData")
    except DiagnosticError as error:
        if not has_placeholder(text.text):
            cause = error.diagnostics[0]
            place = cause.location
            message = f"{name} is not YAML, {_FALLBACK}: {cause.message}"
            yield Problem(
                message,
                cause.hint or "correct the YAML",
                place.line if place else 0,
                place.column if place else 1,
            )
        return
    if data is None or has_placeholder_word(data):
        return
    if has_several_documents(text.text):
        yield Problem(f"{name} has several YAML documents, {_FALLBACK}", "write one document", 1)
        return
    if not isinstance(data, dict):
        hint = "write version: 2 and ethernets"
        if _ENI.search(text.text):
            hint = (
                "this is /etc/network/interfaces; write version: 1 with config, or version: 2 with ethernets"
            )
        yield Problem(f"{name} is not a mapping, {_FALLBACK}", hint, 1)
        return
    above: _Path = ("network",) if "network" in data else ()
    config = data.get("network") if above else data
    if above and config is None:
        beside = [key for key in ("version", "config", *facts.V2_DEVICES) if key in data]
        if beside:
            message = f"network in {name} is empty, {_FALLBACK}"
            yield text.problem(above, message, f"indent {' and '.join(beside)} below network:")
        return
    if not isinstance(config, dict):
        if not has_placeholder_word(config):
            message = f"network in {name} is not a mapping, {_NO_NETWORK}"
            yield text.problem(above, message, "write version: 2 and ethernets below it")
        return
    if config and config.get("config") != "disabled":
        yield from _versioned_problems(text, name, above, config)


def _versioned_problems(text: GuestYaml, name: str, above: _Path, config: JsonObject) -> Iterator[Problem]:
    version = config.get("version")
    if has_placeholder_word(version):
        return
    if version not in (1, 2) or isinstance(version, bool | str):
        likely = 1 if "config" in config else 2
        written = "no version" if "version" not in config else "a version that is not the number 1 or 2"
        path = (*above, "version") if "version" in config else above
        if not path and config:
            path = (next(iter(config)),)
        message = f"{name} has {written}, {_NO_NETWORK}"
        where = "below network:" if above else "beside its keys"
        hint = f"write version: {likely}, without quotes" if isinstance(version, str) else None
        yield text.problem(path, message, hint or f"write version: {likely} {where}")
        return
    if version == 1:
        yield from _V1(text, name).problems(above, config)
    else:
        yield from _V2(text, name).problems(above, config)


class _Reader:
    """Makes the problems of one text."""

    def __init__(self, text: GuestYaml, name: str) -> None:
        self._text = text
        self._name = name

    def _problem(self, path: _Path, what: str, hint: str, consequence: str = _NO_NETWORK) -> Problem:
        return self._text.problem(path, f"{self._name}: {what}, {consequence}", hint)

    def _address_problem(self, path: _Path, address: Json, what: str) -> Iterator[Problem]:
        """Yield the problem of an IP address without a prefix."""
        if not has_placeholder_word(address) and not (isinstance(address, str) and _is_ip(address)):
            yield self._problem(path, f"invalid {what}", "write an IPv4 or IPv6 address")

    def _key_problems(
        self, path: _Path, mapping: JsonObject, known: tuple[str, ...], words: Mapping[str, str]
    ) -> Iterator[Problem]:
        for key in mapping:
            meant = None if key in known else words.get(key) or nearest_key(key, known)
            if meant and meant not in mapping:
                message = f"{self._name} has a key {key}, which cloud-init does not know"
                yield self._text.problem((*path, key), message, f"did you mean {meant}?")

    def _mac_problem(self, path: _Path, value: Json) -> Iterator[Problem]:
        if isinstance(value, str) and value and not has_placeholder_word(value) and not _MAC.fullmatch(value):
            yield self._problem(
                path, "invalid MAC address", "write six pairs of hexadecimal digits with colons"
            )


class _V1(_Reader):
    """Version 1: ``config`` is a list of devices, routes and name servers."""

    def problems(self, above: _Path, data: JsonObject) -> Iterator[Problem]:
        config = data.get("config")
        path = (*above, "config")
        if config is None:
            hint = "write config: and below it the list of network cards"
            if any(key in data for key in facts.V2_DEVICES):
                hint = "write version: 2, which has ethernets"
            yield self._problem((*above, "version"), "version 1 without config", hint)
        elif not isinstance(config, list):
            if not has_placeholder_word(config):
                yield self._problem(
                    path, "config is not a list", "begin each network card with - type: physical"
                )
        else:
            beside = tuple(
                key for key in data if key in facts.V1_DEVICE_KEYS and key not in ("version", "config")
            )
            for index, command in enumerate(config):
                yield from self._command((*path, index), command, beside)

    def _command(self, path: _Path, command: Json, beside: tuple[str, ...]) -> Iterator[Problem]:
        if not isinstance(command, dict):
            if not has_placeholder_word(command):
                yield self._problem(path, "an element of config is not a mapping", "write - type: physical")
            return
        kind = command.get("type")
        if has_placeholder_word(kind):
            return
        if not isinstance(kind, str) or kind not in facts.V1_TYPES:
            if kind in facts.V2_DEVICES:
                return
            meant = nearest_key(kind, tuple(facts.V1_TYPES))
            hint = f"did you mean {meant}?" if meant else f"the types are {', '.join(facts.V1_TYPES)}"
            at = (*path, "type") if "type" in command else path
            yield self._problem(at, f"{'an unknown' if 'type' in command else 'no'} type of an element", hint)
            return
        missing = [key for key in facts.V1_TYPES[kind] if command.get(key) is None]
        if kind == "route" and any(command.get(key) for key in facts.V1_DESTINATIONS):
            missing = []
        if missing:
            near = next((key for key in command if nearest_key(key, tuple(missing))), None)
            hint = f"write {' and '.join(missing)} of the element"
            if near:
                hint = f"{near}: did you mean {nearest_key(near, tuple(missing))}?"
            elif beside:
                hint = f"indent {' and '.join(beside)} below the element of config"
            what = f"an element of type {kind} has no {' and no '.join(missing)}"
            yield self._problem(path, what, hint, "so cloud-init skips it")
            return
        yield from self._key_problems(path, command, facts.V1_DEVICE_KEYS, {"mac": "mac_address"})
        yield from self._mac_problem((*path, "mac_address"), command.get("mac_address"))
        if kind == "route":
            yield from self._route(path, command)
        if "subnets" in command and kind not in ("nameserver", "route"):
            yield from self._subnets((*path, "subnets"), command["subnets"])

    def _subnets(self, path: _Path, subnets: Json) -> Iterator[Problem]:
        if subnets is None or has_placeholder_word(subnets):
            return
        if not isinstance(subnets, list):
            yield self._problem(path, "subnets is not a list", "begin each subnet with a dash")
            return
        for index, subnet in enumerate(subnets):
            if isinstance(subnet, dict):
                yield from self._subnet((*path, index), subnet)
            elif not has_placeholder_word(subnet):
                yield self._problem((*path, index), "a subnet is not a mapping", "write - type: dhcp")

    def _subnet(self, path: _Path, subnet: JsonObject) -> Iterator[Problem]:
        kind = subnet.get("type")
        if has_placeholder_word(kind):
            return
        if kind is None:
            yield self._problem(path, "a subnet has no type", "write type: dhcp or type: static")
            return
        meant = nearest_key(kind, facts.V1_SUBNET_TYPES) or _swapped(kind, facts.V1_SUBNET_TYPES)
        if meant:
            yield self._problem((*path, "type"), "an unknown type of a subnet", f"did you mean {meant}?")
            return
        yield from self._key_problems(path, subnet, facts.V1_SUBNET_KEYS, {})
        if kind in facts.V1_STATIC:
            yield from self._static_subnet(path, subnet)
        for index, route in enumerate(_list(subnet.get("routes"))):
            if isinstance(route, dict):
                yield from self._route((*path, "routes", index), route)

    def _static_subnet(self, path: _Path, subnet: JsonObject) -> Iterator[Problem]:
        address = subnet.get("address") or subnet.get("ip_address")
        if not address:
            yield self._problem(path, "a static subnet has no address", "write address: and the IP address")
        elif not has_placeholder_word(address) and not _is_network(address):
            hint = "write an IP address with its prefix, such as 10.0.0.5/24"
            yield self._problem((*path, "address"), "invalid address", hint)
        if subnet.get("gateway"):
            yield from self._address_problem((*path, "gateway"), subnet["gateway"], "gateway")

    def _route(self, path: _Path, route: JsonObject) -> Iterator[Problem]:
        key = next((key for key in facts.V1_DESTINATIONS if route.get(key)), "destination")
        target = route.get(key)
        if target is None:
            yield self._problem(path, "a route has no destination", "write destination: and the network")
        elif target != "default" and not has_placeholder_word(target) and not _is_network(target):
            hint = "write a network with its prefix, such as 10.0.0.0/8"
            yield self._problem((*path, key), "invalid destination of a route", hint)


class _V2(_Reader):
    """Version 2, the format of netplan: devices by their names."""

    def problems(self, above: _Path, data: JsonObject) -> Iterator[Problem]:
        words = {"config": "ethernets", "interfaces": "ethernets", "devices": "ethernets"}
        yield from self._key_problems(above, data, facts.V2_KEYS, words)
        for kind in facts.V2_DEVICES:
            devices = data.get(kind)
            path = (*above, kind)
            if devices is None or has_placeholder_word(devices):
                continue
            if not isinstance(devices, dict):
                hint = "write the name of each network card as a key, without a dash"
                yield self._problem(path, f"{kind} is not a mapping", hint)
                continue
            for device, settings in devices.items():
                if isinstance(settings, dict):
                    yield from self._device((*path, device), kind, settings)
                elif settings is not None and not has_placeholder_word(settings):
                    message = f"a device of {kind} is not a mapping"  # its name may be a value
                    yield self._problem((*path, device), message, "write its keys below it")

    def _device(self, path: _Path, kind: str, device: JsonObject) -> Iterator[Problem]:
        yield from self._key_problems(path, device, facts.V2_DEVICE_KEYS, facts.V2_OTHER_WORDS)
        for key in ("dhcp4", "dhcp6"):
            flag = device.get(key)
            is_flag = flag is None or str(flag).lower() in facts.FLAGS
            if not is_flag and not has_placeholder_word(flag):
                yield self._problem((*path, key), f"{key} is not true or false", "write true or false")
        yield from self._addresses((*path, "addresses"), device.get("addresses"))
        for key in ("gateway4", "gateway6"):
            if device.get(key) is not None:
                yield from self._address_problem((*path, key), device[key], key)
        match = device.get("match")
        if match is not None and not isinstance(match, dict) and not has_placeholder_word(match):
            hint = "write macaddress:, name: or driver: below match:"
            yield self._problem((*path, "match"), "match is not a mapping", hint)
        yield from self._mac_problem(
            (*path, "match", "macaddress"), object_at(device, "match").get("macaddress")
        )
        yield from self._key_problems(
            (*path, "match"),
            object_at(device, "match"),
            facts.V2_MATCH_KEYS,
            {"mac": "macaddress", "mac_address": "macaddress"},
        )
        yield from self._name_servers((*path, "nameservers"), device.get("nameservers"))
        yield from self._routes((*path, "routes"), device.get("routes"))
        if kind == "vlans":
            missing = [key for key in ("id", "link") if device.get(key) is None]
            if missing:
                yield self._problem(path, f"a VLAN has no {' and no '.join(missing)}", f"write {missing[0]}")

    def _addresses(self, path: _Path, addresses: Json) -> Iterator[Problem]:
        if addresses is None or has_placeholder_word(addresses):
            return
        if not isinstance(addresses, list):
            yield self._problem(path, "addresses is not a list", "begin each address with a dash")
            return
        for index, element in enumerate(addresses):
            address = next(iter(element), None) if isinstance(element, dict) else element
            if has_placeholder_word(address):
                continue
            hint = "write the address with its prefix, such as 10.0.0.5/24"
            if not isinstance(address, str) or not _is_network(address):
                yield self._problem((*path, index), "invalid address", hint)
            elif "/" not in address:
                consequence = "so netplan refuses it, and other systems assume /64 or /24"
                yield self._problem((*path, index), "an address has no prefix", hint, consequence)

    def _name_servers(self, path: _Path, servers: Json) -> Iterator[Problem]:
        if servers is None or has_placeholder_word(servers):
            return
        if not isinstance(servers, dict):
            yield self._problem(
                path, "nameservers is not a mapping", "write addresses: and the list below it"
            )
            return
        yield from self._key_problems(path, servers, facts.V2_NAMESERVER_KEYS, {})
        addresses = servers.get("addresses")
        if addresses is not None and not isinstance(addresses, list) and not has_placeholder_word(addresses):
            yield self._problem(
                (*path, "addresses"), "addresses is not a list", "begin each address with a dash"
            )
        for index, address in enumerate(_list(addresses)):
            yield from self._address_problem((*path, "addresses", index), address, "address of a name server")

    def _routes(self, path: _Path, routes: Json) -> Iterator[Problem]:
        if routes is None or has_placeholder_word(routes):
            return
        if not isinstance(routes, list):
            yield self._problem(path, "routes is not a list", "begin each route with - to:")
            return
        for index, route in enumerate(routes):
            if not isinstance(route, dict):
                continue
            at = (*path, index)
            wrong = tuple(self._key_problems(at, route, facts.V2_ROUTE_KEYS, facts.V2_ROUTE_WORDS))
            yield from wrong
            target = route.get("to")
            if target is None:
                if not wrong:
                    yield self._problem(
                        at, "a route has no destination", "write to: and the network, or to: default"
                    )
            elif target != "default" and not has_placeholder_word(target) and not _is_network(target):
                hint = "write a network with its prefix, such as 10.0.0.0/8, or default"
                yield self._problem((*at, "to"), "invalid destination of a route", hint)
            if route.get("via") is not None:
                yield from self._address_problem((*at, "via"), route["via"], "gateway of a route")


def _openstack_problems(text: GuestYaml, name: str) -> Iterator[Problem]:
    """Yield the problems of OpenStack's ``network_data.json``."""
    import json  # noqa: PLC0415 - few machines have a config drive with network data

    if has_placeholder(text.text):
        return
    try:
        data: Json = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        message = f"{name} is not JSON, so cloud-init refuses the whole config drive, with its user data"
        hint = "write OpenStack's network_data.json, or use cloudInitNoCloud, whose network data is YAML"
        is_json = text.text.lstrip().startswith(("{", "["))
        yield Problem(message, hint, line if is_json else 1)
        return
    if not isinstance(data, dict):
        yield Problem(f"{name} is not an object, {_NO_NETWORK}", "write an object with links and networks", 1)
        return
    if "links" not in data:
        hint = "write links and networks, as in OpenStack's network_data.json, or use cloudInitNoCloud"
        message = f"{name} has no links, {_NO_NETWORK}"
        yield Problem(message, hint, 1)
        return
    links = _list(data["links"])
    ids = [link.get("id") for link in links if isinstance(link, dict)]
    for field, elements, keys in (
        ("links", links, ("id", "type")),
        ("networks", _list(data.get("networks")), ("link", "type")),
    ):
        for index, element in enumerate(elements):
            missing = [key for key in keys if isinstance(element, dict) and key not in element]
            if missing:
                message = f"an element of {field} in {name} has no {missing[0]}, {_NO_NETWORK}"
                yield text.problem((field, index), message, f"write {missing[0]}")
            elif field == "networks" and isinstance(element, dict) and element["link"] not in ids:
                message = f"a network in {name} is of a link that is not in links, so cloud-init ignores it"
                yield text.problem((field, index, "link"), message, "write the id of one of the links")


def _swapped(written: Json, known: tuple[str, ...]) -> str | None:
    """Return the word that ``written`` is with two of its letters swapped, which is not near for difflib."""
    if not isinstance(written, str) or written in known:
        return None
    pairs = range(len(written) - 1)
    swaps = {f"{written[:at]}{written[at + 1]}{written[at]}{written[at + 2 :]}" for at in pairs}
    return next((word for word in known if word in swaps), None)


def _list(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else ()


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_network(value: Json) -> bool:
    """Return True for an IP address or network, with or without a prefix or a mask."""
    if not isinstance(value, str):
        return False
    try:
        ip_interface(value)
    except ValueError:
        return False
    return True
