"""Volumes: their sources, cloud-init data, and file paths inside images."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kubevirt.admission.causes import Cause, Causes, CauseType, invalid, needs_gate, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, present, quantity, section, text
from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.pattern import pattern
from renderer.model.record import Record


class Volume(Record):
    """One of the volumes, at ``position`` in the list."""

    vmi: VmiSpec
    position: int
    content: JsonObject
    cluster: Cluster

    @property
    def name(self) -> str:
        """The volume's name; empty if it has none."""
        return text(self.content, "name")

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the volume."""
        return self.vmi.at("volumes", self.position, *segments)


_MOST_BYTES = 2048
_BASE64 = pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_NOT_BASE64 = pattern(r"[^A-Za-z0-9+/]")
_SOURCES = frozenset(
    {
        "persistentVolumeClaim",
        "sysprep",
        *CLOUD_INIT_VOLUMES,
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
#: Volumes with these sources have to name the object that they use.
_NAMES = {"configMap": "name", "secret": "secretName", "serviceAccount": "serviceAccountName"}
_ONLY_ONE = ("serviceAccount", "downwardMetrics", "memoryDump")
_HOST_DISK_TYPES = ("Disk", "DiskOrCreate")


def check_path(at: FieldPath, path: str, reported: FieldPath | None = None) -> Causes:
    """Check that a path is absolute and clean."""
    if path == "/":
        yield invalid(at, "the path is the root, not a file", reported=reported)
    elif not _is_clean(path.removesuffix("/")):
        yield invalid(at, f"{path!r} is not an absolute path without '.', '..' and '//'", reported=reported)


def _is_clean(path: str) -> bool:
    root, *segments = path.split("/")
    return path == "/" or (not root and not any(segment in ("", ".", "..") for segment in segments))


def check_cloud_init(volume: Volume) -> Causes:
    """Check that cloud-init has data, each part from one source and not too long."""
    source = next((source for source in CLOUD_INIT_VOLUMES if has(volume.content, source)), None)
    if source is None:
        return
    data, at = section(volume.content, source), volume.at(source)
    users, networks = _data_sources(data, "userData"), _data_sources(data, "networkData")
    for kind, sources in (("userData", users), ("networkData", networks)):
        if sources:
            yield from _check_data(at, data, kind, sources)
    if not users and not networks:
        yield invalid(at, f"{source} has neither user data nor network data")


def _check_data(at: FieldPath, data: JsonObject, kind: str, sources: Sequence[str]) -> Causes:
    length = _length(text(data, kind))
    encoded = text(data, f"{kind}Base64")
    if encoded:
        decoded, is_valid = _decoded_length(encoded)
        if not is_valid:
            hint = f"plain text belongs into {kind}"
            yield invalid(at.child(f"{kind}Base64"), f"{kind}Base64 is not base64", hint)
        length = length or decoded
    if len(sources) > 1:
        message = f"the {kind} is given more than once: {', '.join(sources)}"
        yield invalid(at, message, "keep one of them")
    if length > _MOST_BYTES:
        hint = f"put it into a Secret and name that in {_secret_key(kind)}"
        yield invalid(at, f"the {kind} has {length} bytes; {_MOST_BYTES} fit into a VM", hint)


def fits(data: str) -> bool:
    """Return True if cloud-init's data fit into a VirtualMachine."""
    return _length(data) <= _MOST_BYTES


def _length(data: str) -> int:
    return len(data.encode(errors="replace"))


def _data_sources(data: JsonObject, kind: str) -> list[str]:
    secret = _secret_key(kind)
    named = [secret] if secret in data and text(section(data, secret), "name") else []
    return named + [key for key in (f"{kind}Base64", kind) if data.get(key)]


def _secret_key(kind: str) -> str:
    """Return the field for UserDataSecretRef, ``secretRef``; network data has a field of its own."""
    return "secretRef" if kind == "userData" else "networkDataSecretRef"


def _decoded_length(encoded: str) -> tuple[int, bool]:
    """Return the count of bytes that Go decodes before the first wrong character, and True if all are valid.

    Line breaks do not count; padding does.
    """
    characters = encoded.replace("\n", "").replace("\r", "")
    if _BASE64.fullmatch(characters):
        return len(characters) // 4 * 3 - characters.count("="), True
    return len(_NOT_BASE64.split(characters, maxsplit=1)[0]) // 4 * 3, False


def check_volumes(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check each volume, that names differ, and that some sources occur only once."""
    names: set[str] = set()
    limited = []
    for position, content in enumerate(vmi.volumes):
        volume = Volume(vmi, position, content, cluster)
        if volume.name in names:
            yield invalid(volume.at("name"), f"two volumes are called {volume.name}")
        names.add(volume.name)
        yield from VOLUME_CHECKS.causes(cluster.release, frozenset(content), volume)
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


#: ``validateVolumes``, for one volume.
VOLUME_CHECKS: CheckTable[[Volume]] = CheckTable(
    row(_check_source, upstream="validateVolumes"),
    row(check_cloud_init, *CLOUD_INIT_VOLUMES, upstream="validateVolumes"),
    row(_check_downward_metrics, "downwardMetrics", upstream="validateVolumes"),
    row(_check_host_disk, "hostDisk", upstream="validateVolumes"),
    row(_check_names, *_NAMES, upstream="validateVolumes"),
)


def check_container_disks(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the paths of container disks."""
    for index, volume in enumerate(vmi.volumes):
        path = text(section(volume, "containerDisk"), "path") if "containerDisk" in volume else ""
        if path:
            at = vmi.at("volumes", index, "containerDisk")
            yield from check_path(at.child("path"), path, reported=at)


def check_utility_volumes(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject utility volumes, which can only be added to running machines."""
    if vmi.content.get("utilityVolumes"):
        at = vmi.at("utilityVolumes")
        message = "utilityVolumes can only be added while the VM runs"
        yield invalid(at, message, "drop them", fix=RemoveField(at))
