"""The parts that all appliers of an instance type share: conflicts, and the rule of most fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.vmi_template import VMI_SPEC, is_null, with_section
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.record import Record

#: KubeVirt uses the Go name of the field in conflicts (``pkg/instancetype/apply/cpu.go``).
_GO_NAMES = {"dedicatedCpuPlacement": "dedicatedCPUPlacement"}


class Conflict(Record):
    """A field that both the VM and its instance type set.

    ``path`` is KubeVirt's name for it (``spec.template.spec.domain.cpu.sockets``), ``field`` its path in the
    VirtualMachine, ``instancetype_field`` its path in the instance type's document.
    """

    path: str
    field: FieldPath
    instancetype_field: FieldPath

    @classmethod
    def of_vmi_spec(cls, field: tuple[Segment, ...], instancetype_field: tuple[Segment, ...]) -> Conflict:
        """Return a conflict of a field in the VMI's spec with a field in the instance type's spec."""
        vm_field = VMI_SPEC.child(*field)
        path = ".".join(_GO_NAMES.get(str(segment), str(segment)) for segment in vm_field.segments)
        return cls(path, vm_field, FieldPath.of("spec", *instancetype_field))

    @classmethod
    def of_annotation(cls, key: str) -> Conflict:
        """Return a conflict of an annotation of the template; KubeVirt's path for it has no prefix."""
        return cls(
            f"annotations.{key}",
            FieldPath.of("spec", "template", "metadata", "annotations", key),
            FieldPath.of("spec", "annotations", key),
        )


Conflicts: TypeAlias = tuple[Conflict, ...]


def resource_conflicts(resource: str, resources: Json) -> Iterator[Conflict]:
    """Yield the requests and limits of ``cpu`` or ``memory``, which an instance type always sets."""
    if not resources:
        return
    for kind in ("requests", "limits"):
        if resource in object_at(resources, kind):
            yield Conflict.of_vmi_spec(("domain", "resources", kind, resource), (resource, "guest"))


class ExclusiveField:
    """Copy ``source`` of the instance type's spec to ``target`` of the VMI's spec; both set is a conflict.

    ``is_absent`` decides on both sides if the field is missing; with ``drops_empty`` an empty mapping counts
    as set, but is not written.
    """

    def __init__(
        self,
        source: tuple[str, ...],
        target: tuple[str, ...],
        is_absent: Callable[[Json], bool] = is_null,
        *,
        drops_empty: bool = False,
    ) -> None:
        self.source: Final = source
        self.target: Final = target
        self.is_absent: Final = is_absent
        self.drops_empty: Final = drops_empty

    def __call__(self, specs: AppliedSpecs, template: JsonObject) -> JsonObject | Conflicts:
        """Return the changed template, or the conflict."""
        value = _at(specs.instancetype, self.source)
        if self.is_absent(value):
            return template
        if not self.is_absent(_at(object_at(template, "spec"), self.target)):
            return (Conflict.of_vmi_spec(self.target, self.source),)
        if self.drops_empty and not value:
            return template
        return with_section(template, ("spec", *self.target), value)


def _at(value: JsonObject, path: tuple[str, ...]) -> Json:
    return object_at(value, *path[:-1]).get(path[-1])
