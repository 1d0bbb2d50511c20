"""Volumes and their disks: which changes apply to a running VM, and which its webhook rejects.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``validLiveUpdateVolumes``, ``validLiveUpdateDisks``),
``pkg/storage/hotplug/hotplug.go`` and ``pkg/storage/admitters/storagehotplug.go``.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.virtual_machine import elements_by_name
from renderer.kubevirt.impact.state import InstanceState, Update, spec_field
from renderer.model.difference import Effect
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

CLAIMS = ("persistentVolumeClaim", "dataVolume")
MIGRATION = "Migration"
_DISKS = ("domain", "devices", "disks")
_SINCE_MIGRATION_STRATEGY = Release(1, 3)
_SINCE_DISKS_WITHOUT_VOLUME = Release(1, 6)
_SINCE_CDROM_REMOVAL = Release(1, 6, 4)
_BUSES = {"disk": ("scsi", "virtio"), "lun": ("scsi",)}
_MOST_ROUNDS = 3
_PLUGGED = "hotpluggable volumes are plugged in and unplugged"


def volumes_change_live(update: Update) -> bool:
    """Return True if the volume changes are allowed on a running VM (``validLiveUpdateVolumes``)."""
    old = dict(elements_by_name(array_at(update.before.applied, "volumes")))
    migrates = (
        update.cluster.release >= _SINCE_MIGRATION_STRATEGY
        and text_at(update.after.spec, "updateVolumesStrategy") == MIGRATION
    )
    for volume in map(object_at, array_at(update.after.applied, "volumes")):
        before = old.pop(text_at(volume, "name"), None)
        if is_hotplug_volume(volume):
            continue
        if before is None:
            return False
        if not (migrates and any(claim in volume for claim in CLAIMS)) and before != volume:
            return False
    return all(map(is_hotplug_volume, old.values()))


def disks_change_live(update: Update, last_seen: JsonObject) -> bool:
    """Return True if the disk changes are allowed on a running VM (``validLiveUpdateDisks``).

    ``last_seen`` is the spec before, with the new volumes if their changes apply live.
    """
    old = dict(elements_by_name(array_at(update.before.applied, *_DISKS)))
    old_volumes = elements_by_name(array_at(last_seen, "volumes"))
    volumes = elements_by_name(array_at(update.after.applied, "volumes"))
    for disk in map(object_at, array_at(update.after.applied, *_DISKS)):
        name = text_at(disk, "name")
        before = old.pop(name, None)
        if not is_hotplug_volume(volumes.get(name, {})) and before != disk:
            return False
    release = update.cluster.release
    may_lack_volume = release >= _SINCE_DISKS_WITHOUT_VOLUME
    for name, disk in old.items():
        volume = old_volumes.get(name)
        if not is_hotplug_volume(volume or {}) and (volume is not None or not may_lack_volume):
            return False
        if release >= _SINCE_CDROM_REMOVAL and disk.get("cdrom") is not None:
            return False
    return True


def is_hotplug_volume(volume: JsonObject) -> bool:
    """Return True if the volume can be plugged in, also by a memory dump (``IsHotplugVolume``)."""
    sources = (*CLAIMS, "memoryDump")
    return any(object_at(volume, source).get("hotpluggable") is True for source in sources)


def _is_declarative(volume: JsonObject) -> bool:
    """Return True if the VM's spec can plug the volume in (``IsDeclarativeHotplugVolume``)."""
    return any(object_at(volume, source).get("hotpluggable") is True for source in CLAIMS)


def handle_declarative_volumes(update: Update, state: InstanceState) -> InstanceState:
    """Plug hotpluggable volumes in and out (``HandleDeclarativeVolumes``) until nothing changes any more."""
    cluster = update.cluster
    if cluster.has_gate(Gate.HOTPLUG_VOLUMES) or not cluster.has_gate(Gate.DECLARATIVE_HOTPLUG_VOLUMES):
        return state
    if text_at(update.after.spec, "updateVolumesStrategy") == MIGRATION:
        return state
    for _ in range(_MOST_ROUNDS):
        volumes = [*_kept_volumes(update, state), *_new_volumes(update, state)]
        disks = [*_kept_disks(update, state, volumes), *_new_disks(update, state, volumes)]
        if volumes == [*state.items("volumes")] and disks == [*state.items(*_DISKS)]:
            break
        refusal = _refusal(state, volumes, disks)
        if refusal:
            return state.with_failure(
                f"{refusal}, so that the change of the instance is refused", spec_field(*_DISKS)
            )
        state = state.with_patch({("volumes",): volumes, _DISKS: disks}, Effect.HOT_PLUG, _PLUGGED)
    return state


