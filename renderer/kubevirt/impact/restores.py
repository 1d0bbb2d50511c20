"""Restores in place, which give the disks of a VirtualMachine other names than Git has.

``VirtualMachineRestore`` writes the restored names into ``volumes`` and ``dataVolumeTemplates`` of its
target, and deletes the DataVolumes that these named before (KubeVirt ``pkg/storage/snapshot/restore.go``
restoreVolumeName, generateRestoredVMSpec, deleteObsoleteVolumes). A sync puts the old names back: KubeVirt
then makes the DataVolumes of the templates anew.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.impact.storage_objects import StorageObjects, Target, targets_of
from renderer.model.difference import DataChange, DataEffect
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern
from renderer.model.release import Release

RESTORE = "VirtualMachineRestore"
_RESTORED_NAME = pattern(r"restore-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-.+")
_RESTORED_BY = "restore.kubevirt.io/name"
#: The first release with ``volumeRestorePolicy``.
SINCE_POLICIES = Release(1, 6)
IN_PLACE = "InPlace"
RESTORE_SOURCE = "pkg/storage/snapshot/restore.go generateRestoredVMSpec"


def is_restored(target: Target, namespace: str, objects: StorageObjects) -> bool:
    """Return True if a restore has made what a volume points to."""
    if not target.is_claim:
        return False
    disk = objects.disk(namespace, target.name)
    return bool(_RESTORED_NAME.fullmatch(target.name) or (disk and text_at(disk.annotations, _RESTORED_BY)))


def restored_machine(restore: Resource) -> str:
    """Return the name of the VirtualMachine that a restore is about; empty for another target."""
    target = object_at(restore.content, "spec", "target")
    return text_at(target, "name") if text_at(target, "kind") == VM else ""


def undone_by_sync(restore: Resource, instance: JsonObject, release: Release) -> tuple[DataChange, ...]:
    """Return the disks whose restored names the next sync of the machine takes back.

    ``instance`` is the spec of the machine's instance as Git has it.
    """
    spec = object_at(restore.content, "spec")
    undone = {
        target.name: restored
        for volume, target in targets_of(instance).items()
        if target.is_claim and (restored := _restored_name(spec, volume, target.name)) != target.name
    }
    if not undone:
        return ()
    way = "write the restored names into Git once it is done"
    if release >= SINCE_POLICIES:
        way = f"restore with volumeRestorePolicy: InPlace, or {way}"
    text = f"the next sync takes the restored disks from the VM again: {way}"
    before, after = ", ".join(undone.values()), ", ".join(undone)
    return (DataChange(DataEffect.UNDONE_RESTORE, restore.name, text, before, after, RESTORE_SOURCE),)


def _restored_name(spec: JsonObject, volume: str, claim: str) -> str:
    """Return the name of a restored disk; of its UID, that the cluster chooses it."""
    for override in map(object_at, array_at(spec, "volumeRestoreOverrides")):
        if text_at(override, "volumeName") == volume and text_at(override, "restoreName"):
            return text_at(override, "restoreName")
    policy = text_at(spec, "volumeRestorePolicy")
    if policy == IN_PLACE:
        return claim
    if policy == "PrefixTargetName":
        return f"{text_at(spec, 'target', 'name')}-{volume}"
    return f"restore-UID-{volume}"
