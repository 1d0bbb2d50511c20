"""The CPU and memory that can be hotplugged into an instance, as planned when the instance starts.

KubeVirt ``pkg/defaults/defaults.go`` (``setupHotplug``) and ``pkg/liveupdate/memory``
(``ValidateLiveUpdateMemory``). All functions need the spec of a VirtualMachineInstance with its defaults.
"""

from __future__ import annotations

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.sizes import positive
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.quantity import Quantity, QuantityFormat, lenient_quantity
from renderer.model.release import Release

_CPU, _MEMORY = ("domain", "cpu"), ("domain", "memory")
_ARM = "arm64"
_MAX_VCPUS = 512
#: Since this release the cluster's ``maxCpuSockets`` never counts as less than the sockets of the VM.
_SINCE_LEAST_SOCKETS = Release(1, 4)
_LIMITED_VCPUS = (Release(1, 4, 1), Release(1, 5, 1))
_SINCE_NOT_ON_ARM = Release(1, 5, 2)  # from it on, nothing is planned on arm64
_MEMORY_NOT_ON_ARM = (Release(1, 5, 3), Release(1, 6, 1))
_SINCE_MEMORY_CHECKS = Release(1, 3)
_SINCE_LEAST_GUEST = Release(1, 3, 1)
_BLOCK, _LARGE_BLOCK, _LEAST_GUEST = 2 << 20, 1 << 30, 1 << 30


def supports_hotplug(cluster: Cluster, spec: JsonObject) -> bool:
    """Return True if the architecture supports hotplug."""
    return cluster.release < _SINCE_NOT_ON_ARM or text_at(spec, "architecture") != _ARM


def planned_max_sockets(cluster: Cluster, spec: JsonObject) -> int:
    """Return the maximum number of sockets that KubeVirt plans for an instance without ``maxSockets``."""
    if not supports_hotplug(cluster, spec):
        return 0
    cpu = object_at(spec, *_CPU)
    sockets, configured = positive(cpu.get("sockets")), cluster.config.max_cpu_sockets
    if configured:
        return max(configured, sockets) if cluster.release >= _SINCE_LEAST_SOCKETS else configured
    per_socket = positive(cpu.get("cores")) * positive(cpu.get("threads"))
    most = sockets * cluster.config.max_hotplug_ratio
    if not cluster.release.includes(*_LIMITED_VCPUS) or most * per_socket <= _MAX_VCPUS:
        return most
    return max(_MAX_VCPUS // per_socket, sockets)


def planned_max_memory(cluster: Cluster, spec: JsonObject) -> Quantity | None:
    """Return the maximum memory planned for an instance without ``maxGuest``; None if none is planned."""
    if not supports_hotplug(cluster, spec):
        return None
    desired = desired_max_memory(cluster, spec)
    if desired is None or (
        cluster.release >= _SINCE_MEMORY_CHECKS and memory_obstacle(spec, desired, cluster.release)
    ):
        return None
    return desired


def desired_max_memory(cluster: Cluster, spec: JsonObject) -> Quantity | None:
    """Return the maximum memory to plan for, even if hotplug is impossible."""
    guest = lenient_quantity(object_at(spec, *_MEMORY).get("guest"))
    if cluster.config.max_guest is not None or guest is None:
        return cluster.config.max_guest
    return Quantity.of_integer(guest.value() * cluster.config.max_hotplug_ratio, QuantityFormat.BINARY_SI)


def memory_obstacle(spec: JsonObject, most: Quantity, release: Release) -> str:
    """Return why an instance cannot grow to ``most`` (``ValidateLiveUpdateMemory``); empty if it can."""
    cpu, memory = object_at(spec, *_CPU), object_at(spec, *_MEMORY)
    incompatible = {
        "cpu.realtime": cpu.get("realtime"),
        "cpu.numa.guestMappingPassthrough": object_at(cpu, "numa").get("guestMappingPassthrough"),
        "launchSecurity": object_at(spec, "domain").get("launchSecurity"),
    }
    for name, value in incompatible.items():
        if value is not None:
            return f"memory cannot be plugged in with {name}"
    guest = lenient_quantity(memory.get("guest"))
    if guest is None:
        return "memory cannot be plugged in without memory.guest"
    architectures = ("amd64",) if release.includes(*_MEMORY_NOT_ON_ARM) else ("amd64", _ARM)
    if text_at(spec, "architecture") not in architectures:
        return f"memory can be plugged in on {' and '.join(architectures)} only"
    if guest.compare(most) > 0:
        return f"the VM was started with room for {most.json}"
    is_large = text_at(memory, "hugepages", "pageSize") == "1Gi"
    block, name = (_LARGE_BLOCK, "1Gi") if is_large else (_BLOCK, "2Mi")
    for amount in (guest, most):
        if amount.value() % block:
            return f"memory is plugged in in blocks of {name}, and {amount.json} is not a multiple of it"
    is_small = guest.value() < _LEAST_GUEST and release >= _SINCE_LEAST_GUEST
    return "memory can be plugged in from 1Gi on" if is_small else ""
