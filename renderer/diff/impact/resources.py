"""CPU sockets and guest memory, which are plugged in within what was planned for when the VM started.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``handleCPUChangeRequest``, ``handleMemoryHotplugRequest``),
``pkg/defaults/defaults.go`` (``setupHotplug``) and ``pkg/liveupdate/memory``.
"""

from __future__ import annotations

from renderer.diff.impact.migratable import migration_obstacle
from renderer.diff.impact.state import LIVE_UPDATE_FEATURES_UNTIL, InstanceState, Update, spec_field
from renderer.kubevirt.cluster import Cluster
from renderer.kubevirt.sizes import positive
from renderer.model.difference import Effect
from renderer.model.json import Json, JsonObject, object_at, text_at
from renderer.model.quantity import Quantity, QuantityFormat, lenient_quantity
from renderer.model.release import Release

_CPU, _MEMORY = ("domain", "cpu"), ("domain", "memory")
_SOCKETS, _GUEST = (*_CPU, "sockets"), (*_MEMORY, "guest")
_ARM = "arm64"
_MAX_VCPUS = 512
_SINCE_LIMITED_VCPUS = Release(1, 4)
#: The only release that plugs in no sockets with ``networkInterfaceMultiqueue``.
_MULTI_QUEUE_REFUSED_IN = Release(1, 3)
_SINCE_NOT_ON_ARM = Release(1, 5)  # from it on, nothing is plugged in on arm64
_SINCE_MEMORY_CHECKS = Release(1, 3)
_BLOCK, _LARGE_BLOCK, _LEAST_GUEST = 2 << 20, 1 << 30, 1 << 30


def handle_cpu_change(update: Update, state: InstanceState) -> InstanceState:
    """Plug in sockets."""
    cpu, wanted = state.at(*_CPU), object_at(update.after.applied, *_CPU)
    before, after = positive(cpu.get("sockets")), positive(wanted.get("sockets"))
    has_cpu = object_at(update.after.applied, "domain").get("cpu") is not None
    if not has_cpu or before == after or not _is_chosen(update, "cpu"):
        return state
    release = update.cluster.release
    if release >= LIVE_UPDATE_FEATURES_UNTIL:
        refusal = _socket_refusal(update, cpu, before, after)
        if refusal:
            return state.restarting(refusal, spec_field(*_SOCKETS))
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
        return state.patched(parts, Effect.BLOCKED, text)
    return state.patched(parts, Effect.NEXT_MIGRATION, "the sockets are plugged in by a live migration")


def _socket_refusal(update: Update, cpu: JsonObject, before: int, after: int) -> str:
    """Return why sockets are not plugged in; empty where they are."""
    release = update.cluster.release
    most = max_sockets(update)
    if after > most:
        return f"the VM was started with room for {most} sockets" if most else _no_room(update, cpu)
    if after < before:
        return "sockets cannot be unplugged"
    if release >= _SINCE_NOT_ON_ARM and text_at(update.after.template, "architecture") == _ARM:
        return "sockets cannot be plugged in on arm64"
    multi_queue = object_at(update.after.applied, "domain", "devices").get("networkInterfaceMultiqueue")
    if release == _MULTI_QUEUE_REFUSED_IN and multi_queue is True:
        return f"KubeVirt {_MULTI_QUEUE_REFUSED_IN} plugs in no sockets with networkInterfaceMultiqueue"
    return ""


def _no_room(update: Update, cpu: JsonObject) -> str:
    if positive(cpu.get("sockets")):
        return (
            f"no sockets can be plugged in on {text_at(update.before.applied, 'architecture') or 'this VM'}"
        )
    return "the VM was started without sockets, and so without room for more"


