"""The size that a VirtualMachine gives itself."""

from __future__ import annotations

from renderer.instancetype.conflict import VMI_SPEC
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.json import Json, JsonObject, object_at, without
from renderer.model.record import Record
from renderer.model.resource import Resource

#: The fields of a VirtualMachine that give it.
VCPUS = VMI_SPEC.child("domain", "cpu", "guest")
MEMORY = VMI_SPEC.child("domain", "memory", "guest")


class CustomSize(Record):
    """``vcpus`` and ``memory``, a quantity, of the VirtualMachine; None where something else gives them."""

    vcpus: int | None = None
    memory: Json = None


NO_CUSTOM_SIZE = CustomSize()


def gives_vcpus(template: JsonObject) -> bool:
    """Whether a VirtualMachine's ``spec.template`` has ``domain.cpu.guest``."""
    return object_at(template, "spec", "domain", "cpu").get("guest") is not None


def without_custom_vcpus(resource: Resource) -> Resource:
    """A VirtualMachine, or what holds one, without ``domain.cpu.guest``, which its schema does not know."""
    vm = VirtualMachine.of(resource)
    if vm is None:
        return resource
    return vm.with_content(without(vm.content, *(str(segment) for segment in VCPUS.segments)))
