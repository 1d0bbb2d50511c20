"""The DataVolumes, claims and storage classes of one side of a change, and what to call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from renderer.kubevirt.facts.claims import DEFAULT_CLASS_ANNOTATIONS
from renderer.kubevirt.facts.image_sources import image_name
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME
from renderer.kubevirt.facts.virtual_machine import elements_by_name
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same

RETAIN = "Retain"
#: Words for what volumes point to.
_NETWORK = "network interface"
_IMAGE, _COPY = "image", "a copy, made at each start, of claim"
_VOLUME = "PersistentVolume"
#: The annotations of a claim whose PersistentVolume was made for it, with the reclaim policy of its class.
_PROVISIONER_ANNOTATIONS = (
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
)
#: More objects of one name are shown as a range.
_MOST_INDEXES = 3
#: What a new disk has, by the field of its source (CDI ``DataVolumeSource``).
_SOURCES = {
    "blank": "blank",
    "gcs": "imported from Google Cloud Storage",
    "http": "imported by HTTP",
    "imageio": "imported from oVirt",
    "registry": "imported from a registry",
    "s3": "imported from S3",
    "upload": "empty until somebody uploads an image",
    "vddk": "imported from VMware",
}


class StorageObjects:
    """Look up what holds the data of the machines of an overlay."""

    def __init__(self, objects: Iterable[Resource], classes: Iterable[Resource] = ()) -> None:
        found = tuple(objects)
        self._disks = {
            (each.namespace, each.name): each for each in found if each.kind in (CLAIM, DATA_VOLUME)
        }
        self._classes = {each.name: each for each in (*classes, *found) if each.kind == "StorageClass"}
        self._volumes = {each.name: each for each in found if each.kind == _VOLUME}

    def before(self, others: StorageObjects) -> StorageObjects:
        """Return these objects, and the others that these do not have."""
        both = StorageObjects(())
        both._disks = {**others._disks, **self._disks}
        both._classes = {**others._classes, **self._classes}
        both._volumes = {**others._volumes, **self._volumes}
        return both

    def with_volumes_of(self, after: StorageObjects) -> StorageObjects:
        """Return these objects, with PersistentVolumes as a change leaves them: engines prune last."""
        both = StorageObjects(())
        both._disks, both._classes = self._disks, self._classes
        both._volumes = {**self._volumes, **after._volumes}
        return both

    def disk(self, namespace: str, name: str) -> Resource | None:
        """Return the DataVolume or claim; None if the repository does not have it."""
        return self._disks.get((namespace, name))

    def has_lost(self, before: StorageObjects, namespace: str, name: str) -> bool:
        """Return True if a DataVolume or claim was among the objects before, and is no longer."""
        return before.disk(namespace, name) is not None and self.disk(namespace, name) is None

    def kept_volume(self, namespace: str, name: str, disk: JsonObject) -> str:
        """Return why the PersistentVolume of a deleted claim or DataVolume stays; empty if it may not.

        The policy of the volume decides. One that was made for a claim has the policy of its class
        (``kubernetes pkg/controller/volume/persistentvolume/pv_controller.go`` reclaimVolume).
        """
        spec = claim_spec(disk)
        volume_name = text_at(spec, "volumeName")
        volume = self._volumes.get(volume_name) if volume_name else self._volume_for(namespace, name)
        if volume is not None:
            is_kept = reclaim_policy(volume) == RETAIN
            return f"{volume.name}: persistentVolumeReclaimPolicy {RETAIN}" if is_kept else ""
        annotations = object_at(disk, "metadata", "annotations")
        if volume_name and not any(text_at(annotations, each) for each in _PROVISIONER_ANNOTATIONS):
            return ""
        class_name = text_at(spec, "storageClassName")
        found = self._classes.get(class_name) if class_name else self._default_class
        if found is None or text_at(found.content, "reclaimPolicy") != RETAIN:
            return ""
        return f"StorageClass {found.name}: reclaimPolicy {RETAIN}"

    def _volume_for(self, namespace: str, claim: str) -> Resource | None:
        """Return the PersistentVolume that is reserved for a claim."""
        return self._reserved.get((namespace, claim))

    @cached_property
    def _reserved(self) -> Mapping[tuple[str, str], Resource]:
        """The PersistentVolumes by the claims that they are reserved for, the first for each."""
        found: dict[tuple[str, str], Resource] = {}
        for each in self._volumes.values():
            reference = object_at(each.content, "spec", "claimRef")
            found.setdefault((text_at(reference, "namespace"), text_at(reference, "name")), each)
        return found

    def claim_of(self, volume_name: str) -> tuple[str, str] | None:
        """Return namespace and name of the claim that names a PersistentVolume; None if none does."""
        return self._claims_by_volume.get(volume_name)

    @cached_property
    def _claims_by_volume(self) -> Mapping[str, tuple[str, str]]:
        claims = (each for each in self._disks.values() if each.kind == CLAIM)
        return {text_at(each.content, "spec", "volumeName"): (each.namespace, each.name) for each in claims}

    @cached_property
    def _default_class(self) -> Resource | None:
        for annotation in DEFAULT_CLASS_ANNOTATIONS:
            for each in self._classes.values():
                if text_at(each.annotations, annotation) == "true":
                    return each
        return None


def reclaim_policy(volume: Resource) -> str:
    """Return what happens to a PersistentVolume without a claim; one in Git is retained by default.

    ``kubernetes pkg/apis/core/v1/defaults.go`` SetDefaults_PersistentVolume.
    """
    return text_at(volume.content, "spec", "persistentVolumeReclaimPolicy") or RETAIN


class Target(NamedTuple):
    """What a volume points to; a DataVolume and its claim have one name, and are one ``disk``."""

    kind: str
    name: str

    @property
    def disk(self) -> tuple[str, str]:
        return ("claim" if self.kind in (DATA_VOLUME, "claim") else self.kind, self.name)

    @property
    def is_claim(self) -> bool:
        return self.kind in (DATA_VOLUME, "claim")

    @property
    def is_made_anew(self) -> bool:
        """True if each start of an instance has it as if nothing had ever been written to it."""
        return self.kind in (_IMAGE, _COPY)

    def is_other_version_of(self, other: Target) -> bool:
        """Return True if both are container disks whose images differ in tag and digest alone."""
        are_images = self.kind == other.kind == _IMAGE
        return are_images and image_name(self.name).repository == image_name(other.name).repository


def target_of(volume: JsonObject) -> Target | None:
    """Return what a volume points to; None if it has no data of the machine's own."""
    if volume.get("dataVolume") is not None:
        return Target(DATA_VOLUME, text_at(volume, "dataVolume", "name"))
    if volume.get("persistentVolumeClaim") is not None:
        return Target("claim", text_at(volume, "persistentVolumeClaim", "claimName"))
    if volume.get("containerDisk") is not None:
        return Target(_IMAGE, text_at(volume, "containerDisk", "image"))
    if volume.get("ephemeral") is not None:
        claim = text_at(volume, "ephemeral", "persistentVolumeClaim", "claimName")
        return Target(_COPY, claim)
    if volume.get("hostDisk") is not None:
        return Target("file on the node", text_at(volume, "hostDisk", "path"))
    if volume.get("emptyDisk") is not None:
        return Target("empty disk", text_at(volume, "name"))
    return None


