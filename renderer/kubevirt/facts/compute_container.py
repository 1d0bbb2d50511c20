"""What the container ``compute`` of a machine's pod requests, and its limits.

KubeVirt ``pkg/virt-controller/services/renderresources.go``. The overhead of the memory differs by release
and by the devices of the machine, so it is known within bounds only (``GetMemoryOverhead``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.sizes import guest_memory, positive, vcpus
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import JsonObject, array_at, object_at
from renderer.model.quantity import lenient_quantity

CPU, MEMORY = "cpu", "memory"
_MEBIBYTE = 1 << 20
#: What virt-launcher and its processes need at least in any release, and at most without and with devices.
_LEAST_OVERHEAD, _MOST_OVERHEAD, _MOST_OF_DEVICES = 180 * _MEBIBYTE, 1024 * _MEBIBYTE, 2048 * _MEBIBYTE
_PER_CPU, _PAGE_TABLES = 8 * _MEBIBYTE, 512


class Bounds(NamedTuple):
    """The least and the most that an amount may be, in thousandths."""

    least: int
    most: int


class ComputeContainer(NamedTuple):
    """The requests and limits on CPU and memory."""

    requests: Mapping[str, Bounds]
    limits: Mapping[str, Bounds]


def compute_container(machine: VirtualMachineView, config: ClusterConfig) -> ComputeContainer:
    """Return the resources of a machine whose instance type is applied."""
    cpu, limit_of_cpu = _cpu(machine, config)
    memory, limit_of_memory = _memory(machine, config)
    return _container(cpu, limit_of_cpu, memory, limit_of_memory)


@lru_cache(maxsize=1024)  # the machines of a fleet have few different ones, which are judged once each
def _container(
    cpu: Bounds, limit_of_cpu: Bounds | None, memory: Bounds, limit_of_memory: Bounds | None
) -> ComputeContainer:
    limits = ((CPU, limit_of_cpu), (MEMORY, limit_of_memory))
    return ComputeContainer(
        {CPU: cpu, MEMORY: memory}, {name: limit for name, limit in limits if limit is not None}
    )


def _cpu(machine: VirtualMachineView, config: ClusterConfig) -> tuple[Bounds, Bounds | None]:
    """Return the request and the limit (``WithCPUPinning``, ``WithoutDedicatedCPU``)."""
    cpu = object_at(machine.domain, "cpu")
    threads = positive(object_at(machine.domain, "ioThreads").get("supplementalPoolThreadCount"))
    number = vcpus(machine) + threads
    if cpu.get("dedicatedCpuPlacement") is True:
        isolated = cpu.get("isolateEmulatorThread") is True
        found = Bounds(1000 * (number + isolated), 1000 * (number + 2 * isolated))
        return found, found
    written, limit = (_written(machine, section, CPU) for section in ("requests", "limits"))
    requested = 1000 * number // config.cpu_allocation_ratio if written is None else written
    return Bounds(requested, requested), None if limit is None else Bounds(limit, limit)


def _memory(machine: VirtualMachineView, config: ClusterConfig) -> tuple[Bounds, Bounds | None]:
    """Return the request and the limit (``WithMemoryRequests``, ``WithHugePages``)."""
    written, limit = (_written(machine, section, MEMORY) for section in ("requests", "limits"))
    guest = 1000 * guest_memory(machine)
    has_pages = object_at(machine.domain, "memory").get("hugepages") is not None
    is_dedicated = object_at(machine.domain, "cpu").get("dedicatedCpuPlacement") is True
    overcommit = 100 if has_pages or is_dedicated else config.memory_overcommit or 100
    requested = next((each for each in (written, limit) if each), guest * 100 // overcommit)
    if has_pages:  # which are a resource of their own
        requested = max(0, requested - guest)
        limit = None if limit is None else max(0, limit - guest)
    overhead = _overhead(machine, guest)
    is_free = object_at(machine.domain, "resources").get("overcommitGuestOverhead") is True and not has_pages
    request = Bounds(
        requested + (0 if is_free else overhead.least), requested + (0 if is_free else overhead.most)
    )
    if is_dedicated:
        return request, request
    return request, None if limit is None else Bounds(limit + overhead.least, limit + overhead.most)


def _overhead(machine: VirtualMachineView, guest: int) -> Bounds:
    devices: JsonObject = machine.devices
    has_devices = any(array_at(devices, each) for each in ("gpus", "hostDevices"))
    most = _MOST_OF_DEVICES if has_devices else _MOST_OVERHEAD
    growing = guest // _PAGE_TABLES + 1000 * _PER_CPU * vcpus(machine)
    return Bounds(1000 * _LEAST_OVERHEAD, 1000 * most + growing)


def _written(machine: VirtualMachineView, section: str, name: str) -> int | None:
    found = lenient_quantity(object_at(machine.domain, "resources", section).get(name))
    return None if found is None else found.milli_value()
