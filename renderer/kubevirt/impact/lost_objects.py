"""What is lost with an object other than a machine that Kubernetes deletes.

A DataVolume owns its claim (CDI ``pkg/controller/datavolume``), a claim takes its PersistentVolume with it
unless that is retained, and a VirtualMachineSnapshot takes its content (KubeVirt
``pkg/storage/snapshot/snapshot.go``). A namespace takes everything, a definition each object of its kind, and
the object of an operator what the operator has installed: the definitions, and with them machines and disks.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.kubevirt.facts.kinds import (
    CDI,
    CLAIM,
    DATA_VOLUME,
    HYPERCONVERGED,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    is_kubevirt_group,
)
from renderer.kubevirt.impact import stateful_set
from renderer.kubevirt.impact.storage_objects import RETAIN, StorageObjects, named, reclaim_policy
from renderer.model.difference import DataChange, DataEffect
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource

_VOLUME = "PersistentVolume"
_SNAPSHOTS_OF_CLASSES = ("VolumeSnapshot", "VolumeGroupSnapshot")
_SNAPSHOT_CONTENTS = ("VolumeSnapshotContent", "VolumeGroupSnapshotContent")
_SNAPSHOTTER = "external-snapshotter pkg"
#: What goes with the object of an operator, unless its ``uninstallStrategy`` blocks the deletion.
_INSTALLED = {
    KUBEVIRT: "all machines in the cluster, and the disks that they own",
    CDI: "all DataVolumes in the cluster, and the claims that they own",
    HYPERCONVERGED: "KubeVirt and CDI: all machines and DataVolumes in the cluster, and their disks",
}
_REMOVE, _BLOCK = "RemoveWorkloads", "BlockUninstallIfWorkloadsExist"
#: The groups of Kubernetes itself, and one of KubeVirt, whose objects hold no data but for the kinds below.
_GROUPS_WITHOUT_DATA = frozenset(
    {
        *("", "apps", "autoscaling", "batch", "policy"),
        *("admissionregistration.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io"),
        *("coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io"),
        *("networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io"),
        *("scheduling.k8s.io", "storage.k8s.io", INSTANCETYPE_GROUP),
    }
)
_KINDS_WITH_DATA = frozenset({CLAIM, _VOLUME, "Namespace"})
_CDI_SOURCE = "containerized-data-importer pkg"
_SOURCE_OF = {
    CLAIM: "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go reclaimVolume",
    _VOLUME: "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go reclaimVolume",
    DATA_VOLUME: f"{_CDI_SOURCE}/controller/datavolume/controller-base.go",
    "VirtualMachineSnapshot": "pkg/storage/snapshot/snapshot.go",
    "VirtualMachineSnapshotContent": "pkg/storage/snapshot/snapshot.go createVolumeSnapshot",
    **dict.fromkeys(_SNAPSHOTS_OF_CLASSES, f"{_SNAPSHOTTER}/common-controller"),
    "VolumeSnapshotContent": f"{_SNAPSHOTTER}/sidecar-controller/snapshot_controller.go shouldDelete",
    "VolumeGroupSnapshotContent": (
        f"{_SNAPSHOTTER}/sidecar-controller/groupsnapshot_helper.go shouldDeleteGroupSnapshotContent"
    ),
    "DataImportCron": f"{_CDI_SOURCE}/controller/dataimportcron-controller.go",
    "Namespace": "kubernetes pkg/controller/namespace",
    "CustomResourceDefinition": "kubernetes apiextensions-apiserver pkg/controller/finalizer",
    "StatefulSet": stateful_set.SOURCE,
    KUBEVIRT: "pkg/virt-operator/webhooks/webhook.go Admit, …/resource/apply/delete.go DeleteAll",
    CDI: f"{_CDI_SOURCE}/apiserver/webhooks/cdi-validate.go Admit",
    HYPERCONVERGED: "hyperconverged-cluster-operator controllers/handlers/kubevirt.go, cdi.go",
}
#: Where the objects go, with what they hold.
SOURCES = tuple(dict.fromkeys(_SOURCE_OF.values()))


def lost_with(removed: Resource, storage: StorageObjects, users: tuple[str, ...]) -> tuple[DataChange, ...]:
    """Return what is lost with a deleted object; ``users`` are the machines that still name it."""
    found: Iterable[DataChange] = ()
    if removed.kind in (CLAIM, DATA_VOLUME):
        found = [_loss_of_disk(removed, storage, users)]
    elif removed.kind == "StatefulSet":
        found = stateful_set.claims_lost_with(removed, storage)
    elif (fate := _fate(removed)) is not None:
        effect, text = fate
        found = [DataChange(effect, removed.name, text, f"{removed.kind} {removed.name}")]
    return tuple(each._replace(source=_SOURCE_OF[removed.kind]) for each in found)


def replaced_by_empty(replaced: Resource, storage: StorageObjects) -> tuple[DataChange, ...]:
    """Return what is lost with an object that is deleted and created again; it may be of any kind."""
    lost = (each for each in lost_with(replaced, storage, ()) if each.effect is DataEffect.LOST)
    return tuple(each._replace(text=f"{each.text}, and created anew") for each in lost)


def may_hold_data(resource: Resource) -> bool:
    """Return True if data may be deleted with an object; True as well for custom resources."""
    if stateful_set.deletes_claims(resource, "whenDeleted"):
        return True
    return resource.gvk.group not in _GROUPS_WITHOUT_DATA or resource.kind in _KINDS_WITH_DATA


def _loss_of_disk(removed: Resource, storage: StorageObjects, users: tuple[str, ...]) -> DataChange:
    text = "deleted with what is on it"
    keeper = storage.kept_volume(removed.namespace, removed.name, removed.content)
    if keeper:
        text += f"; its PersistentVolume stays ({keeper})"
    if users:
        text += f"; {', '.join(users)} still needs it"
    label = named("claim" if removed.kind == CLAIM else removed.kind, removed.name, removed.content)
    return DataChange(DataEffect.LOST, removed.name, text + _held_by_finalizers(removed), label)


def _fate(removed: Resource) -> tuple[DataEffect, str] | None:
    """Return what becomes of all that goes with a deleted object other than a disk; None if nothing does."""
    kind, spec, held = removed.kind, object_at(removed.content, "spec"), _held_by_finalizers(removed)
    is_retained = text_at(spec, "deletionPolicy") == RETAIN
    if kind == _VOLUME:
        policy = reclaim_policy(removed)
        setting = f"(persistentVolumeReclaimPolicy: {policy})"
        if policy == RETAIN:
            return DataEffect.KEPT, f"what is on it stays in the storage {setting}"
        return DataEffect.LOST, f"deleted with what is on it, as soon as no claim has it {setting}{held}"
    if kind in ("VirtualMachineSnapshot", *_SNAPSHOTS_OF_CLASSES):
        if is_retained:
            return DataEffect.KEPT, f"its VirtualMachineSnapshotContent stays (deletionPolicy: {RETAIN})"
        has_class = kind in _SNAPSHOTS_OF_CLASSES
        unless = f", unless the deletionPolicy of its class is {RETAIN}" if has_class else ""
        return DataEffect.LOST, f"deleted with its content{held}{unless}"
    if kind in _SNAPSHOT_CONTENTS:
        if is_retained:
            return DataEffect.KEPT, f"the snapshot stays in the storage (deletionPolicy: {RETAIN})"
        return DataEffect.LOST, f"deleted with the snapshot in the storage{held}"
    if kind == "VirtualMachineSnapshotContent":
        return DataEffect.LOST, f"deleted with the VolumeSnapshots that it owns{held}"
    if kind == "DataImportCron" and text_at(spec, "retentionPolicy") == "None":
        return DataEffect.LOST, "deleted with the images that it has imported (retentionPolicy: None)"
    if kind == "Namespace":
        return DataEffect.LOST, f"deleted with everything in it, machines and claims too{held}"
    if kind == "CustomResourceDefinition":
        name = text_at(spec, "names", "kind") or "object of its kind"
        return DataEffect.LOST, f"deleted with each {name} in the cluster{held}"
    if kind in _INSTALLED and is_kubevirt_group(removed.gvk.group):
        # In version v1 of HyperConverged, the strategy is a field of deployment; its default alone blocks.
        written = text_at(spec, "uninstallStrategy") or text_at(spec, "deployment", "uninstallStrategy")
        strategy = written or (_BLOCK if kind == HYPERCONVERGED else _REMOVE)
        setting = f"(uninstallStrategy: {strategy}{'' if written else ', the default'})"
        if strategy == _BLOCK:
            return DataEffect.KEPT, f"its deletion is refused while there are any workloads {setting}"
        return DataEffect.LOST, f"deleted with {_INSTALLED[kind]} {setting}{held}"
    return None


def _held_by_finalizers(removed: Resource) -> str:
    """Return what keeps an object for a while: finalizers that Git has given it."""
    names = ", ".join(map(str, array_at(removed.content, "metadata", "finalizers")))
    return f", once somebody has removed its finalizer {names}" if names else ""