def _kept_volumes(update: Update, state: InstanceState) -> list[JsonObject]:
    """Return the volumes without hotplugged ones that are gone or changed (``filterHotplugVMIVolumes``)."""
    wanted = elements_by_name(array_at(update.after.template, "volumes"))
    return [
        volume
        for volume in state.items("volumes")
        if not _is_declarative(volume)
        or (
            (new := wanted.get(text_at(volume, "name"))) is not None
            and (not _is_declarative(new) or new == volume)
        )
    ]


def _new_volumes(update: Update, state: InstanceState) -> list[JsonObject]:
    """Return the volumes to plug in (``getNewHotplugVMVolumes``)."""
    present = elements_by_name(state.items("volumes"))
    wanted = map(object_at, array_at(update.after.template, "volumes"))
    return [each for each in wanted if _is_declarative(each) and text_at(each, "name") not in present]


def _kept_disks(update: Update, state: InstanceState, volumes: list[JsonObject]) -> list[JsonObject]:
    """Return the disks that stay, with empty CD-ROM drives (``filterHotplugVMIDisks``)."""
    present = elements_by_name(volumes)
    wanted = elements_by_name(array_at(update.after.template, *_DISKS))
    wanted_volumes = elements_by_name(array_at(update.after.template, "volumes"))
    kept = []
    for disk in state.items(*_DISKS):
        name = text_at(disk, "name")
        if name not in present:
            new = wanted.get(name)
            is_drive = new is not None and new.get("cdrom") is not None and disk.get("cdrom") is not None
            if new is None or (name in wanted_volumes and not is_drive):
                continue
        kept.append(disk)
    return kept


def _new_disks(update: Update, state: InstanceState, volumes: list[JsonObject]) -> list[JsonObject]:
    """Return the disks to plug in (``getNewHotplugVMDisks``)."""
    present = elements_by_name(volumes)
    old = elements_by_name(state.items(*_DISKS))
    wanted = map(object_at, array_at(update.after.template, *_DISKS))
    return [
        disk
        for disk in wanted
        if _is_declarative(present.get(text_at(disk, "name"), {})) and text_at(disk, "name") not in old
    ]


def _refusal(state: InstanceState, volumes: list[JsonObject], disks: list[JsonObject]) -> str:
    """Return why the instance's webhook rejects volumes and disks; empty if it accepts them.

    ``AdmitHotplugStorage``: every volume needs a disk, and each plugged-in disk must be hotpluggable.
    """
    names = {text_at(volume, "name") for volume in volumes if volume.get("memoryDump") is None}
    required = len(state.items("domain", "devices", "filesystems")) + sum(
        text_at(disk, "name") in names or disk.get("cdrom") is None for disk in disks
    )
    if required != len(names):
        return f"{len(names)} volumes have {required} disks"
    old_volumes = elements_by_name(state.items("volumes"))
    old_disks = elements_by_name(state.items(*_DISKS))
    disks_by_name = elements_by_name(disks)
    for volume in volumes:
        name = text_at(volume, "name")
        if name in old_volumes or not _is_declarative(volume):
            continue
        disk = disks_by_name.get(name)
        if disk is None:
            return f"{name} has no disk"
        problem = "" if name in old_disks else _hotplug_obstacle(disk)
        if problem:
            return f"{name} cannot be plugged in: {problem}"
    return ""


def _hotplug_obstacle(disk: JsonObject) -> str:
    """Return why a disk cannot be plugged in; empty if it can (``ValidateHotplugDiskConfiguration``)."""
    target: Mapping[str, Json] | None = None
    for kind, buses in _BUSES.items():
        if disk.get(kind) is None:
            continue
        target = object_at(disk, kind)
        bus = text_at(target, "bus")
        if bus not in buses:
            return f"its {kind} has the bus {bus or 'none'}, not {' or '.join(buses)}"
        if disk.get("dedicatedIOThread") is True and bus != "virtio":
            return "dedicatedIOThread needs the bus virtio"
        break
    if target is None:
        return "it is neither a disk nor a lun"
    order = disk.get("bootOrder")
    return "its bootOrder is less than 1" if isinstance(order, int) and order < 1 else ""
