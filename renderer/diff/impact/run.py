"""Whether a virtual machine is to run, and how many copies of it."""

from __future__ import annotations

from renderer.diff.impact.update import Update, Verdict
from renderer.model.difference import Effect, FieldChange

_STARTED = ("Always", "RerunOnFailure", "Once")
_HALTED = "Halted"


def judge_run_strategy(update: Update, change: FieldChange) -> Verdict:
    """``running`` and ``runStrategy`` together: one is written as the other, or neither."""
    del change
    before, after = update.before.run_strategy, update.after.run_strategy
    if before == after:
        return Verdict(Effect.NONE, "both mean the same")
    if after == _HALTED:
        return Verdict(Effect.STOP, "it is shut down")
    if after in _STARTED and before not in _STARTED:
        return Verdict(Effect.START, "it is started where it does not run")
    return Verdict(Effect.NONE, "it counts when the VM stops")


def judge_replicas(update: Update, change: FieldChange) -> Verdict:
    del change
    before, after = update.before.replicas, update.after.replicas
    if before == after:
        return Verdict(Effect.NONE, "both mean the same")
    if after > before:
        return Verdict(Effect.START, f"{after - before} more are made")
    return Verdict(Effect.DELETED, f"{before - after} are deleted")
