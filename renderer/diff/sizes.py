"""How many vCPUs a virtual machine has, and how much memory.

KubeVirt ``pkg/util/hardware``, ``pkg/defaults``.
"""

from __future__ import annotations

from renderer.diff.machine import Machine
from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, array_at, object_at
from renderer.model.quantity import Quantity

_TOPOLOGY = ("sockets", "cores", "threads")
_RESOURCES = ("requests", "limits")


def amounts_of(machine: Machine) -> tuple[int, int, int, int]:
    """vCPUs, bytes of memory, bytes of these in huge pages, GPUs; all for one of its kind."""
    memory = guest_memory(machine)
    hugepages = memory if object_at(machine.domain, "memory").get("hugepages") is not None else 0
    return vcpus(machine), memory, hugepages, len(array_at(machine.devices, "gpus"))


def sockets(machine: Machine) -> int:
    return count(object_at(machine.domain, "cpu").get("sockets")) or 1


def vcpus(machine: Machine) -> int:
    """The product of the topology; without one, what limits or requests come to, and one at least."""
    cpu = object_at(machine.domain, "cpu")
    given = [count(cpu.get(part)) for part in _TOPOLOGY]
    if any(given):
        one, two, three = (part or 1 for part in given)
        return one * two * three
    for section in reversed(_RESOURCES):
        amount = quantity(object_at(machine.domain, "resources", section).get("cpu"))
        if amount is not None:
            return max(1, amount.value())
    return 1


def guest_memory(machine: Machine) -> int:
    """In bytes; what is requested, or the limit, where the guest's memory is not said."""
    resources = object_at(machine.domain, "resources")
    said = [object_at(machine.domain, "memory").get("guest")]
    said += [object_at(resources, section).get("memory") for section in _RESOURCES]
    found = next((amount for amount in map(quantity, said) if amount is not None), None)
    return found.value() if found is not None else 0


def quantity(value: Json) -> Quantity | None:
    """None for nothing, and for what is no quantity."""
    if value is None:
        return None
    try:
        return Quantity.of(value)
    except DiagnosticError:
        return None


def count(value: Json) -> int:
    """0 for nothing, and for what is no positive number."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
