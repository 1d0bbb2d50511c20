"""Apply an instance type and a preference to a VirtualMachine, and check the result.

KubeVirt ``pkg/instancetype/webhooks/vm/admitter.go`` and
``pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go``: the vCPUs can be spread, nothing
conflicts, and the requirements are met after defaulting.
"""

from __future__ import annotations

from math import prod

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.applied_specs import ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.applier import Conflict
from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.apply_custom_size import limit_causes
from renderer.kubevirt.instancetype.behaviour import Behaviour, VmMemory, behaviour_of
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError, CrashError, ExpansionCause
from renderer.kubevirt.instancetype.custom_size import MEMORY, NO_CUSTOM_SIZE, VCPUS, CustomSize
from renderer.kubevirt.instancetype.defaults import (
    default_architecture,
    default_cpu_topology,
    default_guest_memory,
    default_network,
    default_requests,
)
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.requirements import check_requirements
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.spread import check_spread
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.quantity import Quantity

_VCPUS = FieldPath.of("spec", "cpu", "guest")
_MEMORY = FieldPath.of("spec", "memory", "guest")
_COUNTS = ("sockets", "cores", "threads")


class ConflictError(CauseError):
    """The VirtualMachine and its instance type set the same fields."""


def apply_checked(
    selected: ResolvedMatchers, template: JsonObject, scope: Scope, cluster: Cluster
) -> JsonObject:
    """Return the VirtualMachine's ``spec.template`` with both applied, but without defaults, and check it.

    Raises ``CauseError`` with the causes for which KubeVirt rejects the VirtualMachine.
    """
    behaviour = behaviour_of(cluster.release)
    if selected.custom_size.vcpus is None:
        spread = check_spread(selected.instancetype, selected.preference, behaviour)
        if spread is not None:
            raise CauseError(spread)
    applied = apply(selected, template, scope, behaviour)
    beyond_limits = tuple(limit_causes(selected, applied))
    if beyond_limits:
        raise CauseError(*beyond_limits)
    _check_with_defaults(selected, object_at(applied, "spec"), scope, cluster)
    return applied


def apply(selected: ResolvedMatchers, template: JsonObject, scope: Scope, behaviour: Behaviour) -> JsonObject:
    """Return the VirtualMachine's ``spec.template`` with instance type and preference applied.

    Raises ``ConflictError``, and ``CrashError`` for a spec that cannot be applied.
    """
    instancetype, preference = selected.instancetype, selected.preference
    if instancetype is None and preference is None:
        return template
    try:
        applied = apply_to_template(
            _spec(instancetype),
            _spec(preference),
            template,
            behaviour,
            vm_sets_memory=selected.custom_size.memory is not None,
        )
    except ApplyError as error:
        raise CrashError(*_apply_error_causes(error, selected)) from None
    if instancetype is not None and applied.conflicts:
        raise ConflictError(
            *conflict_causes(applied.conflicts, instancetype, template, scope, selected.custom_size)
        )
    return applied.template


def _check_with_defaults(
    selected: ResolvedMatchers, vmi_spec: JsonObject, scope: Scope, cluster: Cluster
) -> None:
    """Check the requirements of the defaulted template. Raises ``DefaultsError`` and ``CauseError``."""
    behaviour, config = behaviour_of(cluster.release), cluster.config
    default_network(vmi_spec, config, behaviour)
    if selected.preference is None or selected.preference.spec.get("requirements") is None:
        return
    vmi_spec = default_architecture(vmi_spec, config)
    if selected.instancetype is None:
        vmi_spec = default_requests(vmi_spec, config, behaviour)
        if behaviour.vm_memory is not VmMemory.AS_WRITTEN:
            vmi_spec = default_guest_memory(vmi_spec)
        vmi_spec = default_cpu_topology(vmi_spec)
    unmet = check_requirements(selected, vmi_spec, scope, behaviour)
    if unmet is not None:
        raise CauseError(unmet)


def _spec(found: MatchedObject | None) -> JsonObject | None:
    return None if found is None else found.spec


