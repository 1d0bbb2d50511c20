"""The changes that set RestartRequired at once (``pkg/virt-controller/watch/vm``, ``syncRestartRequired``).

KubeVirt first copies the fields that it updates while a VM runs from the new spec into the spec that it saw
last. Whatever still differs needs a restart.
"""

from __future__ import annotations

from renderer.kubevirt.facts.stored_values import with_part
from renderer.kubevirt.impact.migratable import migration_obstacle
from renderer.kubevirt.impact.network import network_needs_restart
from renderer.kubevirt.impact.state import InstanceState, Update, spec_fields
from renderer.kubevirt.impact.storage import disks_change_live, volumes_change_live
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.release import Release

_SINCE_MATCHERS_COMPARED = Release(1, 2, 1)
_SINCE_MATCHERS_COMPARED_APPLIED = Release(1, 3)
_SINCE_MEMORY_MAY_BE_NEW = Release(1, 3)
_SINCE_TOLERATIONS = Release(1, 4)
_INTERFACES_LIVE = (Release(1, 4, 1), Release(1, 5, 2))
_SINCE_PLUGGED_VOLUMES_STAGED = Release(1, 4, 1)
_SINCE_VOLUMES_ALWAYS_LIVE = Release(1, 6, 3)
_FIRMWARE_UUID_LIVE = (Release(1, 6, 4), Release(1, 7, 1))

_CPU = ("domain", "cpu")
_MEMORY = ("domain", "memory")
_DISKS = ("domain", "devices", "disks")
_INTERFACE_LIST = ("domain", "devices", "interfaces")
_FIRMWARE = ("domain", "firmware")
_REASON = "KubeVirt does not update this while the VM runs"
_STARTS_THE_SAME = "KubeVirt asks for a restart, which changes nothing: the machine runs like this already"
_STAGED = "the cluster stages changes until a restart (vmRolloutStrategy)"


def sync_restart_required(update: Update, state: InstanceState) -> InstanceState:
    """Set RestartRequired if fields still differ after the live-updatable ones are copied."""
    current = update.after.applied
    last_seen = _with_live_storage(update, state, update.before.applied)
    if update.cluster.updates_live:
        last_seen = _with_live_resources(update, last_seen)
    if update.cluster.release.includes(*_INTERFACES_LIVE) and not network_needs_restart(
        update, state, migratable=not migration_obstacle(update, state)
    ):
        for path in (_INTERFACE_LIST, ("networks",)):
            last_seen = _with_current_field(last_seen, current, path)
    last_seen = _with_firmware_uuid(update, state, last_seen)
    fields = spec_fields(last_seen, current)
    if fields:
        if update.before.instance.get("spec") == update.after.instance.get("spec"):
            reason = _STARTS_THE_SAME
        else:
            reason = _REASON if update.cluster.updates_live else f"{_REASON}; {_STAGED}"
        return state.with_restart(reason, *fields)
    compares_matchers = _SINCE_MATCHERS_COMPARED <= update.cluster.release < _SINCE_MATCHERS_COMPARED_APPLIED
    if compares_matchers and any(
        update.before.spec.get(key) != update.after.spec.get(key) for key in ("instancetype", "preference")
    ):
        return state.with_restart(
            f"before KubeVirt {_SINCE_MATCHERS_COMPARED_APPLIED.as_bound} another instance type or "
            "preference takes effect at the next start",
            *spec_fields(update.before.instance, update.after.instance),
        )
    return state


def _with_live_storage(update: Update, state: InstanceState, last_seen: JsonObject) -> JsonObject:
    """Copy volumes and disks whose changes are valid on a running VM."""
    release, current = update.cluster.release, update.after.applied
    if release >= _SINCE_VOLUMES_ALWAYS_LIVE or update.cluster.updates_live:
        if volumes_change_live(update):
            last_seen = _with_current_field(last_seen, current, ("volumes",))
        if disks_change_live(update, last_seen):
            last_seen = _with_current_field(last_seen, current, _DISKS)
    elif release >= _SINCE_PLUGGED_VOLUMES_STAGED and all(
        array_at(current, *path) == array_at(state.spec, *path) for path in (("volumes",), _DISKS)
    ):
        for path in (("volumes",), _DISKS):
            last_seen = _with_current_field(last_seen, current, path)
    return last_seen


def _with_live_resources(update: Update, last_seen: JsonObject) -> JsonObject:
    """Copy the fields that the rollout strategy LiveUpdate updates."""
    current = update.after.applied
    if _is_set(last_seen, _CPU) and _is_set(current, _CPU):
        last_seen = _with_current_field(last_seen, current, (*_CPU, "sockets"))
    has_guest = object_at(current, *_MEMORY).get("guest") is not None
    if update.cluster.release < _SINCE_MEMORY_MAY_BE_NEW:
        if _is_set(last_seen, _MEMORY) and _is_set(current, _MEMORY):
            last_seen = _with_current_field(last_seen, current, (*_MEMORY, "guest"))
    elif has_guest:
        last_seen = _with_current_field(last_seen, current, (*_MEMORY, "guest"))
    for field in ("nodeSelector", "affinity"):
        last_seen = _with_current_field(last_seen, current, (field,))
    if update.cluster.release >= _SINCE_TOLERATIONS:
        last_seen = _with_current_field(last_seen, current, ("tolerations",))
    return last_seen


def _with_firmware_uuid(update: Update, state: InstanceState, last_seen: JsonObject) -> JsonObject:
    """Copy a firmware UUID that the running instance already has."""
    current = object_at(update.after.applied, *_FIRMWARE).get("uuid")
    if not update.cluster.release.includes(*_FIRMWARE_UUID_LIVE) or current is None:
        return last_seen
    if state.at(*_FIRMWARE).get("uuid") != current:
        return last_seen
    return with_part(last_seen, (*_FIRMWARE, "uuid"), current)


def _is_set(spec: JsonObject, path: tuple[str, ...]) -> bool:
    return object_at(spec, *path[:-1]).get(path[-1]) is not None


def _with_current_field(last_seen: JsonObject, current: JsonObject, path: tuple[str, ...]) -> JsonObject:
    """Return the spec that KubeVirt saw last with the current field at ``path``: it needs no restart."""
    value: Json = object_at(current, *path[:-1]).get(path[-1])
    if value is None and not _is_set(last_seen, path):
        return last_seen
    return with_part(last_seen, path, value)
