"""Resources that one overlay no longer has and another one has: they are moved, not deleted."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.diff.leaving_revisions import judged_without
from renderer.kubevirt.facts.kinds import APPS_GROUP, CONTROLLER_REVISION
from renderer.kubevirt.impact.judge import Judgement
from renderer.model.difference import ChangeType, Effect, Impact, OverlayDifference, ResourceChange
from renderer.model.kube.res_id import Gvk, ResId

_ELSEWHERE = Impact(Effect.NONE, "another overlay has it now")
_CONTROLLER_REVISION = Gvk.parse(f"{APPS_GROUP}/v1", CONTROLLER_REVISION)


def without_moved(overlays: Sequence[OverlayDifference]) -> tuple[OverlayDifference, ...]:
    """Return the overlays without deletions of resources that another overlay has on the side after.

    An overlay whose folder was renamed counts as two overlays: a deleted one and a new one. A Kustomization
    or Application may delete a VM before another one takes it over.
    """
    changes = (change for overlay in overlays for change in overlay.changes)
    added = {change.id: change for change in changes if change.type is ChangeType.ADDED}

    def moved(change: ResourceChange) -> ResourceChange:
        now = added.get(change.id) if change.type is ChangeType.REMOVED else None
        if now is None:
            return change
        if change.impact is None:
            return change._replace(data=())
        if change.exemption and now.owner and now.owner != change.owner:
            risk = _handover_risk(change, now.owner)
            return change._replace(impact=risk, effects=(risk.effect,))
        names = dict(now.revisions)
        for key, name in change.revisions:
            revision = ResId(_CONTROLLER_REVISION, name, change.id.namespace)
            if names.get(key) in ("", name) and revision not in added:
                lost = judged_without(Judgement((), _ELSEWHERE, (Effect.NONE,)), [name])
                return change._replace(
                    impact=lost.impact, effects=lost.effects, start_refusal=lost.start_refusal, data=()
                )
        return change._replace(impact=_ELSEWHERE, effects=(Effect.NONE,), data=())

    return tuple(overlay._replace(changes=tuple(map(moved, overlay.changes))) for overlay in overlays)


def _handover_risk(change: ResourceChange, new: ResId) -> Impact:
    return Impact(
        Effect.AT_RISK,
        f"{change.owner} may delete it, with the disks that it owns, before {new} takes it"
        f" over: annotate it with {change.exemption} first, and move it once the cluster has that",
    )
