"""A VirtualMachine's own size, put where KubeVirt's rules expect one."""

from __future__ import annotations

from renderer.instancetype.api.v1beta2 import leaves_memory_to_vm, leaves_vcpus_to_vm
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.cause import CauseError
from renderer.instancetype.custom.shape import shaped
from renderer.instancetype.custom.size import CustomSize
from renderer.instancetype.custom.size_causes import memory_causes, vcpu_causes
from renderer.instancetype.find import Found
from renderer.instancetype.resolve import Selected
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.instancetype.vmi_template import with_section
from renderer.model.json import JsonObject, object_at, with_value, without

_CPU = ("spec", "domain", "cpu")
_MEMORY = ("spec", "domain", "memory")


def with_custom_size(
    selected: Selected, template: JsonObject, vm: VirtualMachine, behaviour: Behaviour
) -> tuple[Selected, JsonObject]:
    """What ``vm`` selected, and its ``spec.template``, as if its own size were that of an instance type.

    An instance type that leaves a size to the VM comes back with what the VM gives, which is no more in the
    template; without an instance type the vCPUs are there as sockets, cores and threads. A size that the
    instance type has itself stays in the template, and is a conflict when it is applied.
    Raises ``CauseError``: custom-size, conflict, quantity-invalid, topology.
    """
    instancetype = selected.instancetype
    guest = object_at(template, *_CPU).get("guest")
    if guest is None:
        template = without(template, *_CPU, "guest")
    gives_vcpus = guest is not None if instancetype is None else leaves_vcpus_to_vm(instancetype.spec)
    gives_memory = instancetype is not None and leaves_memory_to_vm(instancetype.spec)
    if not gives_vcpus and not gives_memory:
        return selected, template
    wrong = (
        *(vcpu_causes(vm, template, instancetype) if gives_vcpus else ()),
        *(memory_causes(template, instancetype) if instancetype and gives_memory else ()),
    )
    if wrong:
        raise CauseError(*wrong)
    size = CustomSize(
        vcpus=guest if gives_vcpus and isinstance(guest, int) else None,
        memory=object_at(template, *_MEMORY)["guest"] if gives_memory else None,
    )
    return _supplied(selected._replace(custom_size=size), template, behaviour)


def _supplied(selected: Selected, template: JsonObject, behaviour: Behaviour) -> tuple[Selected, JsonObject]:
    size, instancetype = selected.custom_size, selected.instancetype
    if size.vcpus is not None:
        topology = shaped(size.vcpus, selected.preference, behaviour)
        template = without(template, *_CPU, "guest")
        if instancetype is None:
            cpu = {**object_at(template, *_CPU), **topology._asdict()}
            template = with_section(template, _CPU, cpu)
    if size.memory is not None:
        template = without(template, *_MEMORY, "guest")
    if instancetype is None:
        return selected, template
    return selected._replace(instancetype=_completed(instancetype, size)), template


def _completed(instancetype: Found, size: CustomSize) -> Found:
    spec = instancetype.spec
    if size.vcpus is not None:
        spec = with_value(spec, ("cpu", "guest"), size.vcpus)
    if size.memory is not None:
        spec = with_value(spec, ("memory", "guest"), size.memory)
    return instancetype._replace(spec=spec)
