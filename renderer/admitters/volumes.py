"""Each volume, and volumes that there may be only one of (``validateVolumes``)."""

from __future__ import annotations

from renderer.admitters.cause import Cause, Causes, CauseType, invalid, required
from renderer.admitters.check import CheckTable, on
from renderer.admitters.cloud_init import check_cloud_init
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.paths import check_path
from renderer.admitters.vmi_spec import VmiSpec, has, present, quantity, section, text
from renderer.admitters.volume import Volume
from renderer.model.json import text_at

_SOURCES = frozenset(
    {
        "persistentVolumeClaim",
        "sysprep",
        "cloudInitNoCloud",
        "cloudInitConfigDrive",
        "containerDisk",
        "ephemeral",
        "emptyDisk",
        "hostDisk",
        "dataVolume",
        "configMap",
        "secret",
        "downwardAPI",
        "serviceAccount",
        "downwardMetrics",
        "memoryDump",
        "containerPath",
    }
)
#: Volumes of these sources have to name what they are of.
_NAMES = {"configMap": "name", "secret": "secretName", "serviceAccount": "serviceAccountName"}
_ONLY_ONE = ("serviceAccount", "downwardMetrics", "memoryDump")
_HOST_DISK_TYPES = ("Disk", "DiskOrCreate")


def check_volumes(vmi: VmiSpec, cluster: Cluster) -> Causes:
    names: set[str] = set()
    limited = []
    for position, content in enumerate(vmi.volumes):
        volume = Volume(vmi, position, content, cluster)
        if volume.name in names:
            yield invalid(volume.at("name"), f"two volumes are called {volume.name}")
        names.add(volume.name)
        for check in _CHECKS.needed(cluster.release, frozenset(content)):
            yield from check(volume)
        limited += present(content, _ONLY_ONE)
    for source in _ONLY_ONE:
        if limited.count(source) > 1:
            yield invalid(vmi.at("volumes"), f"there is more than one {source} volume")


def _check_source(volume: Volume) -> Causes:
    data_volume = volume.content.get("dataVolume")
    if data_volume is not None and not text_at(data_volume, "name"):
        message = "a dataVolume volume needs the DataVolume's name"
        yield required(volume.at("dataVolume", "name"), message, reported=volume.at("name"))
    sources = present(volume.content, _SOURCES)
    if not sources:
        message = f"the volume {volume.name} has no source"
        yield invalid(volume.at(), message, "add containerDisk, dataVolume, …")
    elif len(sources) > 1:
        message = f"the volume {volume.name} has more than one source: {', '.join(sources)}"
        yield invalid(volume.at(), message, "keep one of them")


def _check_downward_metrics(volume: Volume) -> Causes:
    if has(volume.content, "downwardMetrics") and Gate.DOWNWARD_METRICS not in volume.cluster.gates:
        yield needs_gate(volume.at(), "a downwardMetrics volume", Gate.DOWNWARD_METRICS)


def _check_names(volume: Volume) -> Causes:
    for source, key in _NAMES.items():
        if has(volume.content, source) and not text_at(volume.content, source, key):
            yield invalid(volume.at(source, key), f"a {source} volume needs {key}")


def _check_host_disk(volume: Volume) -> Causes:
    if not has(volume.content, "hostDisk"):
        return
    if Gate.HOST_DISK not in volume.cluster.gates:
        yield needs_gate(volume.at(), "a hostDisk volume", Gate.HOST_DISK)
    host_disk, at = section(volume.content, "hostDisk"), volume.at("hostDisk")
    if not text(host_disk, "path"):
        yield Cause(CauseType.NOT_FOUND, at.child("path"), "a hostDisk volume needs a path")
    kind = text(host_disk, "type")
    if kind not in _HOST_DISK_TYPES:
        yield invalid(at.child("type"), f"a hostDisk cannot be of type {kind!r}", "use Disk or DiskOrCreate")
    if kind == "Disk" and quantity(host_disk, "capacity").sign:
        message = "a hostDisk of type Disk exists already, with its own capacity"
        yield invalid(at.child("capacity"), message, "drop it, or use the type DiskOrCreate")


_CHECKS: CheckTable[[Volume]] = CheckTable(
    on(_check_source),
    on(check_cloud_init, "cloudInitNoCloud", "cloudInitConfigDrive"),
    on(_check_downward_metrics, "downwardMetrics"),
    on(_check_host_disk, "hostDisk"),
    on(_check_names, *_NAMES),
)


def check_container_disks(vmi: VmiSpec, _: Cluster) -> Causes:
    for index, volume in enumerate(vmi.volumes):
        path = text(section(volume, "containerDisk"), "path") if "containerDisk" in volume else ""
        if path:
            at = vmi.at("volumes", index, "containerDisk")
            yield from check_path(at.child("path"), path, reported=at)


def check_utility_volumes(vmi: VmiSpec, _: Cluster) -> Causes:
    if vmi.content.get("utilityVolumes"):
        at = vmi.at("utilityVolumes")
        yield invalid(at, "utilityVolumes can only be added while the VM runs", "drop them")
