"""The CPUs, memory and GPUs of all machines of an overlay, before and after a change."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.sizes import machine_size
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Amounts, ResourceChange, Totals
from renderer.model.kube.res_id import ResId


def totals_of(machines: Iterable[VirtualMachineView]) -> Totals:
    """Return the totals of the machines that should run and of the halted ones, each times its replicas."""
    running, halted = Amounts(), Amounts()
    for machine in machines:
        size, replicas = machine_size(machine), machine.replicas
        amounts = Amounts(replicas, *(replicas * amount for amount in size))
        if machine.is_halted:
            halted = halted.plus(amounts)
        else:
            running = running.plus(amounts)
    return Totals(running, halted)


def totals_before(side: OverlaySide | None) -> Totals | None:
    """Return the totals of a side; None if there is none."""
    return None if side is None else totals_of(_machines(side).values())


def totals_after(
    before: OverlaySide | None, after: OverlaySide | None, changes: Iterable[ResourceChange]
) -> Totals | None:
    """Return the totals after the change: a machine whose change is refused stays as it was."""
    if after is None:
        return None
    machines = _machines(after)
    former = {} if before is None else _machines(before)
    for change in changes:
        if change.is_refused:
            if change.after in machines:
                del machines[change.after]
            if change.before in former:
                machines[change.before] = former[change.before]
    return totals_of(machines.values())


def _machines(side: OverlaySide) -> dict[ResId, VirtualMachineView]:
    views = ((each, VirtualMachineView.of(side.applied.get(each.current_id, each))) for each in side.written)
    return {each.current_id: view for each, view in views if view is not None}