def max_sockets(update: Update) -> int:
    """Return how many sockets the instance was planned for when it was started (``setupCPUHotplug``)."""
    cpu = object_at(update.before.instance, "spec", *_CPU)
    cluster, own = update.cluster, positive(cpu.get("sockets"))
    given = positive(cpu.get("maxSockets"))
    if given:
        return given
    if cluster.release >= _SINCE_NOT_ON_ARM and _is_arm(update):
        return 0
    if cluster.config.max_cpu_sockets:
        return (
            max(cluster.config.max_cpu_sockets, own)
            if cluster.release >= _SINCE_LIMITED_VCPUS
            else cluster.config.max_cpu_sockets
        )
    per_socket = positive(cpu.get("cores")) * positive(cpu.get("threads"))
    most = own * cluster.config.max_hotplug_ratio
    if cluster.release < _SINCE_LIMITED_VCPUS or most * per_socket <= _MAX_VCPUS:
        return most
    return max(_MAX_VCPUS // per_socket, own)


def handle_memory_change(update: Update, state: InstanceState) -> InstanceState:
    """Plug in memory."""
    before = lenient_quantity(state.at(*_MEMORY).get("guest"))
    after = lenient_quantity(object_at(update.after.applied, *_MEMORY).get("guest"))
    if before is None or after is None or before.compare(after) == 0 or not _is_chosen(update, "memory"):
        return state
    refusal = _memory_refusal(update, state, before, after)
    if refusal:
        return state.restarting(refusal, spec_field(*_GUEST))
    parts: dict[tuple[str, ...], Json] = {_GUEST: after.canonical}
    delta = after.value() - before.value()
    requests, limits = ("domain", "resources", "requests"), ("domain", "resources", "limits")
    requested = lenient_quantity(state.at(*requests).get("memory"))
    if requested is not None:
        request = max(requested.value() + delta, after.value())
        if request == after.value() and requested.value() + delta < after.value():
            delta = after.value() - request
        parts[*requests, "memory"] = _bytes(request)
    limited = lenient_quantity(state.at(*limits).get("memory"))
    if limited is not None and object_at(update.after.applied, *limits).get("memory") is not None:
        parts[*limits, "memory"] = _bytes(limited.value() + delta)
    return state.patched(parts, Effect.NEXT_MIGRATION, "the memory is plugged in by a live migration")


def _memory_refusal(update: Update, state: InstanceState, before: Quantity, after: Quantity) -> str:
    """Return why memory is not plugged in; empty where it is."""
    release = update.cluster.release
    if release < LIVE_UPDATE_FEATURES_UNTIL:
        return ""
    most = max_guest(update)
    started = lenient_quantity(object_at(update.before.instance, "spec", *_MEMORY).get("guest")) or before
    less = "memory cannot become less than the VM was started with" if after.compare(started) < 0 else ""
    if release < _SINCE_MEMORY_CHECKS:
        return less or _too_much(after, most)
    reason = migration_obstacle(update, state)
    if reason:
        return f"memory is plugged in by a live migration, but {reason}"
    if most is None:
        return "the VM was started without room for more memory" + _because(update)
    return _incompatible(update.after.applied, most, release) or less


def _too_much(guest: Quantity, most: Quantity | None) -> str:
    is_more = most is not None and guest.compare(most) > 0
    return f"the VM was started with room for {most.json}" if is_more and most else ""


def _because(update: Update) -> str:
    spec = object_at(update.before.instance, "spec")
    planned = _planned_guest(update.cluster, spec)
    problem = planned and _incompatible(spec, planned, update.cluster.release)
    return f": {problem}" if problem else ""


def max_guest(update: Update) -> Quantity | None:
    """Return how much memory the instance was planned for; None where none can be plugged in.

    ``setupMemoryHotplug``.
    """
    spec = object_at(update.before.instance, "spec")
    given = lenient_quantity(object_at(spec, *_MEMORY).get("maxGuest"))
    if given is not None:
        return given
    release = update.cluster.release
    if release >= _SINCE_NOT_ON_ARM and _is_arm(update):
        return None
    planned = _planned_guest(update.cluster, spec)
    if planned is None or (release >= _SINCE_MEMORY_CHECKS and _incompatible(spec, planned, release)):
        return None
    return planned


def _planned_guest(cluster: Cluster, spec: JsonObject) -> Quantity | None:
    guest = lenient_quantity(object_at(spec, *_MEMORY).get("guest"))
    if cluster.config.max_guest is not None or guest is None:
        return cluster.config.max_guest
    return Quantity.of_integer(guest.value() * cluster.config.max_hotplug_ratio, QuantityFormat.BINARY_SI)


def _incompatible(spec: JsonObject, most: Quantity, release: Release) -> str:
    """Return why memory cannot be plugged in (``ValidateLiveUpdateMemory``); empty where it can."""
    guest = lenient_quantity(object_at(spec, *_MEMORY).get("guest"))
    with_what = _obstacle(object_at(spec, "domain"))
    if with_what:
        return f"memory cannot be plugged in with {with_what}"
    if guest is None:
        return "memory cannot be plugged in without memory.guest"
    architectures = ("amd64",) if release >= _SINCE_NOT_ON_ARM else ("amd64", _ARM)
    if text_at(spec, "architecture") not in architectures:
        return f"memory can be plugged in on {' and '.join(architectures)} only"
    return _too_much(guest, most) or _wrong_size(spec, guest, most)


def _obstacle(domain: JsonObject) -> str:
    """Return the field that keeps memory from being plugged in; empty where there is none."""
    cpu = object_at(domain, "cpu")
    obstacles = {
        "cpu.realtime": cpu.get("realtime"),
        "cpu.numa.guestMappingPassthrough": object_at(cpu, "numa").get("guestMappingPassthrough"),
        "launchSecurity": domain.get("launchSecurity"),
    }
    return next((name for name, value in obstacles.items() if value is not None), "")


def _wrong_size(spec: JsonObject, guest: Quantity, most: Quantity) -> str:
    is_large = text_at(spec, *_MEMORY, "hugepages", "pageSize") == "1Gi"
    block, name = (_LARGE_BLOCK, "1Gi") if is_large else (_BLOCK, "2Mi")
    for amount in (guest, most):
        if amount.value() % block:
            return f"memory is plugged in in blocks of {name}, of which {amount.json} is no multiple"
    return "memory can be plugged in from 1Gi on" if guest.value() < _LEAST_GUEST else ""


def _is_chosen(update: Update, feature: str) -> bool:
    """Tell whether a VM of KubeVirt 1.0 or 1.1 updates a feature live; later the cluster decides."""
    release = update.cluster.release
    if release >= LIVE_UPDATE_FEATURES_UNTIL:
        return True
    chosen = object_at(update.after.spec, "liveUpdateFeatures").get(feature) is not None
    return chosen and (release > Release(1, 0) or feature == "cpu")


def _is_arm(update: Update) -> bool:
    return text_at(update.before.instance, "spec", "architecture") == _ARM


def _bytes(count_of: int) -> str:
    return Quantity.of_integer(count_of, QuantityFormat.BINARY_SI).canonical
