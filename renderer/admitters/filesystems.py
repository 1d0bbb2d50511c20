"""Volumes that are shared as file systems, and disks that reserve theirs."""

from __future__ import annotations

from renderer.admitters.cause import Causes
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, elements, present, section, text
from renderer.model.json import EMPTY, JsonObject

_STORAGE = frozenset({"persistentVolumeClaim", "dataVolume"})
_CONFIG = frozenset({"configMap", "secret", "serviceAccount", "downwardAPI"})


def check_filesystems(vmi: VmiSpec, cluster: Cluster) -> Causes:
    filesystems = elements(vmi.devices, "filesystems")
    if not filesystems:
        return
    volumes = {text(volume, "name"): volume for volume in vmi.volumes}
    for index, filesystem in enumerate(filesystems):
        gate = _missing_gate(volumes.get(text(filesystem, "name"), EMPTY), cluster)
        if gate is not None:
            at = vmi.device("filesystems", index)
            what = "a file system on this kind of volume"
            yield needs_gate(at, what, gate, reported=vmi.device("filesystems"))


def _missing_gate(volume: JsonObject, cluster: Cluster) -> Gate | None:
    gates_config = cluster.behaviour.gates_config_filesystems
    if gates_config and Gate.VIRTIO_FS in cluster.gates:
        return None
    if gates_config and present(volume, _CONFIG):
        return None if Gate.VIRTIO_FS_CONFIG in cluster.gates else Gate.VIRTIO_FS_CONFIG
    if present(volume, _STORAGE) and Gate.VIRTIO_FS_STORAGE not in cluster.gates:
        return Gate.VIRTIO_FS_STORAGE
    return None


def check_persistent_reservation(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if Gate.PERSISTENT_RESERVATION in cluster.gates:
        return
    for index, disk in enumerate(vmi.disks):
        if section(disk, "lun").get("reservation"):
            yield needs_gate(
                vmi.device("disks", index, "lun", "reservation"),
                "a persistent reservation",
                Gate.PERSISTENT_RESERVATION,
                reported=vmi.device("disks", "luns", "reservation"),
            )
            return
