"""A field that the VM and its instance type both want to set."""

from __future__ import annotations

from typing import TypeAlias

from renderer.model.field_path import FieldPath, Segment
from renderer.model.record import Record

#: Where the VirtualMachineInstance's spec stands in a VirtualMachine.
VMI_SPEC = FieldPath.of("spec", "template", "spec")

#: KubeVirt says the Go name of the field in conflicts (``pkg/instancetype/apply/cpu.go``).
_GO_NAMES = {"dedicatedCpuPlacement": "dedicatedCPUPlacement"}


class Conflict(Record):
    """Both sides of a conflict.

    ``path`` is what KubeVirt's API calls it (``spec.template.spec.domain.cpu.sockets``), ``field`` the place
    in the VirtualMachine, ``instancetype_field`` the place in the instance type's document.
    """

    path: str
    field: FieldPath
    instancetype_field: FieldPath

    @classmethod
    def of_vmi_spec(cls, field: tuple[Segment, ...], instancetype_field: tuple[Segment, ...]) -> Conflict:
        """``field`` counts from the VMI's spec, ``instancetype_field`` from the instance type's spec."""
        vm_field = VMI_SPEC.child(*field)
        path = ".".join(_GO_NAMES.get(str(segment), str(segment)) for segment in vm_field.segments)
        return cls(path, vm_field, FieldPath.of("spec", *instancetype_field))

    @classmethod
    def of_annotation(cls, key: str) -> Conflict:
        """An annotation of the template; KubeVirt's path for it has no prefix."""
        return cls(
            f"annotations.{key}",
            FieldPath.of("spec", "template", "metadata", "annotations", key),
            FieldPath.of("spec", "annotations", key),
        )


Conflicts: TypeAlias = tuple[Conflict, ...]
