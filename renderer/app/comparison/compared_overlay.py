"""Compare one overlay on two rendered sides, as the engine that deploys it applies them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from renderer.app.comparison.applied_sides import EngineRules, are_exempt, as_applied, engine_rules, overdue
from renderer.app.comparison.ignores import rules_not_evaluated, with_unsynced
from renderer.app.comparison.rendered_sides import RenderedSide, RenderedSides, written_of
from renderer.app.comparison.side import Side
from renderer.diff.compare import compare_overlay, without_deleted
from renderer.diff.equal_changes import EqualChanges
from renderer.diff.vm_change import VmChangeOf, change_as_written
from renderer.gitops.stalled_sync import stalled_syncs
from renderer.model.difference import ChangeType, OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.render_config import Overlay
from renderer.pipeline.deployers import Deployers
from renderer.pipeline.vm_changes import VmChanges
from renderer.report.diff_words import qualified_name

#: The objects that are named of those that an engine begins to apply.
_MOST_NAMES = 5
#: The changes of which the engine decides what is deleted.
_LEAVING = (ChangeType.REMOVED, ChangeType.RENAMED)


class AppliedDifference(NamedTuple):
    """The difference of an overlay as its engine applies it; ``after`` is the second side so applied."""

    difference: OverlayDifference
    after: RenderedSide | None


def compare_as_applied(
    sides: tuple[Side, Side], rendered: RenderedSides, equal_changes: EqualChanges
) -> AppliedDifference:
    """Compare an overlay as its engine applies it: without what that ignores, or does not apply.

    If the overlay is not an entry point, its engine is looked up only for an object that is refused or has
    annotations for Flux. ``equal_changes`` are as in ``compare_sides``.
    """
    overlay, former, ends, between = rendered.overlay, rendered.former, rendered.ends, rendered.between
    path, name = overlay.path, overlay.name
    before, after = ends
    needs_engine = overlay.entry is not None or any(map(are_exempt, ends))
    engine = _engine_of(*sides, overlay, former) if needs_engine else EngineRules()
    applied, ignored = as_applied(before, after, engine)
    found = compare_sides(sides, (before, applied), path, name, between, equal_changes)
    if overlay.entry is None and found.has_refusals:
        engine = _engine_of(*sides, overlay, former)
        applied, ignored = as_applied(before, after, engine)
        if applied is not after:
            found = compare_sides(sides, (before, applied), path, name, between)
    found = with_unsynced(found, engine, ends)
    unclear = rules_not_evaluated(engine, found.changes)
    found = found._replace(ignored=(*ignored, *found.ignored, *unclear), cluster=overlay.cluster)
    if former != path:
        found = found._replace(former=former)
    found = _with_doubts(found, sides[0], sides[0].overlays.get(former), needs_engine=needs_engine)
    if applied is not None:
        applied = applied.with_written(without_deleted(written_of(applied), found.changes))
    return AppliedDifference(_with_overdue(found, ends, engine), applied)


def _engine_of(before: Side, after: Side, overlay: Overlay, former: str) -> EngineRules:
    old = before.overlays.get(former)
    known = before.certain_deployers_of(old) if old else ()
    latter = after.certain_deployers_of(overlay)
    return engine_rules(
        latter[0] if len(latter) == 1 else None,
        known[0] if len(known) == 1 else None,
    )


def _with_doubts(
    difference: OverlayDifference, side: Side, overlay: Overlay | None, *, needs_engine: bool
) -> OverlayDifference:
    """Return a difference with what is not relied on: what a manifest says that may be an example."""
    is_asked = needs_engine or any(each.type in _LEAVING for each in difference.changes)
    if overlay is None or not is_asked:
        return difference
    names = [f"{each.kind} {each.name} ({each.origin.path})" for each in side.unapplied_deployers_of(overlay)]
    if not names:
        return difference
    note = (
        f"nothing in this repository applies {listed(names, _MOST_NAMES)}, which may be an example: what it"
        " keeps or ignores is not relied on"
    )
    return difference._replace(notes=(*difference.notes, note))


def _with_overdue(
    difference: OverlayDifference, sides: tuple[RenderedSide | None, RenderedSide | None], engine: EngineRules
) -> OverlayDifference:
    """Return a difference that is not complete if the engine applies more than changes between its sides."""
    objects: dict[str, dict[str, None]] = {}
    for reason, id_ in overdue(*sides, engine):
        objects.setdefault(reason, {})[f"{id_.gvk.kind} {qualified_name(id_)}"] = None
    lost = [
        f"earlier changes of {listed([*names], _MOST_NAMES)} arrive now: {reason} kept them from the cluster"
        for reason, names in objects.items()
    ]
    return difference.also_incomparable(*lost)


def compare_sides(  # noqa: PLR0913, PLR0917 - an overlay on two sides, and two that most callers leave out
    sides: tuple[Side, Side],
    rendered: tuple[RenderedSide | None, RenderedSide | None],
    path: str,
    name: str,
    between: Sequence[RenderedSide] = (),
    equal_changes: EqualChanges | None = None,
) -> OverlayDifference:
    """Return the difference of an overlay.

    ``between`` are the sides of the overlay since its VMs were started from the first one, oldest first.
    ``equal_changes`` holds the judgements of the overlays compared so far.
    """
    failed = [
        content.unknown or f"it cannot be rendered in {side.name}"
        for side, content in zip(sides, rendered, strict=True)
        if content is not None and content.content is None
    ]
    if failed:
        releases = tuple(side.overlays[path].kubevirt if path in side.overlays else None for side in sides)
        return OverlayDifference(path, name, (releases[0], releases[1]), incomparable="; ".join(failed))
    before, after = (content.content if content is not None else None for content in rendered)
    if before is None and after is None:  # at a commit before it was added
        return OverlayDifference(path, name, (None, None))
    return compare_overlay(
        path,
        name,
        before,
        after,
        _vm_change_of(*rendered, between),
        accumulated=bool(between),
        equal_changes=equal_changes,
    )


def with_stalled_syncs(
    difference: OverlayDifference,
    overlay: Overlay | None,
    deployers: Deployers,
    manifests: Mapping[ResId, Resource],
) -> OverlayDifference:
    """Return the difference with the syncs that stop at a refused change.

    ``overlay`` is None if the side after does not have it. ``manifests`` are the objects of both sides.
    """
    found = () if overlay is None else deployers.of(overlay)
    stalled = stalled_syncs(found, difference.changes, manifests, deployers.kustomizations)
    return difference._replace(stalled=tuple(stalled))


def _vm_change_of(
    before: RenderedSide | None, after: RenderedSide | None, between: Sequence[RenderedSide]
) -> VmChangeOf:
    if before is None or after is None or before.state is None or after.state is None:
        return change_as_written
    assert before.content is not None  # noqa: S101 - it has a state
    assert after.content is not None  # noqa: S101 - as above
    states = [each.state for each in between if each.state is not None]
    return VmChanges(before.state, after.state, after.content.release, states, before.content.release)
