"""The template of virtual machines that a pool or a replica set makes."""

from __future__ import annotations

from renderer.diff.impact.update import Update, Verdict, restart
from renderer.model.difference import Effect, FieldChange
from renderer.model.json import object_at
from renderer.model.release import Release

_HAS_STRATEGIES = Release(1, 7)
_REPLACES_DISKS = Release(1, 6)


def judge_pool_template(update: Update, change: FieldChange) -> Verdict:
    """``updateStrategy`` decides; without one, the pool restarts its VMs."""
    strategy = object_at(update.after.content, "spec", "updateStrategy")
    if update.cluster.release >= _HAS_STRATEGIES:
        if strategy.get("unmanaged") is not None:
            return Verdict(Effect.NONE, "the pool's VMs are not updated (updateStrategy: unmanaged)")
        if strategy.get("opportunistic") is not None:
            return Verdict(Effect.NEXT_START, "the pool waits for a restart (updateStrategy: opportunistic)")
    if "dataVolumeTemplates" in change.field.segments and update.cluster.release >= _REPLACES_DISKS:
        return Verdict(Effect.REPLACED, "the pool deletes its VMs, and makes others with new disks")
    return restart("the pool restarts its VMs, one after the other")


def judge_replica_template(update: Update, change: FieldChange) -> Verdict:
    del update, change
    return Verdict(Effect.NEXT_START, "only instances that are made from now on are so")
