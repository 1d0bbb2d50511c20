"""Whether a virtual machine is to run, as its manifest says."""

from __future__ import annotations

from renderer.model.field_path import FieldPath
from renderer.model.record import Record
from renderer.rules.machine import Machine

HALTED = "Halted"
ALWAYS = "Always"


class Power(Record):
    """A run strategy, written as such or as ``running``, and the field that says so."""

    strategy: str
    written: str
    field: FieldPath


def power_of(machine: Machine) -> Power | None:
    """None where nothing, both or something else is written, which KubeVirt refuses."""
    strategy, running = machine.spec.get("runStrategy"), machine.spec.get("running")
    if isinstance(strategy, str) and running is None:
        return Power(strategy, f"runStrategy: {strategy}", machine.in_spec("runStrategy"))
    if isinstance(running, bool) and strategy is None:
        written = f"running: {str(running).lower()}"
        return Power(ALWAYS if running else HALTED, written, machine.in_spec("running"))
    return None
