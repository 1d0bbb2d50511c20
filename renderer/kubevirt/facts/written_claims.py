"""The claims that a machine or a workload may write to, and those that one node alone can mount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.kubevirt.facts.pod_specs import CONTAINERS, pod_specs
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

#: Access modes with which a claim can be mounted on one node only, the second by one pod there.
ONE_POD = "ReadWriteOncePod"
_ONE_NODE = ("ReadWriteOnce", ONE_POD)
#: The fields of ``spec`` in which a workload has its pods, as most objects do not.
_PODS = ("containers", "template", "jobTemplate")


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


def claims_written_by_pods(resource: Resource) -> Iterator[tuple[str, str]]:
    """Yield each claim that the pods of a workload may write to, with the name of their volume.

    There is none while it makes no pods (``replicas: 0``, ``suspend: true``).
    """
    settings = object_at(resource.content, "spec")
    has_pods = not settings.keys().isdisjoint(_PODS)
    if not has_pods or settings.get("replicas") == 0 or settings.get("suspend") is True:
        return
    for spec in pod_specs(resource):
        volumes = {
            text_at(each, "name"): text_at(each, "persistentVolumeClaim", "claimName")
            for each in map(object_at, array_at(spec, "volumes"))
            if object_at(each, "persistentVolumeClaim").get("readOnly") is not True
        }
        containers = (
            [object_at(each) for key in CONTAINERS for each in array_at(spec, key)] if volumes else ()
        )
        mounts = (object_at(each) for one in containers for each in array_at(one, "volumeMounts"))
        written = {text_at(each, "name") for each in mounts if each.get("readOnly") is not True}
        devices = (object_at(each) for one in containers for each in array_at(one, "volumeDevices"))
        written.update(text_at(each, "name") for each in devices)
        yield from ((claim, name) for name, claim in volumes.items() if claim and name in written)


def mode_of_one_node(modes: Sequence[str]) -> str:
    """Return the access mode of a claim that one node alone can mount; empty for another claim."""
    return modes[0] if len(modes) == 1 and modes[0] in _ONE_NODE else ""


def _is_read_only(disk: JsonObject) -> bool:
    devices = (object_at(disk, device) for device in ("disk", "lun"))
    return "cdrom" in disk or any(device.get("readonly") is True for device in devices)
