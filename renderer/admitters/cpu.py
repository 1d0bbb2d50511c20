"""CPU: requests and limits, features, topology, NUMA and real time."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid, not_supported, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, elements, has, number, quantity, section, text

_CPU = ("domain", "cpu")
_RESOURCES = ("domain", "resources")
_PASSTHROUGH = (*_CPU, "numa", "guestMappingPassthrough")
_FEATURE_POLICIES = ("force", "require", "optional", "disable", "forbid")


def check_cpu_request(vmi: VmiSpec, _: Cluster) -> Causes:
    request = quantity(vmi.requests, "cpu")
    if request.milli_value() < 0:
        at = vmi.at(*_RESOURCES, "requests", "cpu")
        yield invalid(at, f"the CPU request {request.json} is negative")


def check_cpu_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    limit = quantity(vmi.limits, "cpu")
    if limit.milli_value() < 0:
        at = vmi.at(*_RESOURCES, "limits", "cpu")
        yield invalid(at, f"the CPU limit {limit.json} is negative")


def check_cpu_request_in_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    if not vmi.limits or not vmi.requests:
        return
    limit, request = quantity(vmi.limits, "cpu"), quantity(vmi.requests, "cpu")
    if 0 < limit.milli_value() < request.milli_value():
        at = vmi.at(*_RESOURCES, "requests", "cpu")
        yield invalid(at, f"the CPU request {request.json} is greater than the limit {limit.json}")


def check_numa(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if not _passes_numa_through(vmi):
        return
    at = vmi.at(*_PASSTHROUGH)
    if Gate.NUMA not in cluster.gates:
        yield needs_gate(at, "guestMappingPassthrough", Gate.NUMA)
    if not vmi.cpu.get("dedicatedCpuPlacement"):
        yield invalid(at, "guestMappingPassthrough needs cpu.dedicatedCpuPlacement: true")
    if not has(vmi.memory, "hugepages"):
        yield invalid(at, "guestMappingPassthrough needs memory.hugepages")


def check_emulator_thread(vmi: VmiSpec, _: Cluster) -> Causes:
    if vmi.cpu.get("isolateEmulatorThread") and not vmi.cpu.get("dedicatedCpuPlacement"):
        at = vmi.at(*_CPU, "isolateEmulatorThread")
        yield invalid(at, "isolateEmulatorThread needs cpu.dedicatedCpuPlacement: true")


def check_cpu_features(vmi: VmiSpec, _: Cluster) -> Causes:
    for index, feature in enumerate(elements(vmi.cpu, "features")):
        policy = text(feature, "policy")
        if policy and policy not in _FEATURE_POLICIES:
            yield not_supported(
                vmi.at(*_CPU, "features", index, "policy"),
                f"{policy!r} is no policy for the CPU feature {text(feature, 'name')}",
                f"one of {', '.join(_FEATURE_POLICIES)}",
            )


def check_max_sockets(vmi: VmiSpec, _: Cluster) -> Causes:
    sockets, most = number(vmi.cpu, "sockets"), number(vmi.cpu, "maxSockets")
    if 0 != most < sockets:
        yield invalid(vmi.at(*_CPU, "sockets"), f"{sockets} sockets are more than maxSockets, {most}")


def check_realtime(vmi: VmiSpec, _: Cluster) -> Causes:
    if not has(vmi.cpu, "realtime"):
        return
    if not vmi.cpu.get("dedicatedCpuPlacement"):
        at = vmi.at(*_CPU, "dedicatedCpuPlacement")
        yield required(at, "cpu.realtime needs cpu.dedicatedCpuPlacement: true")
    if not _passes_numa_through(vmi):
        yield required(vmi.at(*_PASSTHROUGH), "cpu.realtime needs cpu.numa.guestMappingPassthrough")


def _passes_numa_through(vmi: VmiSpec) -> bool:
    return has(section(vmi.cpu, "numa"), "guestMappingPassthrough")
