"""Sizes that a VirtualMachine sets itself: ``domain.cpu.guest``, and memory if its type leaves it open.

No release of KubeVirt knows them; the rules come from KubeVirt's customisation proposal.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import INSTANCETYPE
from renderer.kubevirt.instancetype.api.instancetype import is_incomplete, leaves_vcpus_to_vm
from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.apply.cpu import CpuTopology, cpu_topology
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.spread import divisor, is_spreadable
from renderer.kubevirt.instancetype.topology import (
    Topology,
    count_of_vcpus,
    preferred_topology,
    spread_options,
)
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.instancetype.vmi_template import VMI_SPEC, is_zero
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Related
from renderer.model.fields import describe_value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, without
from renderer.model.kube.resource import Resource
from renderer.model.placeholders import has_placeholder
from renderer.model.quantity import Quantity
from renderer.model.record import Record
from renderer.model.release import Release

#: The fields of a VirtualMachine that set its size.
VCPUS = VMI_SPEC.child("domain", "cpu", "guest")
MEMORY = VMI_SPEC.child("domain", "memory", "guest")
_CPU = VMI_SPEC.child("domain", "cpu")
_COUNTS = ("sockets", "cores", "threads")
_MAX_VCPUS = (1 << 32) - 1  # sockets, cores and threads are uint32 in KubeVirt's API
#: The fields that an instance type may leave to the VM.
_GUEST_VCPUS = FieldPath.of("spec", "cpu", "guest")
_GUEST_MEMORY = FieldPath.of("spec", "memory", "guest")
_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")


class CustomSize(Record):
    """The ``vcpus`` and the ``memory`` (a quantity) that a VirtualMachine sets; None if it does not."""

    vcpus: int | None = None
    memory: Json = None


NO_CUSTOM_SIZE = CustomSize()


def sets_vcpus(template: JsonObject) -> bool:
    """Return True if a VirtualMachine's ``spec.template`` has ``domain.cpu.guest``."""
    return object_at(template, "spec", "domain", "cpu").get("guest") is not None


def without_custom_vcpus(resource: Resource) -> Resource:
    """Return a VirtualMachine, or a pool of them, without ``domain.cpu.guest``, which no schema knows."""
    vm = VirtualMachine.of(resource)
    if vm is None:
        return resource
    return vm.with_content(without(vm.content, *(str(segment) for segment in VCPUS.segments)))


def vcpu_causes(
    vm: VirtualMachine, template: JsonObject, instancetype: MatchedObject | None
) -> Iterator[ExpansionCause]:
    """Yield the mistakes in the vCPUs of ``vm``; its ``instancetype``, if any, leaves them to the VM."""
    cpu = object_at(template, "spec", "domain", "cpu")
    guest = cpu.get("guest")
    counts = [count for count in _COUNTS if not is_zero(cpu.get(count))]
    if guest is None:
        if instancetype is not None:
            yield _no_vcpus(instancetype, counts)
        return
    if not isinstance(guest, int) or isinstance(guest, bool) or not 0 < guest <= _MAX_VCPUS:
        hint = "a variable cannot be divided into sockets, cores and threads; write a number"
        yield ExpansionCause.at_field(
            VCPUS,
            Code.CUSTOM_SIZE,
            f"{VCPUS} must be a whole number from 1 to {_MAX_VCPUS}, not {describe_value(guest)}",
            hint if has_placeholder(guest) else f"write {VCPUS}: 4, for example",
        )
    guest_field = Related(f"{VCPUS}: {describe_value(guest)}", vm.resource.sites(vm.field(VCPUS)))
    for count in counts:
        message = f"{_CPU.child(count)} is set together with {VCPUS}"
        yield ExpansionCause.at_field(
            _CPU.child(count),
            Code.CONFLICT,
            message,
            f"drop {_CPU.child(count)}, as the preference's topology shapes the vCPUs,"
            f" or write sockets, cores and threads in place of {VCPUS}",
            related=(guest_field,),
        )


def memory_causes(template: JsonObject, instancetype: MatchedObject) -> Iterator[ExpansionCause]:
    """Yield the mistakes in the memory of a VM whose ``instancetype`` leaves it to the VM."""
    guest = object_at(template, "spec", "domain", "memory").get("guest")
    if guest is None:
        yield _missing_size(MEMORY, "the amount of memory", _GUEST_MEMORY, instancetype)
        return
    if has_placeholder(guest):
        return
    try:
        quantity = Quantity.of(guest)
    except DiagnosticError as error:
        for found in error.diagnostics:
            yield ExpansionCause.at_field(
                MEMORY, Code.QUANTITY_INVALID, f"{MEMORY}: {found.message}", found.hint
            )
        return
    if quantity.sign <= 0:
        message = f"{MEMORY} must be more than 0, not {guest}"
        yield ExpansionCause.at_field(MEMORY, Code.CUSTOM_SIZE, message, f"write {MEMORY}: 4Gi, for example")


