"""The impact of each change of a virtual machine, in view of the others and of whether it runs."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.diff.impact.table import row_of
from renderer.diff.impact.update import Update
from renderer.model.difference import Effect, FieldChange, Impact

_MANUAL = "Manual"
_HALTED = "Halted"
#: What these do, they do whether the VM runs or not.
_ALWAYS = frozenset({Effect.NONE, Effect.START, Effect.STOP, Effect.DELETED})


def judged(update: Update, changes: Iterable[FieldChange]) -> tuple[FieldChange, ...]:
    """The changes with their impacts; those that have one keep it."""
    changes = tuple(changes)
    rows = [row_of(update, change.field) for change in changes]
    judged = [
        change.impact or Impact(*row.judge(update, change), row.source)
        for change, row in zip(changes, rows, strict=True)
    ]
    restart = next((impact for impact in judged if impact.effect is Effect.RESTART), None)
    impacts = (
        _waiting(impact) if restart is not None and row.yields and not change.impact else impact
        for change, row, impact in zip(changes, rows, judged, strict=True)
    )
    return tuple(
        change._replace(impact=_in_state(impact, update))
        for change, impact in zip(changes, impacts, strict=True)
    )


def _waiting(impact: Impact) -> Impact:
    """KubeVirt plugs nothing in as long as a VM waits to be restarted."""
    if impact.effect in (Effect.RESTART, Effect.NONE):
        return impact
    return Impact(Effect.RESTART, "waits for the restart that another change needs", impact.source)


def _in_state(impact: Impact, update: Update) -> Impact:
    """What is left of the impact on a VM that is not known to run."""
    before, after = update.before.run_strategy, update.after.run_strategy
    if impact.effect in _ALWAYS or (impact.effect is Effect.REFUSED and before != _HALTED):
        return impact
    if _HALTED in (before, after):
        return Impact(
            Effect.NEXT_START, f"the VM is halted {'before' if before == _HALTED else 'by it'}", impact.source
        )
    if impact.effect is Effect.RESTART and before == after == _MANUAL:
        return Impact(Effect.NEXT_START, f"{impact.reason}; it is started by hand", impact.source)
    return impact
