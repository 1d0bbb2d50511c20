"""Rules about resources that two virtual machines must not share."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.rule_settings import Level

#: Access modes with which a claim can be mounted on one node only.
_ONE_NODE = ("ReadWriteOnce", "ReadWriteOncePod")


def _duplicate_data_volumes(context: Context) -> Iterator[Finding]:
    first: dict[tuple[str, str], tuple[VirtualMachineView, int]] = {}
    for machine in context.machines:
        if machine.is_one:
            for index, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                other, other_index = first.setdefault((machine.namespace, name), (machine, index))
                if name and other is not machine:
                    other_field = other.in_spec("dataVolumeTemplates", other_index, "metadata", "name")
                    related = related_to(other.resource, f"{other.name} creates it here", other_field)
                    message = f"{other.name} also creates a DataVolume {name}"
                    field = machine.in_spec("dataVolumeTemplates", index, "metadata", "name")
                    yield Finding(machine.resource, field, message, "name it after its machine", (related,))


DUPLICATE_DATA_VOLUME = Rule(Code.DUPLICATE_DATA_VOLUME, Level.WARNING, _duplicate_data_volumes)


class _WritableVolume(Record):
    """A volume through which a virtual machine writes to a claim."""

    machine: VirtualMachineView
    volume: int
    source: str
    key: str

    @property
    def field(self) -> FieldPath:
        return self.machine.in_instance("volumes", self.volume, self.source, self.key)


def _shared_claims(context: Context) -> Iterator[Finding]:
    one_node = {
        (name, namespace): modes[0]
        for namespace, claims in context.access_modes.items()
        for name, modes in claims.items()
        if len(modes) == 1 and modes[0] in _ONE_NODE
    }
    first: dict[tuple[str, str], _WritableVolume] = {}
    for machine in context.machines if one_node else ():
        if machine.is_one and not machine.is_halted:
            for name, volume in _written_claims(machine):
                claim = name, machine.namespace
                other = first.setdefault(claim, volume)
                if other.machine is not machine and claim in one_node:
                    message = f"{other.machine.name} also writes to {name}, which is {one_node[claim]}"
                    hint = "give each virtual machine its own claim, or make the claim ReadWriteMany"
                    related = related_to(
                        other.machine.resource, f"{other.machine.name} has it here", other.field
                    )
                    yield Finding(machine.resource, volume.field, message, hint, (related,))


def _written_claims(machine: VirtualMachineView) -> Iterator[tuple[str, _WritableVolume]]:
    """Yield the name of each claim that the machine may write to, and the volume."""
    read_only = {text_at(disk, "name") for _, disk in machine.disks if _is_read_only(disk)}
    for index, volume in machine.volumes:
        for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
            name = text_at(volume, source, key)
            is_written = object_at(volume, source).get("readOnly") is not True
            if name and is_written and text_at(volume, "name") not in read_only:
                yield name, _WritableVolume(machine, index, source, key)


def _is_read_only(disk: JsonObject) -> bool:
    devices = (object_at(disk, device) for device in ("disk", "lun"))
    return "cdrom" in disk or any(device.get("readonly") is True for device in devices)


SHARED_CLAIM = Rule(Code.SHARED_CLAIM, Level.WARNING, _shared_claims)

RULES = (DUPLICATE_DATA_VOLUME, SHARED_CLAIM)
