"""CPU: requests and limits, features, topology, NUMA, real time, and dedicated CPUs."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Cause, Causes, invalid, needs_gate, not_supported, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, elements, has, number, quantity, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import SetField

_CPU = ("domain", "cpu")
_RESOURCES = ("domain", "resources")
_PASSTHROUGH = (*_CPU, "numa", "guestMappingPassthrough")
_FEATURE_POLICIES = ("force", "require", "optional", "disable", "forbid")
_UINT32 = 2**32
_MOST_THREADS = 2


def check_cpu_request(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a negative CPU request."""
    request = quantity(vmi.requests, "cpu")
    if request.milli_value() < 0:
        at = vmi.at(*_RESOURCES, "requests", "cpu")
        yield invalid(at, f"the CPU request {request.json} is negative")


def check_cpu_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a negative CPU limit."""
    limit = quantity(vmi.limits, "cpu")
    if limit.milli_value() < 0:
        at = vmi.at(*_RESOURCES, "limits", "cpu")
        yield invalid(at, f"the CPU limit {limit.json} is negative")


def check_cpu_request_in_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a CPU request above the limit."""
    if not vmi.limits or not vmi.requests:
        return
    limit, request = quantity(vmi.limits, "cpu"), quantity(vmi.requests, "cpu")
    if 0 < limit.milli_value() < request.milli_value():
        at = vmi.at(*_RESOURCES, "requests", "cpu")
        yield invalid(at, f"the CPU request {request.json} is greater than the limit {limit.json}")


