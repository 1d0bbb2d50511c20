"""The size of a virtual machine: its vCPUs, memory and GPUs.

KubeVirt ``pkg/util/hardware``, ``pkg/defaults``.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import VMI
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import Json, array_at, object_at
from renderer.model.quantity import lenient_quantity
from renderer.model.record import Record

_TOPOLOGY = ("sockets", "cores", "threads")
_RESOURCES = ("requests", "limits")


class MachineSize(Record):
    """The size of one virtual machine; memory is in bytes and includes ``hugepages``."""

    vcpus: int
    memory: int
    hugepages: int
    gpus: int


def machine_size(machine: VirtualMachineView) -> MachineSize:
    """Return the size of one virtual machine; its replicas are not counted."""
    memory = guest_memory(machine)
    hugepages = memory if object_at(machine.domain, "memory").get("hugepages") is not None else 0
    return MachineSize(vcpus(machine), memory, hugepages, len(array_at(machine.devices, "gpus")))


def asks_for_no_memory(machine: VirtualMachineView) -> bool:
    """Return True if ``ValidateVirtualMachineInstanceMandatoryFields`` will reject the machine's instances.

    The webhook of an instance reports this itself, and an instance type sets memory.
    """
    memory = object_at(machine.domain, "memory")
    if memory.get("guest") is not None or memory.get("hugepages") is not None:
        return False
    if machine.kind == VMI or machine.spec.get("instancetype") is not None:
        return False
    resources = object_at(machine.domain, "resources")
    amounts = [object_at(resources, key).get("memory") for key in _RESOURCES]
    return all(amount is None or _is_zero(amount) for amount in amounts)


def _is_zero(amount: Json) -> bool:
    quantity = lenient_quantity(amount)
    return quantity is not None and quantity.sign == 0


def sockets(machine: VirtualMachineView) -> int:
    """Return the number of CPU sockets."""
    return positive(object_at(machine.domain, "cpu").get("sockets")) or 1


def vcpus(machine: VirtualMachineView) -> int:
    """Return the product of the CPU topology; without one, the CPU limit or request; at least 1."""
    cpu = object_at(machine.domain, "cpu")
    counts = [positive(cpu.get(part)) for part in _TOPOLOGY]
    if any(counts):
        one, two, three = (part or 1 for part in counts)
        return one * two * three
    for section in reversed(_RESOURCES):
        amount = lenient_quantity(object_at(machine.domain, "resources", section).get("cpu"))
        if amount is not None:
            return max(1, amount.value())
    return 1


def guest_memory(machine: VirtualMachineView) -> int:
    """Return the guest's memory in bytes; if it is not set, the memory request or the limit."""
    resources = object_at(machine.domain, "resources")
    amounts = [object_at(machine.domain, "memory").get("guest")]
    amounts += [object_at(resources, section).get("memory") for section in _RESOURCES]
    found = next((amount for amount in map(lenient_quantity, amounts) if amount is not None), None)
    return found.value() if found is not None else 0


def positive(value: Json) -> int:
    """Return a positive integer; 0 for any other value."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
