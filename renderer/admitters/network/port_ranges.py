"""The port ranges of an interface, known since KubeVirt 1.9."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.network.interface import Interface
from renderer.admitters.network.ports import MOST_PORTS, PROTOCOLS
from renderer.admitters.vmi_spec import elements, has, number, text
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

_MOST_RANGES = 10


def check_port_ranges(interface: Interface) -> Causes:
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
    sound: dict[str, list[tuple[int, int]]] = {protocol: [] for protocol in PROTOCOLS}
    for index, element in enumerate(ranges):
        problems = list(_check_range(at.child(index), element))
        yield from problems
        if not problems:
            bounds = (number(element, "start"), number(element, "end"))
            sound[text(element, "protocol")].append(bounds)
    for protocol, bounds_of_protocol in sound.items():
        yield from _check_overlaps(at, protocol, sorted(bounds_of_protocol))


def _check_range(at: FieldPath, element: JsonObject) -> Causes:
    protocol, start, end = text(element, "protocol"), number(element, "start"), number(element, "end")
    if protocol not in PROTOCOLS:
        yield invalid(at.child("protocol"), f"the protocol is TCP or UDP, not {protocol or 'empty'}")
    elif not 0 < start <= MOST_PORTS:
        yield invalid(at.child("start"), f"ports are from 1 to {MOST_PORTS}, not {start}")
    elif not 0 < end <= MOST_PORTS:
        yield invalid(at.child("end"), f"ports are from 1 to {MOST_PORTS}, not {end}")
    elif start > end:
        yield invalid(at.child("start"), f"the range starts at {start}, after its end, {end}")


def _check_overlaps(at: FieldPath, protocol: str, ranges: Sequence[tuple[int, int]]) -> Causes:
    for (start, end), (next_start, next_end) in pairwise(ranges):
        if next_start <= end:
            yield invalid(at, f"the {protocol} ranges {start}-{end} and {next_start}-{next_end} overlap")