def check_numa(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check that NUMA passthrough has its gate, dedicated CPUs and huge pages."""
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
    """Check that an isolated emulator thread has dedicated CPUs."""
    if vmi.cpu.get("isolateEmulatorThread") and not vmi.cpu.get("dedicatedCpuPlacement"):
        at = vmi.at(*_CPU, "isolateEmulatorThread")
        yield invalid(at, "isolateEmulatorThread needs cpu.dedicatedCpuPlacement: true")


def check_cpu_features(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject unknown policies of CPU features."""
    for index, feature in enumerate(elements(vmi.cpu, "features")):
        policy = text(feature, "policy")
        if policy and policy not in _FEATURE_POLICIES:
            yield not_supported(
                vmi.at(*_CPU, "features", index, "policy"),
                f"{policy!r} is not a policy for the CPU feature {text(feature, 'name')}",
                f"one of {', '.join(_FEATURE_POLICIES)}",
            )


def check_max_sockets(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject more sockets than ``maxSockets``."""
    sockets, most = number(vmi.cpu, "sockets"), number(vmi.cpu, "maxSockets")
    if 0 != most < sockets:
        yield invalid(vmi.at(*_CPU, "sockets"), f"{sockets} sockets are more than maxSockets, {most}")


def check_realtime(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that real time has dedicated CPUs and NUMA passthrough."""
    if not has(vmi.cpu, "realtime"):
        return
    if not vmi.cpu.get("dedicatedCpuPlacement"):
        at = vmi.at(*_CPU, "dedicatedCpuPlacement")
        yield required(at, "cpu.realtime needs cpu.dedicatedCpuPlacement: true")
    if not _passes_numa_through(vmi):
        yield required(vmi.at(*_PASSTHROUGH), "cpu.realtime needs cpu.numa.guestMappingPassthrough")


def _passes_numa_through(vmi: VmiSpec) -> bool:
    return has(section(vmi.cpu, "numa"), "guestMappingPassthrough")


def check_dedicated_cpus(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Run the checks of the table below if CPUs are dedicated (``validateCpuPinning``)."""
    if vmi.cpu.get("dedicatedCpuPlacement"):
        yield from DEDICATED_CPU_CHECKS.causes(cluster.release, frozenset(), vmi, cluster)


def _check_memory_of_resources(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that there is a memory request or limit."""
    if not quantity(vmi.limits, "memory").value() and not quantity(vmi.requests, "memory").value():
        yield _no_memory(vmi, "set a memory request or limit")


def _check_memory_is_given(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that memory is set in any field."""
    if quantity(vmi.limits, "memory").sign or quantity(vmi.requests, "memory").sign:
        return
    if not has(vmi.memory, "hugepages") and not quantity(vmi.memory, "guest").sign:
        yield _no_memory(vmi, "set memory.guest, memory.hugepages, or a memory request or limit")


def _no_memory(vmi: VmiSpec, hint: str) -> Cause:
    return invalid(
        vmi.at("domain", "memory", "guest"),
        "dedicatedCpuPlacement needs memory",
        hint,
        reported=vmi.at(*_RESOURCES, "limits", "memory"),
    )


def _check_whole_cpus(vmi: VmiSpec, _: Cluster) -> Causes:
    for kind, amounts in (("requests", vmi.requests), ("limits", vmi.limits)):
        cpus = quantity(amounts, "cpu")
        if cpus.value() > 0 and cpus.value() * 1000 != cpus.milli_value():
            at = vmi.at(*_RESOURCES, kind, "cpu")
            rounded = cpus.value()
            hint = f"write {rounded - 1} or {rounded}" if rounded > 1 else f"write {rounded}"
            message = f"with dedicated CPUs {kind}.cpu must be a whole number, not {cpus.json}"
            yield invalid(at, message, hint, fix=SetField(at, str(rounded)) if rounded == 1 else None)


def _check_memory_equals(vmi: VmiSpec, _: Cluster) -> Causes:
    request, limit = quantity(vmi.requests, "memory"), quantity(vmi.limits, "memory")
    if request.value() > 0 and limit.value() > 0 and request.value() != limit.value():
        yield invalid(
            vmi.at(*_RESOURCES, "requests", "memory"),
            f"with dedicated CPUs the memory request {request.json} must equal the limit {limit.json}",
        )


def _check_cpus(vmi: VmiSpec, _: Cluster) -> Causes:
    at = vmi.at("domain", "cpu", "dedicatedCpuPlacement")
    request, limit = quantity(vmi.requests, "cpu").value(), quantity(vmi.limits, "cpu").value()
    vcpus = _vcpus(vmi)
    if request == 0 and limit == 0 and vcpus == 0:
        yield invalid(at, "dedicatedCpuPlacement needs CPUs", "set cpu.cores, or a CPU request or limit")
    if request > 0 and limit > 0 and request != limit:
        yield invalid(at, f"dedicated CPUs need a request, {request}, that equals the limit, {limit}")
    if (request > 0 or limit > 0) and vcpus > 0 and vcpus not in (request, limit):
        yield invalid(
            at,
            f"the topology has {vcpus} vCPUs, but {max(request, limit)} dedicated CPUs are requested",
            "give either the topology or the CPU request and limit",
        )


def _check_threads_on_arm(vmi: VmiSpec, cluster: Cluster) -> Causes:
    threads = number(vmi.cpu, "threads")
    if threads > 1 and cluster.architecture(vmi.architecture) == "arm64":
        yield invalid(
            vmi.at("domain", "cpu", "threads"),
            f"on arm64 dedicated CPUs have one thread, not {threads}",
            reported=vmi.at("architecture"),
        )


def _check_threads(vmi: VmiSpec, _: Cluster) -> Causes:
    threads = number(vmi.cpu, "threads")
    if threads > _MOST_THREADS:
        yield invalid(
            vmi.at("domain", "cpu", "threads"),
            f"dedicated CPUs have at most {_MOST_THREADS} threads, not {threads}",
            reported=vmi.at("domain", "cpu", "dedicatedCpuPlacement"),
        )


def _vcpus(vmi: VmiSpec) -> int:
    """Return sockets * cores * threads; 0 counts as 1 unless all are 0 (``GetNumberOfVCPUs``, in uint32)."""
    vcpus = number(vmi.cpu, "cores")
    for count in (number(vmi.cpu, "sockets"), number(vmi.cpu, "threads")):
        if count:
            vcpus = (vcpus * count if vcpus else count) % _UINT32
    return vcpus


DEDICATED_CPU_CHECKS: CheckTable[[VmiSpec, Cluster]] = CheckTable(
    row(_check_memory_of_resources, upstream="validateMemoryLimitAndRequestProvided", until="1.6.4"),
    row(_check_memory_is_given, upstream="validateMemoryIsProvided", since="1.6.4"),
    row(_check_whole_cpus, upstream="validateCPURequestIsInteger, validateCPULimitIsInteger"),
    row(_check_memory_equals, upstream="validateMemoryRequestsAndLimits"),
    row(_check_cpus, upstream="validateRequest…OnDedicatedCPUPlacement"),
    row(_check_threads_on_arm, upstream="validateThreadCountOnArchitecture", since="1.1"),
    row(_check_threads, upstream="validateThreadCountOnDedicatedCPUPlacement"),
)
