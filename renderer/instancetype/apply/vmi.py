"""An instance type and a preference applied to a VM (KubeVirt ``pkg/instancetype/apply/vmi.go``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.instancetype.apply import annotations as template_annotations
from renderer.instancetype.apply import cpu, memory
from renderer.instancetype.apply.applier import AppliedSpecs, Conflicts, ExclusiveField
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.preference.vmi import apply_preference
from renderer.instancetype.vmi_template import is_zero
from renderer.model.json import EMPTY, JsonObject
from renderer.model.record import Record

#: Applies one field, or group of fields, of an instance type: the changed template, or the conflicts.
Applier: TypeAlias = Callable[[AppliedSpecs, JsonObject], JsonObject | Conflicts]

#: In KubeVirt's order, which is the order in which conflicts are reported.
APPLIERS: tuple[Applier, ...] = (
    ExclusiveField(("nodeSelector",), ("nodeSelector",), drops_empty=True),
    ExclusiveField(("schedulerName",), ("schedulerName",), is_zero),
    cpu.apply,
    memory.apply,
    ExclusiveField(
        ("ioThreads", "supplementalPoolThreadCount"), ("domain", "ioThreads", "supplementalPoolThreadCount")
    ),
    ExclusiveField(("ioThreadsPolicy",), ("domain", "ioThreadsPolicy")),
    ExclusiveField(("launchSecurity",), ("domain", "launchSecurity")),
    ExclusiveField(("gpus",), ("domain", "devices", "gpus"), is_zero),
    ExclusiveField(("hostDevices",), ("domain", "devices", "hostDevices"), is_zero),
    template_annotations.apply,
)


class Applied(Record):
    """A VM's ``spec.template``, and the conflicts, because of which it is unchanged."""

    template: JsonObject
    conflicts: Conflicts = ()


def apply_to_template(
    instancetype: JsonObject | None,
    preference: JsonObject | None,
    template: JsonObject,
    behaviour: Behaviour,
    *,
    vm_gives_memory: bool = False,
) -> Applied:
    """The VM's ``spec.template`` with the two v1beta1 specs applied as the release does it.

    ``vm_gives_memory``: the instance type's ``memory.guest`` is what the VM says. With conflicts the template
    is unchanged. Raises ``ApplyError`` for what cannot be applied: sizes that are
    no quantities, and what makes KubeVirt crash.
    """
    selection = AppliedSpecs(instancetype or EMPTY, preference or EMPTY, behaviour, vm_gives_memory)
    if instancetype is None:
        return Applied(apply_preference(selection, template))
    changed, conflicts = apply_instancetype(selection, template)
    if conflicts:
        return Applied(template, conflicts)
    return Applied(apply_preference(selection, changed))


def apply_instancetype(selection: AppliedSpecs, template: JsonObject) -> tuple[JsonObject, Conflicts]:
    """The VM's ``spec.template`` with the instance type alone, and the conflicts, which are left out."""
    conflicts: Conflicts = ()
    for apply in APPLIERS:
        outcome = apply(selection, template)
        if isinstance(outcome, tuple):
            conflicts += outcome
        else:
            template = outcome
    return template, conflicts
