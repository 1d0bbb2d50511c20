"""A virtual machine as rules look at it: its parts, read once, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import EMPTY, Json, JsonObject, object_at
from renderer.model.record import Record
from renderer.model.resource import Resource

#: The way to ``spec`` of the VirtualMachine and from there to that of its instance, by kind of resource.
_WAYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "VirtualMachine": (("spec",), ("template", "spec")),
    "VirtualMachinePool": (("spec", "virtualMachineTemplate", "spec"), ("template", "spec")),
    "VirtualMachineInstance": ((), ("spec",)),
    "VirtualMachineInstanceReplicaSet": ((), ("spec", "template", "spec")),
}
_GROUPS = ("kubevirt.io", "pool.kubevirt.io")

Element = tuple[int, JsonObject]


class Machine(Record):
    """``spec`` is the VirtualMachine's, empty for an instance; ``instance`` the spec of what runs.

    The lists hold their mappings with the index each has.
    """

    resource: Resource
    name: str
    namespace: str
    spec: JsonObject
    instance: JsonObject
    domain: JsonObject
    disks: Sequence[Element]
    interfaces: Sequence[Element]
    volumes: Sequence[Element]
    networks: Sequence[Element]
    data_volume_templates: Sequence[Element]
    spec_path: FieldPath
    instance_path: FieldPath

    @classmethod
    def of(cls, resource: Resource) -> Machine | None:
        """None for a resource of any other kind."""
        kind = resource.content.get("kind")
        way = _WAYS.get(kind) if isinstance(kind, str) else None
        if way is None or resource.api_version.partition("/")[0] not in _GROUPS:
            return None
        to_spec, to_instance = way
        spec = object_at(resource.content, *to_spec) if to_spec else EMPTY
        instance = object_at(spec if to_spec else resource.content, *to_instance)
        domain = object_at(instance, "domain")
        devices = object_at(domain, "devices")
        return cls(
            resource=resource,
            name=resource.name,
            namespace=resource.namespace,
            spec=spec,
            instance=instance,
            domain=domain,
            disks=elements(devices.get("disks")),
            interfaces=elements(devices.get("interfaces")),
            volumes=elements(instance.get("volumes")),
            networks=elements(instance.get("networks")),
            data_volume_templates=elements(spec.get("dataVolumeTemplates")),
            spec_path=FieldPath(to_spec),
            instance_path=FieldPath(to_spec + to_instance),
        )

    @property
    def is_one(self) -> bool:
        """Whether there is one such machine, not a number of copies."""
        return self.resource.kind in ("VirtualMachine", "VirtualMachineInstance")

    def in_spec(self, *segments: Segment) -> FieldPath:
        """A field of the VirtualMachine's spec as a field of the resource."""
        return self.spec_path.child(*segments)

    def in_instance(self, *segments: Segment) -> FieldPath:
        """A field of the instance's spec as a field of the resource."""
        return self.instance_path.child(*segments)

    def in_devices(self, *segments: Segment) -> FieldPath:
        return self.instance_path.child("domain", "devices", *segments)


def elements(value: Json) -> Sequence[Element]:
    """The mappings in a list, each with its index."""
    return list(_elements(value)) if isinstance(value, list) else ()


def _elements(value: Sequence[Json]) -> Iterator[Element]:
    for index, element in enumerate(value):
        if isinstance(element, dict):
            yield index, element
