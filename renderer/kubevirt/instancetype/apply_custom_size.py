"""Make a VirtualMachine's own size the size of its instance type, and check it against the limits.

After that KubeVirt's handling of an instance type of that size applies. The limits are KubeVirt's limits for
every VirtualMachine (``pkg/virt-api/webhooks/validating-webhook/admitters``, ``validateCPUHotplug``,
``validateHugepagesMemoryRequests``; ``pkg/liveupdate/memory``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.instancetype.api.instancetype import leaves_memory_to_vm, leaves_vcpus_to_vm
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.custom_size import (
    MEMORY,
    VCPUS,
    CustomSize,
    custom_topology,
    memory_causes,
    vcpu_causes,
)
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.resolve import ResolvedMatchers
from renderer.kubevirt.instancetype.topology import count_of_vcpus
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.instancetype.vmi_template import with_section
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, with_value, without
from renderer.model.quantity import Quantity

_CPU = ("spec", "domain", "cpu")
_MEMORY = ("spec", "domain", "memory")
_MAX_SOCKETS = ("cpu", "maxSockets")
_MAX_GUEST = ("memory", "maxGuest")
_PAGE_SIZE = ("memory", "hugepages", "pageSize")


def with_custom_size(
    selected: ResolvedMatchers, template: JsonObject, vm: VirtualMachine, behaviour: Behaviour
) -> tuple[ResolvedMatchers, JsonObject]:
    """Return the resolved matchers and the template as if an instance type had the VM's own size.

    An instance type that leaves a size to the VM gets the VM's size, which is removed from the template;
    without an instance type the vCPUs become sockets, cores and threads. If the instance type has that size
    itself, the VM's size stays in the template and is a conflict when applied. Raises ``CauseError``:
    custom-size, conflict, quantity-invalid, topology.
    """
    instancetype = selected.instancetype
    cpu = object_at(template, *_CPU)
    guest = cpu.get("guest")
    if guest is None and "guest" in cpu:
        template = without(template, *_CPU, "guest")
    sets_vcpus = guest is not None if instancetype is None else leaves_vcpus_to_vm(instancetype.spec)
    sets_memory = instancetype is not None and leaves_memory_to_vm(instancetype.spec)
    if not sets_vcpus and not sets_memory:
        return selected, template
    wrong = (
        *(vcpu_causes(vm, template, instancetype) if sets_vcpus else ()),
        *(memory_causes(template, instancetype) if instancetype and sets_memory else ()),
    )
    if wrong:
        raise CauseError(*wrong)
    size = CustomSize(
        vcpus=guest if sets_vcpus and isinstance(guest, int) else None,
        memory=object_at(template, *_MEMORY)["guest"] if sets_memory else None,
    )
    return _with_completed_instancetype(selected._replace(custom_size=size), template, behaviour)


def _with_completed_instancetype(
    selected: ResolvedMatchers, template: JsonObject, behaviour: Behaviour
) -> tuple[ResolvedMatchers, JsonObject]:
    size, instancetype = selected.custom_size, selected.instancetype
    if size.vcpus is not None:
        topology = custom_topology(size.vcpus, selected.preference, behaviour)
        template = without(template, *_CPU, "guest")
        if instancetype is None:
            cpu = {**object_at(template, *_CPU), **topology._asdict()}
            template = with_section(template, _CPU, cpu)
    if size.memory is not None:
        template = without(template, *_MEMORY, "guest")
    if instancetype is None:
        return selected, template
    return selected._replace(instancetype=_complete_instancetype(instancetype, size)), template


def _complete_instancetype(instancetype: MatchedObject, size: CustomSize) -> MatchedObject:
    spec = instancetype.spec
    if size.vcpus is not None:
        spec = with_value(spec, ("cpu", "guest"), size.vcpus)
    if size.memory is not None:
        spec = with_value(spec, ("memory", "guest"), size.memory)
    return instancetype._replace(spec=spec)


def limit_causes(selected: ResolvedMatchers, template: JsonObject) -> Iterator[ExpansionCause]:
    """Yield the limits that the size exceeds in ``template``, a ``spec.template`` with everything applied."""
    domain = object_at(template, "spec", "domain")
    instancetype, size = selected.instancetype, selected.custom_size
    if size.vcpus is not None:
        cpu = object_at(domain, "cpu")
        sockets, most = cpu.get("sockets"), cpu.get("maxSockets")
        if isinstance(sockets, int) and isinstance(most, int) and 0 < most < sockets:
            vcpus = count_of_vcpus(size.vcpus)
            message = f"{vcpus} are {sockets} sockets, more than {most}, the maxSockets"
            yield _cause(instancetype, VCPUS, message, f"lower {VCPUS}", _MAX_SOCKETS)
    guest = _bytes(size.memory)
    if guest is None:
        return
    memory = object_at(domain, "memory")
    max_guest = _bytes(memory.get("maxGuest"))
    if max_guest is not None and guest > max_guest:
        message = f"{size.memory} of memory are more than {memory['maxGuest']}, the maxGuest"
        yield _cause(instancetype, MEMORY, message, f"lower {MEMORY}", _MAX_GUEST)
    page_size = object_at(memory, "hugepages").get("pageSize")
    page = _bytes(page_size)
    if page is not None and page > 0 and guest % page:
        message = f"{size.memory} of memory is not a multiple of {page_size}, the huge pages"
        yield _cause(instancetype, MEMORY, message, f"write a multiple of {page_size}", _PAGE_SIZE)


def _cause(
    instancetype: MatchedObject | None, at: FieldPath, message: str, hint: str, limit: tuple[str, ...]
) -> ExpansionCause:
    """Return a cause at the VM's field ``at``, for a ``limit`` of its instance type or of its own domain."""
    if instancetype is None or object_at(instancetype.spec, *limit[:-1]).get(limit[-1]) is None:
        return ExpansionCause.at_field(at, Code.CUSTOM_SIZE, f"{message} of the VM", hint)
    return ExpansionCause.at_field(
        at,
        Code.CUSTOM_SIZE,
        f"{message} of {instancetype}",
        hint,
        related=(instancetype.related(FieldPath.of("spec", *limit)),),
    )


def _bytes(quantity: Json) -> int | None:
    """Return the bytes of a quantity; None for null and for text that is not a valid quantity."""
    if quantity is None:
        return None
    try:
        return Quantity.of(quantity).value()
    except DiagnosticError:
        return None
