"""Readiness and liveness probes."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, has, section

_PROBES = ("readinessProbe", "livenessProbe")
_HANDLERS = ("httpGet", "tcpSocket", "exec", "guestAgentPing")
_NEEDS_POD_NETWORK = ("httpGet", "tcpSocket")


def check_probes(vmi: VmiSpec, _: Cluster) -> Causes:
    for name in _PROBES:
        if not has(vmi.content, name):
            continue
        probe = section(vmi.content, name)
        handlers = [handler for handler in _HANDLERS if has(probe, handler)]
        if len(handlers) > 1:
            message = f"{name} probes in more than one way: {', '.join(handlers)}"
            yield invalid(vmi.at(name), message, "keep one of them")
        elif not handlers:
            yield required(
                vmi.at(name), f"{name} does not say how to probe", f"add one of {', '.join(_HANDLERS)}"
            )


def check_probes_have_pod_network(vmi: VmiSpec, _: Cluster) -> Causes:
    probes = [name for name in _PROBES if has(vmi.content, name)]
    if not probes or any(has(network, "pod") for network in vmi.networks):
        return
    for name in probes:
        for handler in _NEEDS_POD_NETWORK:
            if has(section(vmi.content, name), handler):
                at = vmi.at(name, handler)
                yield invalid(at, f"{handler} needs the pod network, which the VM is not on", "use exec")
