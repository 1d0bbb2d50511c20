"""The ports and port ranges of an interface on the pod network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from renderer.kubevirt.admission.causes import Causes, duplicate, invalid, needs_gate, required
from renderer.kubevirt.admission.network.interface import Interface
from renderer.kubevirt.admission.vmi_spec import elements, has, number, text
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kubernetes_names import is_port_name
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject

PROTOCOLS = ("TCP", "UDP")
MOST_PORTS = 65535
_MOST_RANGES = 10


def check_ports(interface: Interface, *, most: int, key: str) -> Causes:
    """Check the ports, with numbers up to ``most``; KubeVirt reports them at ``key`` of the port."""
    ports = elements(interface.content, "ports")
    if not interface.on_pod:
        return
    at = interface.at("ports")
    names: set[str] = set()
    for index, port in enumerate(ports):
        yield from check_port_name(at.child(index), port, names)
    for index, port in enumerate(ports):
        reported = at.child(index, key) if key else at.child(index)
        yield from check_port(at.child(index), port, most=most, reported=reported)


def check_port_name(at: FieldPath, port: JsonObject, names: set[str]) -> Causes:
    """Check that the name of a port is valid and not in ``names``, and add it there."""
    name = text(port, "name")
    if not name:
        return
    if name in names:
        yield duplicate(at.child("name"), f"two ports are called {name}")
    if not is_port_name(name):
        hint = "use up to 15 lower-case letters, digits and '-', with at least one letter"
        yield invalid(at.child("name"), f"{name!r} is not a valid port name", hint)
    names.add(name)


def check_port(at: FieldPath, port: JsonObject, *, most: int, reported: FieldPath) -> Causes:
    """Check the number and the protocol of a port."""
    value, protocol = number(port, "port"), text(port, "protocol")
    if not value:
        yield required(at.child("port"), "the port has no number", reported=reported)
    if not 0 <= value <= most:
        message = f"a port must be from 1 to {MOST_PORTS}, not {value}"
        yield invalid(at.child("port"), message, reported=reported)
    if protocol and protocol not in PROTOCOLS:
        yield invalid(at.child("protocol"), f"the protocol must be TCP or UDP, not {protocol}")


def check_port_ranges(interface: Interface) -> Causes:
    """Check the gate of ``portRanges``, and each range on the pod network."""
    ranges = elements(interface.content, "portRanges")
    if not ranges:
        return
    at, reported = interface.at("portRanges"), interface.at("name")
    if Gate.PORT_RANGES not in interface.cluster.gates:
        yield needs_gate(at, "portRanges", Gate.PORT_RANGES, reported=reported)
    elif interface.on_pod:
        if interface.content.get("ports"):
            yield invalid(at, "the interface has both ports and portRanges", reported=reported)
        if not has(interface.content, "masquerade"):
            yield invalid(at, "portRanges need the binding masquerade", reported=reported)
        yield from _check_ranges(at, ranges)


def _check_ranges(at: FieldPath, ranges: Sequence[JsonObject]) -> Causes:
    if len(ranges) > _MOST_RANGES:
        yield invalid(at, f"there are {len(ranges)} portRanges; {_MOST_RANGES} are allowed")
        return
    valid: dict[str, list[tuple[int, int]]] = {protocol: [] for protocol in PROTOCOLS}
    for index, element in enumerate(ranges):
        problems = list(_check_range(at.child(index), element))
        yield from problems
        if not problems:
            bounds = (number(element, "start"), number(element, "end"))
            valid[text(element, "protocol")].append(bounds)
    for protocol, bounds_of_protocol in valid.items():
        for (start, end), (next_start, next_end) in pairwise(sorted(bounds_of_protocol)):
            if next_start <= end:
                yield invalid(at, f"the {protocol} ranges {start}-{end} and {next_start}-{next_end} overlap")


def _check_range(at: FieldPath, element: JsonObject) -> Causes:
    protocol, start, end = text(element, "protocol"), number(element, "start"), number(element, "end")
    if protocol not in PROTOCOLS:
        yield invalid(at.child("protocol"), f"the protocol must be TCP or UDP, not {protocol or 'empty'}")
    elif not 0 < start <= MOST_PORTS:
        yield invalid(at.child("start"), f"a port must be from 1 to {MOST_PORTS}, not {start}")
    elif not 0 < end <= MOST_PORTS:
        yield invalid(at.child("end"), f"a port must be from 1 to {MOST_PORTS}, not {end}")
    elif start > end:
        yield invalid(at.child("start"), f"the range starts at {start}, after its end, {end}")
