"""Disks and their volumes, and the order in which devices boot (``validateBootOrder``)."""

from __future__ import annotations

from renderer.admitters.causes import Cause, Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, has, section, text
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject


def check_boot_order(vmi: VmiSpec, cluster: Cluster) -> Causes:
    volumes = {text(volume, "name"): volume for volume in vmi.volumes}
    taken: set[int] = set()
    for index, disk in enumerate(vmi.disks):
        volume = volumes.get(text(disk, "name"))
        if volume is None:
            yield from _check_without_volume(vmi, index, disk, cluster)
        elif has(disk, "lun") or has(volume, "downwardMetrics"):
            yield from _check_target(vmi, index, disk, volume, cluster)
        order = disk.get("bootOrder")
        if isinstance(order, int):
            if order in taken:
                yield _taken(vmi, "disks", index, order)
            taken.add(order)
    yield from _check_interfaces(vmi, taken)


def _check_without_volume(vmi: VmiSpec, index: int, disk: JsonObject, cluster: Cluster) -> Causes:
    at = vmi.device("disks", index, "name")
    name = text(disk, "name")
    if not has(disk, "cdrom") or not cluster.behaviour.knows_empty_cdroms:
        yield invalid(at, f"the disk {name} has no volume", f"add a volume {name} to {vmi.at('volumes')}")
    elif Gate.DECLARATIVE_HOTPLUG_VOLUMES not in cluster.gates:
        yield needs_gate(at, f"the empty CD-ROM {name}", Gate.DECLARATIVE_HOTPLUG_VOLUMES)


def _check_target(vmi: VmiSpec, index: int, disk: JsonObject, volume: JsonObject, cluster: Cluster) -> Causes:
    is_claim = has(volume, "persistentVolumeClaim") or has(volume, "dataVolume")
    if has(disk, "lun") and not is_claim and cluster.behaviour.luns_need_claims:
        at = vmi.device("disks", index, "lun")
        yield invalid(at, "a lun needs a volume that is a persistentVolumeClaim or dataVolume")
    if not has(volume, "downwardMetrics"):
        return
    at = vmi.device("disks", index, "disk")
    if not has(disk, "disk"):
        yield required(at, "a downwardMetrics volume needs a disk as its target", "set disk.bus: virtio")
        return
    bus = text(section(disk, "disk"), "bus")
    if bus not in ("", "virtio"):
        yield invalid(at.child("bus"), f"a downwardMetrics volume needs the bus virtio, not {bus}")


def _check_interfaces(vmi: VmiSpec, taken: set[int]) -> Causes:
    for index, interface in enumerate(vmi.interfaces):
        order = interface.get("bootOrder")
        if not isinstance(order, int):
            continue
        if order < 1:
            at = vmi.device("interfaces", index, "bootOrder")
            reported = FieldPath((*vmi.path.segments, index, "bootOrder"))
            yield invalid(at, f"boot orders start at 1, not {order}", reported=reported)
            continue
        if order in taken:
            yield _taken(vmi, "interfaces", index, order)
        taken.add(order)


def _taken(vmi: VmiSpec, kind: str, index: int, order: int) -> Cause:
    message = f"another device already has the boot order {order}"
    return invalid(vmi.device(kind, index, "bootOrder"), message, "give each device a boot order of its own")