@once_for_same
def targets_of(instance: JsonObject) -> Mapping[str, Target]:
    """Return what each volume with data points to, by name."""
    volumes = elements_by_name(array_at(instance, "volumes"))
    found = ((name, target_of(volume)) for name, volume in volumes.items())
    return {name: target for name, target in found if target}


def root_of(instance: JsonObject) -> tuple[str, Target] | None:
    """Return name and target of what an instance boots from: the least ``bootOrder``, or the first disk."""
    devices = object_at(instance, "domain", "devices")
    ordered = [
        (order, key, text_at(device, "name"))
        for key in ("disks", "interfaces")
        for device in map(object_at, array_at(devices, key))
        if isinstance(order := device.get("bootOrder"), int)
    ]
    if ordered:
        _, key, name = min(ordered)
        if key == "interfaces":
            return name, Target(_NETWORK, name)
    else:
        names = (text_at(disk, "name") for disk in map(object_at, array_at(devices, "disks")))
        name = next(names, "")
    target = targets_of(instance).get(name)
    return (name, target) if target else None


@once_for_same
def data_volume_templates(vm_spec: JsonObject) -> Mapping[str, JsonObject]:
    """Return the DataVolumes that virt-controller makes for a VirtualMachine, by name."""
    templates = map(object_at, array_at(vm_spec, "dataVolumeTemplates"))
    return {text_at(each, "metadata", "name"): each for each in templates}


def claim_spec(data_volume: JsonObject) -> JsonObject:
    """Return the part that describes the claim: of a claim, of a DataVolume or of its template."""
    spec = object_at(data_volume, "spec")
    return object_at(spec, "storage") or object_at(spec, "pvc") or spec


def size_of(disk: JsonObject) -> str:
    """Return the size that a claim, a DataVolume or a template asks for, as it is written."""
    return text_at(claim_spec(disk), "resources", "requests", "storage")


def source_of(data_volume: JsonObject) -> str:
    """Return in words what a new DataVolume has."""
    spec = object_at(data_volume, "spec")
    reference = object_at(spec, "sourceRef")
    if reference:
        return f"a clone of {text_at(reference, 'kind') or 'DataSource'} {_qualified(reference)}"
    source = object_at(spec, "source")
    for key in ("pvc", "snapshot"):
        if source.get(key) is not None:
            noun = "claim" if key == "pvc" else "VolumeSnapshot"
            return f"a clone of {noun} {_qualified(object_at(source, key))}"
    return next((text for key, text in _SOURCES.items() if source.get(key) is not None), "")


def _qualified(reference: JsonObject) -> str:
    return "/".join(filter(None, (text_at(reference, "namespace"), text_at(reference, "name"))))


def named(kind: str, name: str, disk: JsonObject = EMPTY) -> str:
    """Return ``DataVolume db-root (30Gi)``; without the size if it is not known."""
    size = size_of(disk)
    return f"{kind} {name} ({size})" if size else f"{kind} {name}"


def indexes(first: int, end: int) -> tuple[str, ...]:
    """Return what a pool or StatefulSet appends to the names of what it makes, several as one range."""
    if end - first > _MOST_INDEXES:
        return (f"-{first} to -{end - 1}",)
    return tuple(f"-{index}" for index in range(first, end))
