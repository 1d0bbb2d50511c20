"""Disks and their volumes, and the order in which devices boot (``validateBootOrder``)."""

from __future__ import annotations

from functools import partial

from renderer.kubevirt.admission.causes import Cause, Causes, invalid, needs_gate, required
from renderer.kubevirt.admission.check_table import CheckTable, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, present, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import JsonObject
from renderer.model.record import Record


class _MappedDisk(Record):
    """A disk and the volume with its name; None if there is no such volume."""

    vmi: VmiSpec
    position: int
    disk: JsonObject
    volume: JsonObject | None
    cluster: Cluster

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the disk or interface."""
        return self.vmi.device("disks", self.position, *segments)


def check_boot_order(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check disks with their volumes, and that all boot orders of devices differ."""
    yield from check_disk_volumes(vmi, cluster)
    used = disk_boot_orders(vmi)
    for position in range(len(vmi.interfaces)):
        yield from check_interface_boot_order(vmi, position, used)


def check_disk_volumes(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check disks with their volumes, and that all boot orders of disks differ."""
    volumes = {text(volume, "name"): volume for volume in vmi.volumes}
    used: set[int] = set()
    for position, disk in enumerate(vmi.disks):
        mapped = _MappedDisk(vmi, position, disk, volumes.get(text(disk, "name")), cluster)
        yield from DISK_VOLUME_CHECKS.causes(cluster.release, frozenset(disk), mapped)
        order = disk.get("bootOrder")
        if isinstance(order, int):
            if order in used:
                yield _duplicate_order(vmi, "disks", position, order)
            used.add(order)


def disk_boot_orders(vmi: VmiSpec) -> set[int]:
    """Return the boot orders of the disks."""
    orders = (disk.get("bootOrder") for disk in vmi.disks)
    return {order for order in orders if isinstance(order, int)}


def check_interface_boot_order(vmi: VmiSpec, position: int, used: set[int]) -> Causes:
    """Check that the boot order of an interface is not in ``used``, and add it there."""
    order = vmi.interfaces[position].get("bootOrder")
    if not isinstance(order, int):
        return
    if order < 1:
        at = vmi.device("interfaces", position, "bootOrder")
        reported = FieldPath((*vmi.path.segments, position, "bootOrder"))
        yield invalid(at, f"boot orders start at 1, not {order}", reported=reported)
        return
    if order in used:
        yield _duplicate_order(vmi, "interfaces", position, order)
    used.add(order)


def _duplicate_order(vmi: VmiSpec, kind: str, index: int, order: int) -> Cause:
    message = f"another device already has the boot order {order}"
    return invalid(vmi.device(kind, index, "bootOrder"), message, "give each device its own boot order")


def _check_volume(mapped: _MappedDisk) -> Causes:
    if mapped.volume is None:
        name = text(mapped.disk, "name")
        hint = f"add a volume {name} to {mapped.vmi.at('volumes')}"
        yield invalid(mapped.at("name"), f"the disk {name} has no volume", hint)


def _check_volume_or_empty_cdrom(mapped: _MappedDisk) -> Causes:
    gate = Gate.DECLARATIVE_HOTPLUG_VOLUMES
    if not has(mapped.disk, "cdrom"):
        yield from _check_volume(mapped)
    elif mapped.volume is None and gate not in mapped.cluster.gates:
        yield needs_gate(mapped.at("name"), f"the empty CD-ROM {text(mapped.disk, 'name')}", gate)


def _check_lun(mapped: _MappedDisk, *, sources: tuple[str, ...]) -> Causes:
    if has(mapped.disk, "lun") and mapped.volume is not None and not present(mapped.volume, sources):
        yield invalid(mapped.at("lun"), f"a lun needs a volume that is a {' or '.join(sources)}")


def _check_downward_metrics(mapped: _MappedDisk) -> Causes:
    if mapped.volume is None or not has(mapped.volume, "downwardMetrics"):
        return
    at, bus = mapped.at("disk"), text(section(mapped.disk, "disk"), "bus")
    if not has(mapped.disk, "disk"):
        yield required(at, "a downwardMetrics volume needs a disk as its target", "set disk.bus: virtio")
    elif bus not in ("", "virtio"):
        message, fix = (
            f"a downwardMetrics volume needs the bus virtio, not {bus}",
            SetField(at.child("bus"), "virtio"),
        )
        yield invalid(at.child("bus"), message, fix=fix)


DISK_VOLUME_CHECKS: CheckTable[[_MappedDisk]] = CheckTable(
    row(_check_volume, upstream="validateBootOrder", until="1.6"),
    row(_check_volume_or_empty_cdrom, upstream="validateBootOrder", since="1.6"),
    row(
        partial(_check_lun, sources=("persistentVolumeClaim",)),
        "lun",
        upstream="validateBootOrder",
        until="1.1",
    ),
    row(
        partial(_check_lun, sources=("persistentVolumeClaim", "dataVolume")),
        "lun",
        upstream="validateBootOrder",
        since="1.1",
    ),
    row(_check_downward_metrics, upstream="validateBootOrder"),
)
