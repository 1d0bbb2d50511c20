"""One disk of a VirtualMachineInstance."""

from __future__ import annotations

from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, section, text
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import JsonObject
from renderer.model.record import Record

TARGETS = ("disk", "lun", "cdrom")


class Disk(Record):
    """``target`` is what it is for the guest: disk, lun, cdrom, or empty."""

    vmi: VmiSpec
    position: int
    content: JsonObject
    name: str
    target: str
    bus: str
    cluster: Cluster

    @classmethod
    def of(cls, vmi: VmiSpec, position: int, cluster: Cluster) -> Disk:
        content = vmi.disks[position]
        target = next((target for target in TARGETS if content.get(target) is not None), "")
        bus = text(section(content, target), "bus")
        return cls(vmi, position, content, text(content, "name"), target, bus, cluster)

    def at(self, *segments: Segment) -> FieldPath:
        return self.vmi.device("disks", self.position, *segments)

    def reported(self, *segments: Segment) -> FieldPath:
        """What KubeVirt, which appends the whole path once more, calls some fields."""
        return self.vmi.device("disks", "domain", "devices", "disks", *segments)
