"""The totals of an overlay's virtual machines (KubeVirt ``pkg/util/hardware``, ``pkg/defaults``)."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.diff.cluster import count, quantity
from renderer.diff.virtual_machine import VirtualMachineView
from renderer.model.difference import Amounts, Totals
from renderer.model.json import array_at, object_at

_TOPOLOGY = ("sockets", "cores", "threads")
_RESOURCES = ("requests", "limits")


def totals_of(machines: Iterable[VirtualMachineView]) -> Totals:
    """Return the sum of those that are to run and of those that are halted, each times its replicas."""
    running, halted = Amounts(), Amounts()
    for machine in machines:
        amounts = Amounts(machine.replicas, *(machine.replicas * amount for amount in _amounts(machine)))
        if machine.is_halted:
            halted = halted.plus(amounts)
        else:
            running = running.plus(amounts)
    return Totals(running, halted)


def _amounts(machine: VirtualMachineView) -> tuple[int, int, int, int]:
    """Return vCPUs, bytes of memory, bytes of these in huge pages, and GPUs of one machine."""
    memory = _guest_memory(machine)
    hugepages = memory if object_at(machine.domain, "memory").get("hugepages") is not None else 0
    return _vcpus(machine), memory, hugepages, len(array_at(machine.devices, "gpus"))


def _vcpus(machine: VirtualMachineView) -> int:
    """Return the product of the topology; without one, what limits or requests come to, and one at least."""
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


def _guest_memory(machine: VirtualMachineView) -> int:
    """Return bytes: what is requested, or the limit, where the guest's memory is not said."""
    resources = object_at(machine.domain, "resources")
    said = [object_at(machine.domain, "memory").get("guest")]
    said += [object_at(resources, section).get("memory") for section in _RESOURCES]
    found = next((amount for amount in map(quantity, said) if amount is not None), None)
    return found.value() if found is not None else 0
