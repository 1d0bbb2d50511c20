"""On which nodes a virtual machine may be."""

from __future__ import annotations

from renderer.diff.impact.update import Update, Verdict, restart, staged
from renderer.model.difference import Effect, FieldChange
from renderer.model.release import Release

_TOLERATIONS = Release(1, 4)
_ON_MIGRATION = "counts from the next live migration on"


def judge_nodes(update: Update, change: FieldChange) -> Verdict:
    """``nodeSelector`` and ``affinity``."""
    del change
    return Verdict(Effect.LIVE, _ON_MIGRATION) if update.updates_live("affinity") else staged(update)


def judge_tolerations(update: Update, change: FieldChange) -> Verdict:
    del change
    if update.cluster.release < _TOLERATIONS:
        return restart(f"before KubeVirt {_TOLERATIONS} tolerations count from the start")
    return Verdict(Effect.LIVE, _ON_MIGRATION) if update.cluster.updates_live else staged(update)
