"""The claims that a virtual machine may write to, and those that one node alone can mount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.record import Record

#: Access modes with which a claim can be mounted on one node only, the second by one pod there.
ONE_POD = "ReadWriteOncePod"
_ONE_NODE = ("ReadWriteOnce", ONE_POD)


class WrittenClaim(Record):
    """A volume through which a virtual machine writes to the claim ``name``."""

    machine: VirtualMachineView
    name: str
    volume: int
    source: str
    key: str

    @property
    def field(self) -> FieldPath:
        return self.machine.in_instance("volumes", self.volume, self.source, self.key)


def written_claims(machine: VirtualMachineView) -> Iterator[WrittenClaim]:
    """Yield each claim that the machine may write to."""
    read_only = {text_at(disk, "name") for _, disk in machine.disks if _is_read_only(disk)}
    for index, volume in machine.volumes:
        for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            name = text_at(volume, source, key)
            is_written = object_at(volume, source).get("readOnly") is not True
            if name and is_written and text_at(volume, "name") not in read_only:
                yield WrittenClaim(machine, name, index, source, key)


def mode_of_one_node(modes: Sequence[str]) -> str:
    """Return the access mode of a claim that one node alone can mount; empty for another claim."""
    return modes[0] if len(modes) == 1 and modes[0] in _ONE_NODE else ""


def _is_read_only(disk: JsonObject) -> bool:
    devices = (object_at(disk, device) for device in ("disk", "lun"))
    return "cdrom" in disk or any(device.get("readonly") is True for device in devices)
