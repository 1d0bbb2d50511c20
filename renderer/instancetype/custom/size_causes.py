"""What is wrong with the size that a VirtualMachine gives itself, or does not give."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.cause import Cause
from renderer.instancetype.conflict import VMI_SPEC
from renderer.instancetype.custom.size import MEMORY, VCPUS
from renderer.instancetype.find import Found
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.instancetype.zero_value import is_zero
from renderer.kubevirt.placeholders import has_placeholder
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Related
from renderer.model.field_path import FieldPath
from renderer.model.fields import describe_value
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.quantity import Quantity

_CPU = VMI_SPEC.child("domain", "cpu")
_COUNTS = ("sockets", "cores", "threads")
_MAX_VCPUS = (1 << 32) - 1  # sockets, cores and threads are uint32 in KubeVirt's API
#: What an instance type may leave to the VM.
_GUEST_VCPUS = FieldPath.of("spec", "cpu", "guest")
_GUEST_MEMORY = FieldPath.of("spec", "memory", "guest")


def vcpu_causes(vm: VirtualMachine, template: JsonObject, instancetype: Found | None) -> Iterator[Cause]:
    """Of the vCPUs in the ``spec.template`` of ``vm``, whose ``instancetype``, if any, leaves them to it."""
    cpu = object_at(template, "spec", "domain", "cpu")
    guest = cpu.get("guest")
    counts = [count for count in _COUNTS if not is_zero(cpu.get(count))]
    if guest is None:
        if instancetype is not None:
            yield _no_vcpus(instancetype, counts)
        return
    if not isinstance(guest, int) or isinstance(guest, bool) or not 0 < guest <= _MAX_VCPUS:
        yield _no_count(guest)
    given = Related(f"{VCPUS}: {describe_value(guest)}", vm.resource.sites(vm.field(VCPUS)))
    for count in counts:
        message = f"{_CPU.child(count)} is set beside {VCPUS}"
        yield Cause(
            code=Code.CONFLICT,
            field=str(_CPU.child(count)),
            at=_CPU.child(count),
            message=message,
            hint=f"drop {_CPU.child(count)}, as the preference's topology shapes the vCPUs,"
            f" or write sockets, cores and threads in place of {VCPUS}",
            related=(given,),
        )


def memory_causes(template: JsonObject, instancetype: Found) -> Iterator[Cause]:
    """Of the memory in a VirtualMachine's ``spec.template`` whose ``instancetype`` leaves it to the VM."""
    guest = object_at(template, "spec", "domain", "memory").get("guest")
    if guest is None:
        yield _left_out(MEMORY, "how much memory there is", _GUEST_MEMORY, instancetype)
        return
    if has_placeholder(guest):
        return
    try:
        quantity = Quantity.of(guest)
    except DiagnosticError as error:
        for found in error.diagnostics:
            yield Cause.at_field(MEMORY, Code.QUANTITY_INVALID, f"{MEMORY}: {found.message}", found.hint)
        return
    if quantity.sign <= 0:
        message = f"{MEMORY} must be more than 0, not {guest}"
        yield Cause.at_field(MEMORY, Code.CUSTOM_SIZE, message, f"write {MEMORY}: 4Gi, for example")


def _no_vcpus(instancetype: Found, counts: list[str]) -> Cause:
    if not counts:
        return _left_out(VCPUS, "how many vCPUs there are", _GUEST_VCPUS, instancetype)
    at = _CPU.child(counts[0])
    return Cause(
        code=Code.CUSTOM_SIZE,
        field=str(at),
        at=at,
        message=f"{instancetype} takes the vCPUs from {VCPUS} alone, not from {' and '.join(counts)}",
        hint=f"write {VCPUS} in place of {' and '.join(counts)}; the preference's topology shapes it",
        related=(instancetype.left_to_vm(_GUEST_VCPUS),),
    )


def _left_out(at: FieldPath, what: str, left: FieldPath, instancetype: Found) -> Cause:
    return Cause(
        code=Code.CUSTOM_SIZE,
        field=str(at),
        at=at,
        message=f"neither the VM nor {instancetype} says {what}",
        hint=f"set {at}, or take an instance type that has a size",
        related=(instancetype.left_to_vm(left),),
    )


def _no_count(guest: Json) -> Cause:
    hint = "a variable cannot be divided into sockets, cores and threads; write a number"
    return Cause.at_field(
        VCPUS,
        Code.CUSTOM_SIZE,
        f"{VCPUS} must be a whole number from 1 to {_MAX_VCPUS}, not {describe_value(guest)}",
        hint if has_placeholder(guest) else f"write {VCPUS}: 4, for example",
    )
