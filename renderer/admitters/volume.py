"""One volume of a VirtualMachineInstance."""

from __future__ import annotations

from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, text
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import JsonObject
from renderer.model.record import Record


class Volume(Record):
    vmi: VmiSpec
    position: int
    content: JsonObject
    cluster: Cluster

    @property
    def name(self) -> str:
        return text(self.content, "name")

    def at(self, *segments: Segment) -> FieldPath:
        return self.vmi.at("volumes", self.position, *segments)
