"""CPU sockets and guest memory: plugged in while the VM runs, within what was planned for when it started."""

from __future__ import annotations

from renderer.diff.impact.cluster import Cluster
from renderer.diff.impact.update import Update, Verdict, restart, staged
from renderer.diff.machine import Machine
from renderer.diff.sizes import count, quantity, sockets
from renderer.model.difference import Effect, FieldChange
from renderer.model.json import array_at, object_at, text_at
from renderer.model.quantity import Quantity, QuantityFormat
from renderer.model.release import Release

_ARM = "arm64"
_MAX_VCPUS = 512
#: The only releases that do not plug in sockets with network queues for each (``handleCPUChangeRequest``).
_MULTI_QUEUE = Release(1, 3)
#: Since when huge pages of 1Gi have blocks of their size, and the other checks of memory are made.
_MEMORY_CHECKS = Release(1, 3)
_BLOCK, _LARGE_BLOCK, _LEAST_GUEST = 2 << 20, 1 << 30, 1 << 30
_GROWS = "plugged in by a live migration"


def judge_sockets(update: Update, change: FieldChange) -> Verdict:
    del change
    before, after = sockets(update.before), sockets(update.after)
    if not update.updates_live("cpu"):
        return staged(update)
    if after < before:
        return restart("sockets cannot be unplugged")
    most = max_sockets(update.before, update.cluster)
    if after > most:
        return restart(f"the VM was started with room for {most} sockets")
    if update.cluster.architecture(update.after.instance) == _ARM:
        return restart("sockets cannot be plugged in on arm64")
    if (
        update.cluster.release == _MULTI_QUEUE
        and update.after.devices.get("networkInterfaceMultiqueue") is True
    ):
        return restart(f"KubeVirt {_MULTI_QUEUE} plugs in no sockets with networkInterfaceMultiqueue")
    return _if_migratable(update)


def max_sockets(machine: Machine, cluster: Cluster) -> int:
    """How many sockets a VM can get while it runs (``pkg/defaults/defaults.go``, ``setupCPUHotplug``)."""
    cpu, own = object_at(machine.domain, "cpu"), sockets(machine)
    given = count(cpu.get("maxSockets")) or cluster.max_cpu_sockets
    if given:
        return max(given, own)
    per_socket = (count(cpu.get("cores")) or 1) * (count(cpu.get("threads")) or 1)
    most = own * cluster.max_hotplug_ratio
    return most if most * per_socket <= _MAX_VCPUS else max(_MAX_VCPUS // per_socket, own)


def judge_memory(update: Update, change: FieldChange) -> Verdict:
    del change
    if not update.updates_live("memory"):
        return staged(update)
    before, after = _guest(update.before), _guest(update.after)
    if before is None or after is None:
        return restart("the VM does not say memory.guest on both sides")
    if after.compare(before) < 0:
        return restart("memory cannot become less than the VM was started with")
    most = quantity(object_at(update.before.domain, "memory").get("maxGuest"))
    most = most or max_guest(update.before, update.cluster)
    if after.compare(most) > 0:
        return restart(f"the VM was started with room for {most.json}")
    problem = _incompatible(update.before, update.cluster, most) or _incompatible(
        update.after, update.cluster, most
    )
    return restart(problem) if problem else _if_migratable(update)


def max_guest(machine: Machine, cluster: Cluster) -> Quantity:
    """How much memory a VM can get while it runs (``pkg/defaults/defaults.go``, ``setupMemoryHotplug``)."""
    guest = _guest(machine)
    own = guest.value() if guest else 0
    return cluster.max_guest or Quantity.of_integer(own * cluster.max_hotplug_ratio, QuantityFormat.BINARY_SI)


def _guest(machine: Machine) -> Quantity | None:
    return quantity(object_at(machine.domain, "memory").get("guest"))


def _incompatible(machine: Machine, cluster: Cluster, most: Quantity) -> str:
    """Why memory cannot be plugged in (``pkg/liveupdate/memory``); empty when it can."""
    if cluster.release < _MEMORY_CHECKS:
        return ""
    cpu, memory = object_at(machine.domain, "cpu"), object_at(machine.domain, "memory")
    if cpu.get("realtime") is not None:
        return "memory cannot be plugged in with cpu.realtime"
    if object_at(cpu, "numa").get("guestMappingPassthrough") is not None:
        return "memory cannot be plugged in with cpu.numa.guestMappingPassthrough"
    if machine.domain.get("launchSecurity") is not None:
        return "memory cannot be plugged in with launchSecurity"
    if cluster.architecture(machine.instance) != "amd64":
        return "memory can be plugged in on amd64 only"
    return _wrong_size(_guest(machine), most, text_at(memory, "hugepages", "pageSize"))


def _wrong_size(guest: Quantity | None, most: Quantity, page_size: str) -> str:
    block, name = (_LARGE_BLOCK, "1Gi") if page_size == "1Gi" else (_BLOCK, "2Mi")
    for amount in (guest, most):
        if amount is not None and amount.value() % block:
            return f"memory is plugged in in blocks of {name}, of which {amount.json} is no multiple"
    if guest is not None and guest.value() < _LEAST_GUEST:
        return "memory can be plugged in from 1Gi on"
    return ""


def _if_migratable(update: Update) -> Verdict:
    for devices in ("hostDevices", "gpus"):
        if array_at(update.before.devices, devices):
            return restart(f"a VM with {devices} cannot be migrated, by which it would be plugged in")
    return Verdict(Effect.HOT_PLUG, _GROWS)
