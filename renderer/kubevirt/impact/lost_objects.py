"""What is lost with an object other than a machine that Kubernetes deletes.

A DataVolume owns its claim (CDI ``pkg/controller/datavolume``), a claim takes its PersistentVolume with it
unless the class of the claim retains it, and a VirtualMachineSnapshot takes its content (KubeVirt
``pkg/storage/snapshot/snapshot.go``). A namespace takes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME, INSTANCETYPE_GROUP
from renderer.kubevirt.impact.storage_objects import StorageObjects, claim_spec, named
from renderer.model.difference import DataChange, DataEffect
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource

_RETAIN = "Retain"
_VOLUME_SNAPSHOT = "VolumeSnapshot"
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
_KINDS_WITH_DATA = frozenset({CLAIM, "PersistentVolume", "Namespace"})
#: The groups of KubeVirt, CDI and snapshots: their objects hold data, or machines.
_GROUPS = ("kubevirt.io", "snapshot.storage.k8s.io")
_CDI = "containerized-data-importer pkg/controller"
_SOURCE_OF = {
    CLAIM: "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go reclaimVolume",
    DATA_VOLUME: f"{_CDI}/datavolume/controller-base.go",
    "VirtualMachineSnapshot": "pkg/storage/snapshot/snapshot.go",
    _VOLUME_SNAPSHOT: "external-snapshotter pkg/common-controller",
    "DataImportCron": f"{_CDI}/dataimportcron-controller.go",
    "Namespace": "kubernetes pkg/controller/namespace",
    "CustomResourceDefinition": "kubernetes apiextensions-apiserver pkg/controller/finalizer",
}
#: Where the objects go, with what they hold.
SOURCES = tuple(_SOURCE_OF.values())


def lost_with(removed: Resource, storage: StorageObjects, users: tuple[str, ...]) -> tuple[DataChange, ...]:
    """Return what is lost with a deleted object; ``users`` are the machines that still name it."""
    loss = _LOSSES.get(removed.kind)
    found = loss(removed, storage, users) if loss else ()
    return tuple(each._replace(source=_SOURCE_OF[removed.kind]) for each in found)


def replaced_by_empty(replaced: Resource, storage: StorageObjects) -> tuple[DataChange, ...]:
    """Return what is lost with an object that is deleted and created again; it may be of any kind."""
    lost = (each for each in lost_with(replaced, storage, ()) if each.effect is DataEffect.LOST)
    return tuple(each._replace(text=f"{each.text}, and created anew") for each in lost)


def may_hold_data(resource: Resource) -> bool:
    """Return True if data may go with an object that is deleted; True as well for custom resources.

    A StatefulSet takes its claims with it only if it says so (``kubernetes pkg/controller/statefulset``).
    """
    policy = object_at(resource.content, "spec", "persistentVolumeClaimRetentionPolicy")
    if resource.kind == "StatefulSet" and policy.get("whenDeleted") == "Delete":
        return True
    return resource.gvk.group not in _GROUPS_WITHOUT_DATA or resource.kind in _KINDS_WITH_DATA


def _label(disk: Resource) -> str:
    return named("claim" if disk.kind == CLAIM else disk.kind, disk.name, disk.content)


def _disk(removed: Resource, storage: StorageObjects, users: tuple[str, ...]) -> Iterator[DataChange]:
    text = "deleted with what is on it"
    keeper = storage.keeps_volumes(claim_spec(removed.content))
    if keeper:
        text += f"; its PersistentVolume stays (StorageClass {keeper}: reclaimPolicy {_RETAIN})"
    if users:
        text += f"; {', '.join(users)} still needs it"
    yield DataChange(DataEffect.LOST, removed.name, text + _held_by_finalizers(removed), _label(removed))


def _snapshot(removed: Resource, _storage: StorageObjects, _users: tuple[str, ...]) -> Iterator[DataChange]:
    label = f"{removed.kind} {removed.name}"
    if text_at(removed.content, "spec", "deletionPolicy") == _RETAIN:
        text = f"its VirtualMachineSnapshotContent stays (deletionPolicy: {_RETAIN})"
        yield DataChange(DataEffect.KEPT, removed.name, text, label)
        return
    text = f"deleted with its content{_held_by_finalizers(removed)}"
    if removed.kind == _VOLUME_SNAPSHOT:
        text += f", unless the deletionPolicy of its class is {_RETAIN}"
    yield DataChange(DataEffect.LOST, removed.name, text, label)


def _image_cron(removed: Resource, _storage: StorageObjects, _users: tuple[str, ...]) -> Iterator[DataChange]:
    if text_at(removed.content, "spec", "retentionPolicy") == "None":
        text = "deleted with the images that it has imported (retentionPolicy: None)"
        yield DataChange(DataEffect.LOST, removed.name, text, f"{removed.kind} {removed.name}")


def _namespace(removed: Resource, _storage: StorageObjects, _users: tuple[str, ...]) -> Iterator[DataChange]:
    text = f"deleted with everything in it, machines and claims too{_held_by_finalizers(removed)}"
    yield DataChange(DataEffect.LOST, removed.name, text, f"Namespace {removed.name}")


def _definition(removed: Resource, _storage: StorageObjects, _users: tuple[str, ...]) -> Iterator[DataChange]:
    spec = object_at(removed.content, "spec")
    if text_at(spec, "group").endswith(_GROUPS):
        text = f"deleted with each {text_at(spec, 'names', 'kind')} in the cluster"
        yield DataChange(DataEffect.LOST, removed.name, text, f"{removed.kind} {removed.name}")


def _held_by_finalizers(removed: Resource) -> str:
    """Return what keeps an object for a while: finalizers that Git has given it."""
    names = ", ".join(map(str, array_at(removed.content, "metadata", "finalizers")))
    return f", once somebody has removed its finalizer {names}" if names else ""


_LOSSES: Mapping[str, Callable[[Resource, StorageObjects, tuple[str, ...]], Iterator[DataChange]]] = {
    CLAIM: _disk,
    DATA_VOLUME: _disk,
    "VirtualMachineSnapshot": _snapshot,
    _VOLUME_SNAPSHOT: _snapshot,
    "DataImportCron": _image_cron,
    "Namespace": _namespace,
    "CustomResourceDefinition": _definition,
}
