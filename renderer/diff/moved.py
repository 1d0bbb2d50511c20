"""Remarks on objects that have moved from one overlay to another, and what may happen on the way.

A Kustomization or Application may delete a VM that Git took from it before another one takes it over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.model.difference import (
    ChangeType,
    DataChange,
    Effect,
    Impact,
    OverlayDifference,
    ResourceChange,
    by_severity,
)
from renderer.model.kube.res_id import ObjectKey, ResId


def with_origins(
    difference: OverlayDifference, origins: Mapping[ObjectKey, str], after: Mapping[ObjectKey, ResId]
) -> OverlayDifference:
    """Return the difference of an overlay with the former overlays of the objects that have moved to it.

    ``after`` are those that are still there. One that has not changed otherwise is listed, too.
    """
    changes = tuple(
        each._replace(moved_from=origins.get(each.before.object_key, ""))
        if each.before and each.after
        else each
        for each in difference.changes
    )
    changed = {each.after for each in changes}
    others = tuple(
        unchanged(id_)._replace(moved_from=origins[key]) for key, id_ in after.items() if id_ not in changed
    )
    return difference.with_changes((*changes, *others))


def unchanged(id_: ResId) -> ResourceChange:
    """Return the change of an object that only has another owner."""
    return ResourceChange(ChangeType.CHANGED, id_, id_).with_impact(Impact(Effect.NONE))


def with_deletion_risk(
    change: ResourceChange, cause: str, exemption: str, lost: Sequence[DataChange]
) -> ResourceChange:
    """Return the change of a machine that its old owner may delete before the new one takes it over.

    ``cause`` says so, ``exemption`` is the annotation without which it does, and ``lost`` the data that goes
    with the machine.
    """
    reason = f"{cause}: annotate it with {exemption} first, and move it once the cluster has that"
    risk = Impact(Effect.AT_RISK, reason)
    impact = change.impact or risk
    if impact.effect.severity < risk.effect.severity:
        impact = risk
    elif impact is not risk:
        impact = impact._replace(reason=f"{impact.reason}; {risk.reason}")
    effects = {*change.effects, risk.effect} - {Effect.NONE}
    return change._replace(
        impact=impact,
        effects=by_severity(effects),
        data=tuple(dict.fromkeys((*change.data, *lost))),
    )
