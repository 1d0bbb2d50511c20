"""CPU and memory of a VM that is updated while it runs (KubeVirt ``pkg/liveupdate/memory``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from renderer.kubevirt.admission import cpu
from renderer.kubevirt.admission.causes import Cause, Causes, invalid, needs_gate, not_supported
from renderer.kubevirt.admission.check_table import Check, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, VmSpec, has, number, quantity, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.quantity import Quantity

_BLOCK, _LARGE_BLOCK = "2Mi", "1Gi"
_BYTES = {_BLOCK: 2 << 20, _LARGE_BLOCK: 1 << 30}
_LEAST_GUEST = 1 << 30
_CPU, _MEMORY = ("domain", "cpu"), ("domain", "memory")
_HINT = "drop memory.maxGuest to do without hot plug"
_HOT_PLUG_1_3 = ("amd64", "arm64")
_WITHOUT_ARM = "1.5.3 1.6.1"


def _if_live_update(check: Callable[[VmSpec, Cluster], Causes], vm: VmSpec, cluster: Cluster) -> Causes:
    if cluster.updates_live:
        yield from check(vm, cluster)


def _check_sockets(vm: VmSpec, cluster: Cluster) -> Causes:
    yield from cpu.check_max_sockets(vm.vmi, cluster)


def _check_memory(
    vm: VmSpec, _: Cluster, *, architectures: tuple[str, ...], least_guest: int = _LEAST_GUEST
) -> Causes:
    """Yield the first problem of ``maxGuest``, which only ``architectures`` support.

    ``least_guest`` is the minimum memory in bytes that a guest starts with.
    """
    vmi = vm.vmi
    if not has(vmi.memory, "maxGuest"):
        return
    problem = _incompatible(vmi) or _wrong_size(vmi, architectures, least_guest)
    if problem is not None:
        yield invalid(vmi.at(*_MEMORY, "guest"), f"memory hot plug {problem}", _HINT)


def _incompatible(vmi: VmiSpec) -> str | None:
    if has(vmi.cpu, "realtime"):
        return "cannot be combined with cpu.realtime"
    if has(section(vmi.cpu, "numa"), "guestMappingPassthrough"):
        return "cannot be combined with cpu.numa.guestMappingPassthrough"
    if has(vmi.domain, "launchSecurity"):
        return "cannot be combined with launchSecurity"
    return None if has(vmi.memory, "guest") else "needs memory.guest"


def _wrong_size(vmi: VmiSpec, architectures: tuple[str, ...], least_guest: int) -> str | None:
    guest, most = quantity(vmi.memory, "guest"), quantity(vmi.memory, "maxGuest")
    block = _LARGE_BLOCK if text(section(vmi.memory, "hugepages"), "pageSize") == _LARGE_BLOCK else _BLOCK
    if guest.compare(most) > 0:
        return f"cannot start with {guest.json}, which is more than maxGuest, {most.json}"
    for name, amount in (("guest", guest), ("maxGuest", most)):
        if amount.value() % _BYTES[block]:
            return f"needs memory.{name} to be a multiple of {block}, which {amount.json} is not"
    if vmi.architecture not in architectures:
        known = " and ".join(architectures)
        return f"is only available on {known}, not on {vmi.architecture or 'a VM without architecture'}"
    if guest.value() < least_guest:
        return f"needs a guest of at least 1Gi, not {guest.json}"
    return None


def _check_memory_at_fields(vm: VmSpec, _: Cluster) -> Causes:
    """Yield every problem of ``maxGuest``, each at its own field."""
    if has(vm.vmi.memory, "maxGuest"):
        most = quantity(vm.vmi.memory, "maxGuest")
        yield from _incompatible_fields(vm.vmi)
        yield from _wrong_sizes(
            vm.vmi, most, invalid(vm.vmi.at(*_MEMORY, "maxGuest"), _unaligned_message(most))
        )


def _incompatible_fields(vmi: VmiSpec) -> Causes:
    fields = (
        (has(vmi.cpu, "realtime"), (*_CPU, "realtime")),
        (
            has(section(vmi.cpu, "numa"), "guestMappingPassthrough"),
            (*_CPU, "numa", "guestMappingPassthrough"),
        ),
        (has(vmi.domain, "launchSecurity"), ("domain", "launchSecurity")),
        (bool(vmi.cpu.get("dedicatedCpuPlacement")), (*_CPU, "dedicatedCpuPlacement")),
        (has(vmi.memory, "hugepages"), (*_MEMORY, "hugepages")),
    )
    for is_there, path in fields:
        if is_there:
            yield invalid(
                vmi.at(*path), f"memory hot plug cannot be combined with {'.'.join(path[1:])}", _HINT
            )


def _wrong_sizes(vmi: VmiSpec, most: Quantity, unaligned_most: Cause) -> Causes:
    at, guest = vmi.at(*_MEMORY, "guest"), quantity(vmi.memory, "guest")
    if not has(vmi.memory, "guest"):
        yield invalid(at, "memory hot plug needs memory.guest", _HINT)
    elif guest.compare(most) > 0:
        message = f"the guest's memory {guest.json} is more than maxGuest, {most.json}"
        yield invalid(at, message, _HINT)
    elif guest.value() % _BYTES[_BLOCK]:
        yield invalid(at, _unaligned_message(guest), _HINT)
    if most.value() % _BYTES[_BLOCK]:
        yield unaligned_most
    if vmi.architecture != "amd64":
        message = (
            f"memory hot plug is only available on amd64, not on {vmi.architecture or 'an unknown machine'}"
        )
        yield invalid(vmi.at("architecture"), message, _HINT)


def _unaligned_message(amount: Quantity) -> str:
    return f"memory hot plug needs a multiple of {_BLOCK}, which {amount.json} is not"


def _check_volumes_strategy(vm: VmSpec, cluster: Cluster) -> Causes:
    """Check the gates of ``updateVolumesStrategy``."""
    strategy = vm.content.get("updateVolumesStrategy")
    gates = (
        (strategy is not None, Gate.VOLUMES_UPDATE_STRATEGY),
        (strategy == "Migration", Gate.VOLUME_MIGRATION),
    )
    for is_needed, gate in gates:
        if is_needed and gate not in cluster.gates:
            at, reported = vm.at("updateVolumesStrategy"), FieldPath.of("updateVolumesStrategy")
            yield needs_gate(at, "updateVolumesStrategy", gate, reported=reported)


# 1.2.0 and 1.2.1.


def _check_without_instancetype(vm: VmSpec, _: Cluster) -> Causes:
    if has(vm.content, "instancetype"):
        message = "the rollout strategy LiveUpdate cannot be combined with an instance type"
        yield not_supported(vm.at("instancetype"), message, "KubeVirt 1.2.1 admits it")


def _check_without_cpu_resources(vm: VmSpec, _: Cluster) -> Causes:
    if "cpu" in vm.vmi.requests or "cpu" in vm.vmi.limits:
        message = "the rollout strategy LiveUpdate cannot be combined with CPU requests and limits"
        yield invalid(vm.vmi.at("domain", "resources"), message, "KubeVirt 1.2.2 admits them")


def _check_without_memory_limit(vm: VmSpec, _: Cluster) -> Causes:
    if has(vm.vmi.memory, "maxGuest") and "memory" in vm.vmi.limits:
        message = "memory.maxGuest cannot be combined with a memory limit"
        yield invalid(vm.vmi.at("domain", "resources"), message, "KubeVirt 1.2.1 admits it")


# 1.0 and 1.1: liveUpdateFeatures of the VirtualMachine.


def _check_features_gate(vm: VmSpec, cluster: Cluster) -> Causes:
    if has(vm.content, "liveUpdateFeatures") and Gate.VM_LIVE_UPDATE not in cluster.gates:
        yield needs_gate(vm.at("liveUpdateFeatures"), "liveUpdateFeatures", Gate.VM_LIVE_UPDATE)


def _check_most_by_hand(vm: VmSpec, _: Cluster, *, path: tuple[str, ...]) -> Causes:
    """Reject a maximum that KubeVirt itself sets in the VirtualMachineInstance."""
    if section(vm.vmi.domain, path[-2]).get(path[-1]):
        message = f"{path[-1]} is not set by hand, but by liveUpdateFeatures"
        yield not_supported(vm.vmi.at(*path), message, "drop it", fix=RemoveField(vm.vmi.at(*path)))


def _check_no_instancetype(vm: VmSpec, _: Cluster, *, part: str) -> Causes:
    """Reject live update combined with an instance type; in 1.0 only the live update of ``part`` counts."""
    features = section(vm.content, "liveUpdateFeatures")
    is_live = has(features, part) if part else has(vm.content, "liveUpdateFeatures")
    if is_live and has(vm.content, "instancetype"):
        message = "liveUpdateFeatures cannot be combined with an instance type"
        yield not_supported(vm.at("liveUpdateFeatures"), message, "drop one of them")


def _check_live_cpu(vm: VmSpec, _: Cluster) -> Causes:
    features = section(vm.content, "liveUpdateFeatures")
    if not has(features, "cpu"):
        return
    at, vmi = vm.at("liveUpdateFeatures"), vm.vmi
    sockets, most = number(vmi.cpu, "sockets"), section(features, "cpu").get("maxSockets")
    if sockets and isinstance(most, int) and sockets > most:
        message = f"{sockets} sockets are more than maxSockets, {most}"
        yield invalid(at.child("cpu", "maxSockets"), message, reported=at)
    if "cpu" in vmi.requests or "cpu" in vmi.limits:
        message = "live update of CPUs cannot be combined with CPU requests and limits"
        yield invalid(at.child("cpu"), message, reported=at)


def _check_live_memory(vm: VmSpec, _: Cluster) -> Causes:
    memory: JsonObject = section(section(vm.content, "liveUpdateFeatures"), "memory")
    if not has(memory, "maxGuest"):
        return
    at, most = vm.at("liveUpdateFeatures"), quantity(memory, "maxGuest")
    if "memory" in vm.vmi.limits:
        message = "live update of memory cannot be combined with memory limits"
        yield invalid(at.child("memory"), message, reported=at)
    yield from _incompatible_fields(vm.vmi)
    unaligned = invalid(
        at.child("memory", "maxGuest"), _unaligned_message(most), reported=at.child("MaxGuest")
    )
    yield from _wrong_sizes(vm.vmi, most, unaligned)


def _live_update_row(
    check: Callable[[VmSpec, Cluster], Causes], *fields: str, since: str = "1.2", until: str = ""
) -> Check[[VmSpec, Cluster]]:
    """Return the row of a check that runs if the rollout strategy is ``LiveUpdate``."""
    upstream = "validateLiveUpdateFeatures"
    return row(partial(_if_live_update, check), *fields, upstream=upstream, since=since, until=until)


#: ``validateLiveUpdateFeatures``.
LIVE_UPDATE_CHECKS: tuple[Check[[VmSpec, Cluster]], ...] = (
    _live_update_row(_check_without_instancetype, "instancetype", until="1.2.1"),
    _live_update_row(_check_without_cpu_resources, "requests", "limits", until="1.2.2"),
    _live_update_row(_check_without_memory_limit, "limits", until="1.2.1"),
    row(_check_features_gate, "liveUpdateFeatures", upstream="validateLiveUpdateFeatures", until="1.2"),
    row(
        partial(_check_most_by_hand, path=(*_CPU, "maxSockets")),
        "maxSockets",
        upstream="validateLiveUpdateFeatures",
        until="1.2",
    ),
    row(
        partial(_check_no_instancetype, part="cpu"),
        "liveUpdateFeatures",
        upstream="ValidateVirtualMachineSpec",
        until="1.1",
    ),
    row(
        partial(_check_no_instancetype, part=""),
        "liveUpdateFeatures",
        upstream="validateLiveUpdateFeatures",
        since="1.1",
        until="1.2",
    ),
    row(_check_live_cpu, "liveUpdateFeatures", upstream="validateLiveUpdateFeatures", until="1.2"),
    row(
        partial(_check_most_by_hand, path=(*_MEMORY, "maxGuest")),
        "maxGuest",
        upstream="validateLiveUpdateFeatures",
        since="1.1",
        until="1.2",
    ),
    row(
        _check_live_memory,
        "liveUpdateFeatures",
        upstream="validateLiveUpdateFeatures",
        since="1.1",
        until="1.2",
    ),
    _live_update_row(_check_sockets, "maxSockets"),
    _live_update_row(_check_memory_at_fields, "maxGuest", until="1.3"),
    _live_update_row(
        partial(_check_memory, architectures=_HOT_PLUG_1_3, least_guest=0),
        "maxGuest",
        since="1.3",
        until="1.3.1",
    ),
    _live_update_row(
        partial(_check_memory, architectures=_HOT_PLUG_1_3),
        "maxGuest",
        since="1.3.1",
        until=_WITHOUT_ARM,
    ),
    _live_update_row(partial(_check_memory, architectures=("amd64",)), "maxGuest", since=_WITHOUT_ARM),
    _live_update_row(_check_volumes_strategy, "updateVolumesStrategy", since="1.3", until="1.5"),
)
