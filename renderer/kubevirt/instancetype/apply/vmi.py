"""Apply an instance type and a preference to a VM (KubeVirt ``pkg/instancetype/apply/vmi.go``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.apply.applier import Conflict, Conflicts, ExclusiveField
from renderer.kubevirt.instancetype.apply.cpu import apply_cpu
from renderer.kubevirt.instancetype.apply.memory import apply_memory
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.preference.vmi import apply_preference
from renderer.kubevirt.instancetype.vmi_template import is_zero, with_annotations
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

#: Applies one field, or group of fields, of an instance type: returns the changed template, or the conflicts.
Applier: TypeAlias = Callable[[AppliedSpecs, JsonObject], JsonObject | Conflicts]


_applied_specs = once_for_same(AppliedSpecs)


class Applied(Record):
    """A VM's ``spec.template`` with the specs applied; with any conflict the template is unchanged."""

    template: JsonObject
    conflicts: Conflicts = ()


def apply_to_template(
    instancetype: JsonObject | None,
    preference: JsonObject | None,
    template: JsonObject,
    behaviour: Behaviour,
    *,
    vm_sets_memory: bool = False,
) -> Applied:
    """Return the VM's ``spec.template`` with the two v1beta1 specs applied, following the release.

    ``vm_sets_memory``: the VM itself set the instance type's ``memory.guest``. Raises ``ApplyError`` for a
    size that is not a valid quantity, and where KubeVirt crashes.
    """
    specs = _applied_specs(instancetype or EMPTY, preference or EMPTY, behaviour, vm_sets_memory)
    if instancetype is None:
        return Applied(apply_preference(specs, template))
    changed, conflicts = apply_instancetype(specs, template)
    if conflicts:
        return Applied(template, conflicts)
    return Applied(apply_preference(specs, changed))


def apply_instancetype(specs: AppliedSpecs, template: JsonObject) -> tuple[JsonObject, Conflicts]:
    """Return ``spec.template`` with the instance type applied where it fits, and the conflicts elsewhere."""
    conflicts: Conflicts = ()
    for apply in _appliers_of(specs.instancetype):
        outcome = apply(specs, template)
        if isinstance(outcome, tuple):
            conflicts += outcome
        else:
            template = outcome
    return template, conflicts


def apply_annotations(specs: AppliedSpecs, template: JsonObject) -> JsonObject | Conflicts:
    """Add the annotations; one that the template has with another value conflicts (``annotations.go``)."""
    annotations = object_at(specs.instancetype, "annotations")
    if not annotations:
        return template
    present = object_at(template, "metadata", "annotations")
    conflicts = tuple(
        Conflict.of_annotation(key)
        for key in sorted(annotations.keys() & present.keys())
        if (annotations[key] or "") != (present[key] or "")
    )
    return conflicts or with_annotations(template, annotations)


#: In KubeVirt's order, which is the order in which conflicts are reported.
APPLIERS: tuple[Applier, ...] = (
    ExclusiveField(("nodeSelector",), ("nodeSelector",), drops_empty=True),
    ExclusiveField(("schedulerName",), ("schedulerName",), is_zero),
    apply_cpu,
    apply_memory,
    ExclusiveField(
        ("ioThreads", "supplementalPoolThreadCount"), ("domain", "ioThreads", "supplementalPoolThreadCount")
    ),
    ExclusiveField(("ioThreadsPolicy",), ("domain", "ioThreadsPolicy")),
    ExclusiveField(("launchSecurity",), ("domain", "launchSecurity")),
    ExclusiveField(("gpus",), ("domain", "devices", "gpus"), is_zero),
    ExclusiveField(("hostDevices",), ("domain", "devices", "hostDevices"), is_zero),
    apply_annotations,
)


@once_for_same
def _appliers_of(instancetype: JsonObject) -> tuple[Applier, ...]:
    """Return the appliers whose fields are in the spec."""
    return tuple(
        apply
        for apply in APPLIERS
        if not isinstance(apply, ExclusiveField) or apply.source[0] in instancetype
    )
