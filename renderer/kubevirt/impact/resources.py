"""Hotplug of CPU sockets and guest memory, within the maximums planned when the VM started.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``handleCPUChangeRequest``, ``handleMemoryHotplugRequest``),
``pkg/liveupdate/memory``; the plan itself is in ``kubevirt.facts.hotplug``.
"""

from __future__ import annotations

from renderer.kubevirt.facts.hotplug import (
    desired_max_memory,
    memory_obstacle,
    planned_max_memory,
    planned_max_sockets,
    supports_hotplug,
)
from renderer.kubevirt.facts.sizes import positive
from renderer.kubevirt.impact.migratable import migration_obstacle
from renderer.kubevirt.impact.state import LIVE_UPDATE_FEATURES_UNTIL, InstanceState, Update, spec_field
from renderer.model.difference import Effect
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.quantity import Quantity, QuantityFormat, lenient_quantity
from renderer.model.release import Release

_CPU, _MEMORY = ("domain", "cpu"), ("domain", "memory")
_SOCKETS, _GUEST = (*_CPU, "sockets"), (*_MEMORY, "guest")
_SINCE_SOCKETS_STAY = Release(1, 2, 1)
#: From here until ``_MULTI_QUEUE_PLUGGED``, ``networkInterfaceMultiqueue`` prevents plugging in sockets.
_SINCE_MULTI_QUEUE_REFUSED = Release(1, 3)
_MULTI_QUEUE_PLUGGED = (Release(1, 4, 1), Release(1, 5, 2))
_SINCE_MEMORY_CHECKS = Release(1, 3)