def _no_vcpus(instancetype: MatchedObject, counts: list[str]) -> ExpansionCause:
    if not counts:
        return _missing_size(VCPUS, "the number of vCPUs", _GUEST_VCPUS, instancetype)
    at = _CPU.child(counts[0])
    return ExpansionCause.at_field(
        at,
        Code.CUSTOM_SIZE,
        f"{instancetype} reads the vCPUs from {VCPUS} only, not from {' and '.join(counts)}",
        f"write {VCPUS} in place of {' and '.join(counts)}; the preference's topology shapes it",
        related=(instancetype.left_to_vm(_GUEST_VCPUS),),
    )


def _missing_size(at: FieldPath, what: str, left: FieldPath, instancetype: MatchedObject) -> ExpansionCause:
    return ExpansionCause.at_field(
        at,
        Code.CUSTOM_SIZE,
        f"neither the VM nor {instancetype} sets {what}",
        f"set {at}, or use an instance type that has a size",
        related=(instancetype.left_to_vm(left),),
    )


def custom_topology(vcpus: int, preference: MatchedObject | None, behaviour: Behaviour) -> CpuTopology:
    """Return ``vcpus`` in the topology of the preference; the default is sockets with one core.

    Raises ``CauseError`` (topology) if the topology would have another number of vCPUs; not every release of
    KubeVirt checks that for instance types.
    """
    if preference is None:
        return cpu_topology(vcpus, AppliedSpecs(EMPTY, EMPTY, behaviour))
    if preferred_topology(preference.spec, behaviour.topologies) is Topology.SPREAD:
        options = spread_options(preference.spec)
        if not is_spreadable(vcpus, options, preference):
            raise CauseError(
                ExpansionCause.at_field(
                    VCPUS,
                    Code.TOPOLOGY,
                    f"the {count_of_vcpus(vcpus)} of the VM cannot be spread by {divisor(options)}"
                    f" as {preference} requests",
                    f"set {VCPUS} to a multiple, or use another preference",
                    related=(preference.related(options.ratio_field),),
                )
            )
    topology = cpu_topology(vcpus, AppliedSpecs(EMPTY, preference.spec, behaviour))
    if _count(topology) != vcpus:
        name = object_at(preference.spec, "cpu").get("preferredCPUTopology")
        raise CauseError(
            ExpansionCause.at_field(
                VCPUS,
                Code.TOPOLOGY,
                f"KubeVirt {behaviour.release} does not know the CPU topology {name} of {preference},"
                f" and makes {count_of_vcpus(_count(topology))} of {vcpus}",
                f"use a preference with {', '.join(sorted(behaviour.topologies))}",
                related=(preference.related(_TOPOLOGY),),
            )
        )
    return topology


def _count(topology: CpuTopology) -> int:
    product = 1
    for count in topology:
        product *= count if isinstance(count, int) else 0
    return product


def unexpanded_causes(
    instancetype: MatchedObject | None, template: JsonObject, release: Release
) -> Iterator[ExpansionCause]:
    """Yield the reasons why a VirtualMachine with that template cannot be written with its matchers."""
    expand_hint = "expand this overlay (expand: applied, or defaults)"
    if sets_vcpus(template):
        yield ExpansionCause.at_field(
            VCPUS,
            Code.CUSTOM_SIZE,
            f"KubeVirt {release} does not know {VCPUS};"
            " its API server would drop it from a VM that is not expanded",
            f"{expand_hint}, or write sockets, cores and threads in its place",
        )
    if instancetype is not None and is_incomplete(instancetype.spec):
        yield _matcher_cause(
            instancetype,
            f"{instancetype} does not set a size, and KubeVirt {release} does not know such instance types;"
            " a VM that is not expanded would not find it",
            f"{expand_hint}, or use an instance type that has a size",
        )


def unpinnable_causes(instancetype: MatchedObject | None, release: Release) -> Iterator[ExpansionCause]:
    """Yield the reasons why no ControllerRevision can store a VirtualMachine's instance type."""
    if instancetype is not None and is_incomplete(instancetype.spec):
        yield _matcher_cause(
            instancetype,
            f"{instancetype} does not set a size, and KubeVirt {release} could not read a ControllerRevision"
            " of it",
            "pin an instance type that has a size",
        )


def _matcher_cause(instancetype: MatchedObject, message: str, hint: str) -> ExpansionCause:
    left = "cpu" if leaves_vcpus_to_vm(instancetype.spec) else "memory"
    field = FieldPath.of("spec", left, "guest")
    return ExpansionCause.at_field(
        INSTANCETYPE.path, Code.CUSTOM_SIZE, message, hint, related=(instancetype.left_to_vm(field),)
    )
