"""A conflict, told with both sides and the ways out of it."""

from __future__ import annotations

from math import prod

from renderer.instancetype.catalog import Scope
from renderer.instancetype.cause import Cause
from renderer.instancetype.conflict import Conflict
from renderer.instancetype.custom.size import MEMORY, NO_CUSTOM_SIZE, VCPUS, CustomSize
from renderer.instancetype.find import Found
from renderer.instancetype.sizes import custom_sizes, of_size
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at
from renderer.model.quantity import Quantity

_VCPUS = FieldPath.of("spec", "cpu", "guest")
_MEMORY = FieldPath.of("spec", "memory", "guest")
_COUNTS = ("sockets", "cores", "threads")


def conflict_causes(
    conflicts: tuple[Conflict, ...],
    instancetype: Found,
    template: JsonObject,
    scope: Scope,
    custom_size: CustomSize = NO_CUSTOM_SIZE,
) -> tuple[Cause, ...]:
    """One cause for each conflict of ``instancetype`` with the VirtualMachine's ``spec.template``.

    ``custom_size`` is what the instance type has of the VM, and does not itself conflict with it.
    """
    given = {_VCPUS: custom_size.vcpus, _MEMORY: custom_size.memory}
    return tuple(
        _cause(conflict, instancetype, template, scope)
        if given.get(conflict.instancetype_field) is None
        else _cause_of_custom_size(conflict, instancetype)
        for conflict in conflicts
    )


def _cause(conflict: Conflict, instancetype: Found, template: JsonObject, scope: Scope) -> Cause:
    return Cause(
        code=Code.CONFLICT,
        field=conflict.path,
        at=conflict.field,
        message=f"{conflict.field} is set by {instancetype}",
        hint=_way_out(conflict, instancetype, template, scope),
        related=(instancetype.related(conflict.instancetype_field),),
    )


def _cause_of_custom_size(conflict: Conflict, instancetype: Found) -> Cause:
    """Requests and limits are an instance type's to decide, wherever it has its size from."""
    size = {_VCPUS: VCPUS, _MEMORY: MEMORY}[conflict.instancetype_field]
    return Cause(
        code=Code.CONFLICT,
        field=conflict.path,
        at=conflict.field,
        message=f"{conflict.field} is for {instancetype} to decide, from {size}",
        hint=f"drop {conflict.field}",
        related=(instancetype.left_to_vm(conflict.instancetype_field),),
    )


def _way_out(conflict: Conflict, instancetype: Found, template: JsonObject, scope: Scope) -> str:
    drop = f"drop {conflict.field}"
    others = of_size(
        instancetype,
        scope,
        vcpus=_wanted_vcpus(conflict, template),
        memory=_wanted_memory(conflict, template),
    )
    if others:
        drop = f"{drop}; {' or '.join(map(str, others))} has what it asks for"
    custom = custom_sizes(instancetype, scope) if conflict.field in (VCPUS, MEMORY) else ()
    return f"{drop}; {' or '.join(custom)} leaves the size to the VM" if custom else drop


def _wanted_vcpus(conflict: Conflict, template: JsonObject) -> int | None:
    """How many vCPUs the VM asks for, if that is what the conflict is about."""
    if conflict.instancetype_field != _VCPUS or conflict.field.segments[-1] not in ("guest", *_COUNTS):
        return None
    cpu = object_at(template, "spec", "domain", "cpu")
    guest = cpu.get("guest")
    if guest is not None:
        return guest if isinstance(guest, int) else None
    return prod(count for field in _COUNTS if isinstance(count := cpu.get(field), int) and count)


def _wanted_memory(conflict: Conflict, template: JsonObject) -> int | None:
    """How many bytes of memory the VM asks for, if that is what the conflict is about."""
    if conflict.instancetype_field.segments[:2] != _MEMORY.segments[:2]:
        return None
    guest = object_at(template, "spec", "domain", "memory").get("guest")
    try:
        return None if guest is None else Quantity.of(guest).value()
    except DiagnosticError:
        return None