def _apply_error_causes(error: ApplyError, selected: ResolvedMatchers) -> tuple[ExpansionCause, ...]:
    """Return the causes of an ``ApplyError``, at the VM's field or at the matcher of the object."""
    owners = {FieldOwner.INSTANCETYPE: selected.instancetype, FieldOwner.PREFERENCE: selected.preference}
    owner = owners.get(error.owner)
    causes = []
    for diagnostic in error.diagnostics:
        at = diagnostic.field or FieldPath.of("spec")
        field = at if owner is None else owner.matcher_type.path
        causes.append(
            ExpansionCause.at_field(
                field,
                diagnostic.code,
                diagnostic.message,
                diagnostic.hint,
                related=() if owner is None else (owner.related(at),),
            )
        )
    return tuple(causes)


def conflict_causes(
    conflicts: tuple[Conflict, ...],
    instancetype: MatchedObject,
    template: JsonObject,
    scope: Scope,
    custom_size: CustomSize = NO_CUSTOM_SIZE,
) -> tuple[ExpansionCause, ...]:
    """Return a cause for each conflict of ``instancetype`` with the VirtualMachine's ``spec.template``.

    ``custom_size`` is the part of the instance type that the VM itself set; it does not conflict with the VM.
    """
    set_by_vm = {_VCPUS: custom_size.vcpus, _MEMORY: custom_size.memory}
    causes: list[ExpansionCause] = []
    for conflict in conflicts:
        field, source = conflict.field, conflict.instancetype_field
        if set_by_vm.get(source) is None:
            message = f"{field} is set by {instancetype}"
            hint = _conflict_hint(conflict, instancetype, template, scope)
            related = instancetype.related(source)
        else:  # requests and limits, which the instance type always sets
            message = f"{instancetype} sets {field} itself, from {VCPUS if source == _VCPUS else MEMORY}"
            hint = f"drop {field}"
            related = instancetype.left_to_vm(source)
        causes.append(
            ExpansionCause.at_field(
                field,
                Code.CONFLICT,
                message,
                hint,
                reported=conflict.path,
                related=(related,),
                fix=RemoveField(field) if hint == f"drop {field}" else None,
            )
        )
    return tuple(causes)


def _conflict_hint(
    conflict: Conflict, instancetype: MatchedObject, template: JsonObject, scope: Scope
) -> str:
    from renderer.kubevirt.instancetype.sizes import custom_sizes, instancetypes_of_size  # noqa: PLC0415 - only for conflicts

    drop = f"drop {conflict.field}"
    others = instancetypes_of_size(
        instancetype,
        scope,
        vcpus=_requested_vcpus(conflict, template),
        memory=_requested_memory(conflict, template),
    )
    if others:
        drop = f"{drop}; {' or '.join(map(str, others))} has the requested size"
    custom = custom_sizes(instancetype, scope) if conflict.field in (VCPUS, MEMORY) else ()
    return f"{drop}; {' or '.join(custom)} leaves the size to the VM" if custom else drop


def _requested_vcpus(conflict: Conflict, template: JsonObject) -> int | None:
    """Return the number of vCPUs that the VM requests, if the conflict is about vCPUs."""
    if conflict.instancetype_field != _VCPUS or conflict.field.segments[-1] not in ("guest", *_COUNTS):
        return None
    cpu = object_at(template, "spec", "domain", "cpu")
    guest = cpu.get("guest")
    if guest is not None:
        return guest if isinstance(guest, int) else None
    return prod(count for field in _COUNTS if isinstance(count := cpu.get(field), int) and count)


def _requested_memory(conflict: Conflict, template: JsonObject) -> int | None:
    """Return the bytes of memory that the VM requests, if the conflict is about memory."""
    if conflict.instancetype_field.segments[:2] != _MEMORY.segments[:2]:
        return None
    guest = object_at(template, "spec", "domain", "memory").get("guest")
    try:
        return None if guest is None else Quantity.of(guest).value()
    except DiagnosticError:
        return None
