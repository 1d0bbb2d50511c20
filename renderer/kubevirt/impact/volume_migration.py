"""Volumes that are migrated to other claims, or are replaced at the next restart.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``handleVolumeUpdateRequest``) and
``pkg/virt-controller/watch/volume-migration``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.virtual_machine import WAIT_AS_RECEIVER, elements_by_name
from renderer.kubevirt.impact.migratable import is_shared, volume_migration_obstacle
from renderer.kubevirt.impact.state import InstanceState, Update, spec_field
from renderer.kubevirt.impact.storage import MIGRATION, is_hotplug_volume
from renderer.model.difference import Effect
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_DISKS = ("domain", "devices", "disks")
_REPLACEMENT_RESTARTS_UNTIL = Release(1, 6, 3)
_SINCE_HOTPLUGGED_MIGRATE = Release(1, 4, 1)
_RECEIVERS_LEFT_ALONE = (Release(1, 6, 5), Release(1, 7, 1))
_SINCE_OTHER_VOLUMES_CHECKED = Release(1, 4)
_VOLUMES = spec_field("volumes")
_READ_WRITE_ONCE = ("ReadWriteOnce", "ReadWriteOncePod")


def handle_volume_update(update: Update, state: InstanceState) -> InstanceState:
    """Migrate volumes whose claims differ if ``updateVolumesStrategy`` says so."""
    cluster = update.cluster
    if not cluster.has_gate(Gate.VOLUMES_UPDATE_STRATEGY):
        return state
    if update.after.run_strategy == WAIT_AS_RECEIVER and cluster.release.includes(*_RECEIVERS_LEFT_ALONE):
        return state
    if text_at(update.after.spec, "updateVolumesStrategy") != MIGRATION:
        return _with_restart_for_replaced_volumes(update, state)
    changed = _other_claims(update, state)
    if not changed or not cluster.has_gate(Gate.VOLUME_MIGRATION):
        return state
    problem = _unmovable(update, state, changed) or _other_obstacle(update, state, changed)
    if problem:
        return state.with_restart(f"the volumes cannot be migrated: {problem}", _VOLUMES)
    volumes = [changed.get(text_at(each, "name"), each) for each in state.items("volumes")]
    return state.with_patch(
        {("volumes",): volumes},
        Effect.MIGRATION,
        "a live migration copies the storage (updateVolumesStrategy: Migration)",
    )


def _with_restart_for_replaced_volumes(update: Update, state: InstanceState) -> InstanceState:
    """Require a restart if volumes differ; since 1.6.3 nothing does that here."""
    present = elements_by_name(state.items("volumes"))
    wanted = [_with_pull_policy(each, present) for each in _items(update.after.template, "volumes")]
    if update.cluster.release >= _REPLACEMENT_RESTARTS_UNTIL or wanted == [*state.items("volumes")]:
        return state
    return state.with_restart("volumes are replaced at the next start (updateVolumesStrategy)", _VOLUMES)


def _other_claims(update: Update, state: InstanceState) -> Mapping[str, JsonObject]:
    """Return the new volumes whose claims differ from the instance's (``updatedVolumesMapping``)."""
    present = elements_by_name(state.items("volumes"))
    return {
        name: volume
        for volume in _items(update.after.template, "volumes")
        if (name := text_at(volume, "name")) in present
        and claim_of(volume)
        and claim_of(present[name])
        and claim_of(volume) != claim_of(present[name])
    }


def _unmovable(update: Update, state: InstanceState, changed: Mapping[str, JsonObject]) -> str:
    """Return why a ``changed`` volume cannot be migrated; empty if all can (``ValidateVolumes``)."""
    disks = elements_by_name(state.items(*_DISKS))
    filesystems = elements_by_name(state.items("domain", "devices", "filesystems"))
    for name, volume in changed.items():
        if update.cluster.release < _SINCE_HOTPLUGGED_MIGRATE and is_hotplug_volume(volume):
            return f"{name} is hotpluggable"
        if name in filesystems:
            return f"{name} is a file system"
        disk = disks.get(name, {})
        if disk.get("shareable") is True:
            return f"{name} is shareable"
        if disk.get("lun") is not None:
            return f"{name} is a LUN"
    return ""


def _other_obstacle(update: Update, state: InstanceState, changed: Mapping[str, JsonObject]) -> str:
    """Return what else prevents the migration; empty if nothing (``ValidateVolumesUpdateMigration``)."""
    if update.cluster.release < _SINCE_OTHER_VOLUMES_CHECKED or not changed:
        return ""
    reason = volume_migration_obstacle(update, state)
    if reason:
        return f"the VM cannot be migrated, {reason}"
    for volume in state.items("volumes"):
        claim, name = claim_of(volume), text_at(volume, "name")
        modes = update.access_modes.get(claim, ())
        if (
            name not in changed
            and any(mode in modes for mode in _READ_WRITE_ONCE)
            and not is_shared(update, claim)
        ):
            return f"{name} is ReadWriteOnce and stays where it is"
    return ""


def _with_pull_policy(volume: JsonObject, present: Mapping[str, JsonObject]) -> JsonObject:
    """Give a container disk the pull policy that only the instance has; ``present`` are its volumes."""
    of_instance = present.get(text_at(volume, "name"), {})
    policy: Json = object_at(of_instance, "containerDisk").get("imagePullPolicy")
    if volume.get("containerDisk") is None or policy is None:
        return volume
    return {**volume, "containerDisk": {**object_at(volume, "containerDisk"), "imagePullPolicy": policy}}


def claim_of(volume: JsonObject) -> str:
    """Return the claim of a volume (``PVCNameFromVirtVolume``); empty if it has none."""
    return (
        text_at(volume, "dataVolume", "name")
        or text_at(volume, "persistentVolumeClaim", "claimName")
        or text_at(volume, "memoryDump", "claimName")
    )


def _items(spec: JsonObject, *path: str) -> list[JsonObject]:
    return [object_at(each) for each in array_at(spec, *path)]
