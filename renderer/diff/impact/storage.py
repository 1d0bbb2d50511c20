"""Volumes and their disks (KubeVirt ``validLiveUpdateVolumes``, ``pkg/storage/hotplug``)."""

from __future__ import annotations

from renderer.diff.impact.cluster import Cluster, Gate
from renderer.diff.impact.update import Update, Verdict, element_of, restart, staged
from renderer.diff.machine import Machine, named
from renderer.model.difference import Effect, FieldChange
from renderer.model.json import JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_CLAIMS = ("persistentVolumeClaim", "dataVolume")
_HOTPLUG_VOLUMES = "HotplugVolumes"
_KNOWN_TO_RESTART = Release(1, 2)
_MIGRATION = Release(1, 3)
_DECLARATIVE = Release(1, 6)


def judge_volume(update: Update, change: FieldChange) -> Verdict:
    """A change in ``volumes`` or in ``disks``, which go together by their names."""
    cluster = update.cluster
    if change.reordered:
        return Verdict(Effect.NEXT_START, "the order counts when the VM starts")
    if cluster.release < _KNOWN_TO_RESTART or not (cluster.updates_live or cluster.release >= _DECLARATIVE):
        return staged(update)
    name = element_of(change, "volumes") or element_of(change, "disks")
    before, after = _volume(update.before, name), _volume(update.after, name)
    if _is_hotpluggable(after) or (not after and _is_hotpluggable(before)):
        return _hotplug(update, name)
    if before and after and _migrates(update.after, cluster) and any(claim in after for claim in _CLAIMS):
        return Verdict(Effect.MIGRATION, "the storage is migrated live (updateVolumesStrategy: Migration)")
    return restart("only hotpluggable volumes change while a VM runs")


def _hotplug(update: Update, name: str) -> Verdict:
    removed = _disk(update.before, name) and not _disk(update.after, name)
    if removed and "cdrom" in _disk(update.before, name):
        return restart("a CD-ROM drive cannot be unplugged")
    if _is_declarative(update):
        return Verdict(Effect.HOT_PLUG, "hotpluggable volumes are plugged in and unplugged")
    reason = f"only virtctl plugs it in without the feature gate {Gate.DECLARATIVE_HOTPLUG_VOLUMES}"
    if update.cluster.release < _DECLARATIVE:
        reason = f"only virtctl plugs it in before KubeVirt {_DECLARATIVE}"
    return Verdict(Effect.NEXT_START, reason)


def _is_declarative(update: Update) -> bool:
    cluster = update.cluster
    developer = object_at(cluster.configuration, "developerConfiguration")
    return (
        cluster.release >= _DECLARATIVE
        and cluster.has_on(Gate.DECLARATIVE_HOTPLUG_VOLUMES)
        and _HOTPLUG_VOLUMES not in array_at(developer, "featureGates")
        and text_at(update.after.spec, "updateVolumesStrategy") != "Migration"
    )


def _migrates(machine: Machine, cluster: Cluster) -> bool:
    return (
        cluster.release >= _MIGRATION
        and text_at(machine.spec, "updateVolumesStrategy") == "Migration"
        and cluster.updates_live
        and cluster.has_on(Gate.VOLUMES_UPDATE_STRATEGY)
        and cluster.has_on(Gate.VOLUME_MIGRATION)
    )


def _is_hotpluggable(volume: JsonObject) -> bool:
    """``IsHotplugVolume``."""
    sources = (*_CLAIMS, "memoryDump")
    return any(object_at(volume, source).get("hotpluggable") is True for source in sources)


def _volume(machine: Machine, name: str) -> JsonObject:
    return named(machine.instance.get("volumes"), name)


def _disk(machine: Machine, name: str) -> JsonObject:
    return named(machine.devices.get("disks"), name)