def handle_cpu_change(update: Update, state: InstanceState) -> InstanceState:
    """Plug in sockets."""
    cpu, applied_cpu = state.at(*_CPU), object_at(update.after.applied, *_CPU)
    before, after = positive(cpu.get("sockets")), positive(applied_cpu.get("sockets"))
    has_cpu = object_at(update.after.applied, "domain").get("cpu") is not None
    if not has_cpu or before == after or not _is_live_update_feature(update, "cpu"):
        return state
    release = update.cluster.release
    if release >= LIVE_UPDATE_FEATURES_UNTIL:
        refusal = _socket_refusal(update, cpu, before, after)
        if refusal:
            return state.with_restart(refusal, spec_field(*_SOCKETS))
    reason = migration_obstacle(update, state)
    parts: dict[tuple[str, ...], Json] = {_SOCKETS: after}
    delta = (after - before) * (positive(cpu.get("cores")) or 1) * (positive(cpu.get("threads")) or 1)
    for section in ("requests", "limits"):
        path = ("domain", "resources", section)
        written = object_at(update.after.applied, *path).get("cpu")
        current = lenient_quantity(state.at(*path).get("cpu"))
        if written is not None and current is not None:
            milli = current.milli_value() + delta * (1000 // update.cluster.config.cpu_allocation_ratio)
            parts[*path, "cpu"] = Quantity.parse(f"{milli}m").canonical
    if reason:
        text = f"the sockets would be plugged in by a live migration, but {reason}"
        return state.with_patch(parts, Effect.BLOCKED, text)
    return state.with_patch(parts, Effect.NEXT_MIGRATION, "the sockets are plugged in by a live migration")


def _socket_refusal(update: Update, cpu: JsonObject, before: int, after: int) -> str:
    """Return why sockets are not plugged in; empty if they are."""
    release = update.cluster.release
    most = max_sockets(update)
    if after > most:
        if most:
            return f"the VM was started with room for {most} sockets"
        if positive(cpu.get("sockets")):
            machine = text_at(update.before.applied, "architecture") or "this VM"
            return f"no sockets can be plugged in on {machine}"
        return "the VM was started without sockets, and so without room for more"
    if after < before and release >= _SINCE_SOCKETS_STAY:
        return "sockets cannot be unplugged"
    if not supports_hotplug(update.cluster, update.after.template):
        return "sockets cannot be plugged in on arm64"
    multi_queue = object_at(update.after.applied, "domain", "devices").get("networkInterfaceMultiqueue")
    is_refused = release >= _SINCE_MULTI_QUEUE_REFUSED and not release.includes(*_MULTI_QUEUE_PLUGGED)
    if is_refused and multi_queue is True:
        return f"KubeVirt {release} plugs in no sockets with networkInterfaceMultiqueue"
    return ""


def max_sockets(update: Update) -> int:
    """Return the maximum number of sockets that was planned when the instance started."""
    spec = object_at(update.before.instance, "spec")
    return positive(object_at(spec, *_CPU).get("maxSockets")) or planned_max_sockets(update.cluster, spec)


def handle_memory_change(update: Update, state: InstanceState) -> InstanceState:
    """Plug in memory."""
    before = lenient_quantity(state.at(*_MEMORY).get("guest"))
    after = lenient_quantity(object_at(update.after.applied, *_MEMORY).get("guest"))
    if (
        before is None
        or after is None
        or before.compare(after) == 0
        or not _is_live_update_feature(update, "memory")
    ):
        return state
    refusal = _memory_refusal(update, state, before, after)
    if refusal:
        return state.with_restart(refusal, spec_field(*_GUEST))
    parts: dict[tuple[str, ...], Json] = {_GUEST: after.canonical}
    delta = after.value() - before.value()
    requests, limits = ("domain", "resources", "requests"), ("domain", "resources", "limits")
    requested = lenient_quantity(state.at(*requests).get("memory"))
    if requested is not None:
        request = requested.value() + delta
        if request < after.value():
            request, delta = after.value(), 0  # as upstream: the limit then stays
        parts[*requests, "memory"] = _bytes(request)
    limited = lenient_quantity(state.at(*limits).get("memory"))
    if limited is not None and object_at(update.after.applied, *limits).get("memory") is not None:
        parts[*limits, "memory"] = _bytes(limited.value() + delta)
    return state.with_patch(parts, Effect.NEXT_MIGRATION, "the memory is plugged in by a live migration")


def _memory_refusal(update: Update, state: InstanceState, before: Quantity, after: Quantity) -> str:
    """Return why memory is not plugged in; empty if it is."""
    release = update.cluster.release
    if release < LIVE_UPDATE_FEATURES_UNTIL:
        return ""
    most = max_guest(update)
    started = lenient_quantity(object_at(update.before.instance, "spec", *_MEMORY).get("guest")) or before
    less = "memory cannot become less than the VM was started with" if after.compare(started) < 0 else ""
    if release < _SINCE_MEMORY_CHECKS:
        if not less and most is not None and after.compare(most) > 0:
            return f"the VM was started with room for {most.json}"
        return less
    reason = migration_obstacle(update, state)
    if reason:
        return f"memory is plugged in by a live migration, but {reason}"
    if most is None:
        spec = object_at(update.before.instance, "spec")
        desired = desired_max_memory(update.cluster, spec)
        problem = desired and memory_obstacle(spec, desired, release)
        return "the VM was started without room for more memory" + (f": {problem}" if problem else "")
    return memory_obstacle(update.after.applied, most, release) or less


def max_guest(update: Update) -> Quantity | None:
    """Return the maximum memory of the instance; None if no memory can be plugged in."""
    spec = object_at(update.before.instance, "spec")
    max_guest_written = lenient_quantity(object_at(spec, *_MEMORY).get("maxGuest"))
    return planned_max_memory(update.cluster, spec) if max_guest_written is None else max_guest_written


def _is_live_update_feature(update: Update, feature: str) -> bool:
    """Return True if a VM of KubeVirt 1.0 or 1.1 updates a feature live; later the cluster decides."""
    release = update.cluster.release
    if release >= LIVE_UPDATE_FEATURES_UNTIL:
        return True
    chosen = object_at(update.after.spec, "liveUpdateFeatures").get(feature) is not None
    return chosen and (release >= Release(1, 1) or feature == "cpu")


def _bytes(number: int) -> str:
    return Quantity.of_integer(number, QuantityFormat.BINARY_SI).canonical
