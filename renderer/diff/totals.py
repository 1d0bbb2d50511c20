"""What the virtual machines of an overlay take together."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.diff.machine import Machine
from renderer.diff.sizes import amounts_of
from renderer.model.difference import Amounts, Totals


def totals_of(machines: Iterable[Machine]) -> Totals:
    """Those that are to run, and those that are halted, each as often as there are replicas of it."""
    running, halted = Amounts(), Amounts()
    for machine in machines:
        amounts = Amounts(machine.replicas, *(machine.replicas * amount for amount in amounts_of(machine)))
        if machine.is_halted:
            halted = halted.plus(amounts)
        else:
            running = running.plus(amounts)
    return Totals(running, halted)
