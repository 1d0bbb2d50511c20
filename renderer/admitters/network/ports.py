"""The ports of an interface on the pod network."""

from __future__ import annotations

from renderer.admitters.cause import Causes, duplicate, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.kubernetes_names import is_port_name
from renderer.admitters.network.interface import Interface
from renderer.admitters.vmi_spec import elements, number, text
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject

PROTOCOLS = ("TCP", "UDP")
MOST_PORTS = 65535


def check_ports(interface: Interface) -> Causes:
    ports = elements(interface.content, "ports")
    if not interface.on_pod:
        return
    at = interface.at("ports")
    names: set[str] = set()
    for index, port in enumerate(ports):
        name = text(port, "name")
        if not name:
            continue
        if name in names:
            yield duplicate(at.child(index, "name"), f"two ports are called {name}")
        if not is_port_name(name):
            hint = "use up to 15 lower-case letters, digits and '-', with at least one letter"
            yield invalid(at.child(index, "name"), f"{name!r} is no name of a port", hint)
        names.add(name)
    for index, port in enumerate(ports):
        yield from _check_port(at.child(index), port, interface.cluster)


def _check_port(at: FieldPath, port: JsonObject, cluster: Cluster) -> Causes:
    value, protocol = number(port, "port"), text(port, "protocol")
    if not value:
        yield required(at.child("port"), "the port has no number")
    most = MOST_PORTS if cluster.behaviour.refuses_port_65536 else MOST_PORTS + 1
    if not 0 <= value <= most:
        yield invalid(at.child("port"), f"ports are from 1 to {MOST_PORTS}, not {value}")
    if protocol and protocol not in PROTOCOLS:
        yield invalid(at.child("protocol"), f"the protocol is TCP or UDP, not {protocol}")
