"""Machines that a second Kustomization or Application begins to apply, while the first one goes on.

Both write the object at each sync, and the labels or the tracking id of the last one say whose it is
(``renderer/gitops/pruning.py``). Argo CD warns of it (argo-cd ``controller/state.go``
``SharedResourceWarning``); Flux does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from renderer.app.compared_overlay import compare_sides
from renderer.app.diff_side import RenderedSide, Side
from renderer.app.overlay_owners import owners_of
from renderer.diff.moved import unchanged
from renderer.diff.totals import totals_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import (
    ChangeType,
    Effect,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
    effects_of,
)
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.target_cluster import certain_cluster, engine_entry

#: A cluster, and an object in it.
_Place: TypeAlias = tuple[tuple[str, ...], ObjectKey]


class SharedMachines:
    """The machines of all overlays on both sides, by what they are in a cluster."""

    def __init__(self, before: Side, after: Side) -> None:
        self._sides = before, after
        self._rendered: dict[str, tuple[RenderedSide | None, RenderedSide | None]] = {}
        #: The first overlay with a machine after the change, and the first with it on both sides.
        self._first: dict[_Place, str] = {}
        self._first_kept: dict[_Place, str] = {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add a compared overlay."""
        self._rendered[path] = before, after
        overlay = self._sides[1].overlays.get(path)
        if overlay is None or not self._has_certain_cluster(overlay):
            return
        former = _machines(before)
        for key in _machines(after):
            place = certain_cluster(overlay), key
            self._first.setdefault(place, path)
            if key in former:
                self._first_kept.setdefault(place, path)

    def marked(self, difference: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay: a machine of another one is not added, but counted there."""
        path, shared = difference.path, dict[ObjectKey, str]()
        changes: list[ResourceChange] = []
        notes = [*difference.notes]
        for change in difference.changes:
            other = self._other_holder(path, change) if change.type is ChangeType.ADDED else ""
            if not other or change.is_refused:
                changes.append(change)
                continue
            shared[change.id.object_key] = other
            changes.append(self._shared(change, difference, other))
            if changes[-1].fields:
                who = f"{self._owner_of(other)} applies {change.id}, too, in another form"
                notes.append(f"{who}: each undoes at its sync what the other has applied")
        if not shared:
            return difference
        totals = difference.totals[0], self._totals_without(path, shared)
        return difference._replace(changes=tuple(changes), totals=totals, notes=tuple(notes))

    def _other_holder(self, path: str, change: ResourceChange) -> str:
        """Return the overlay of the same cluster that has a machine as well, and first; empty without one."""
        overlay = self._sides[1].overlays.get(path)
        if overlay is None:
            return ""
        place = certain_cluster(overlay), change.id.object_key
        found = self._first_kept.get(place) or self._first.get(place, "")
        return found if found != path else ""

    def _has_certain_cluster(self, overlay: Overlay) -> bool:
        """Return False for an overlay by path of a project without clusters: sites have equal machines."""
        return bool(overlay.cluster or self._sides[1].config.clusters or engine_entry(overlay))

    def _shared(self, added: ResourceChange, difference: OverlayDifference, other: str) -> ResourceChange:
        """Return the change of a machine that another overlay has, compared with what that has applied."""
        key = added.id.object_key
        before, after = self._rendered[other][0], self._rendered[difference.path][1]
        if key not in _machines(before):
            before = self._rendered[other][1]
        found = compare_sides(
            self._sides, (_only(before, key), _only(after, key)), difference.path, difference.name
        ).changes
        if found:
            return found[0]._replace(cause=added.cause)
        text = f"{self._owner_of(other)} applies it, too: whichever of the two loses it may delete it"
        impact = Impact(Effect.NONE, text)
        change = unchanged(added.id)
        return change._replace(impact=impact, effects=effects_of(impact), cause=added.cause)

    def _owner_of(self, path: str) -> str:
        owners = [f"{each.id.gvk.kind} {each.id.name}" for each in owners_of(self._sides[1], path)]
        return f"{' and '.join(owners) or 'what deploys that'} (overlay {path})"

    def _totals_without(self, path: str, shared: Mapping[ObjectKey, str]) -> Totals | None:
        after = self._rendered[path][1]
        if after is None or after.content is None:
            return None
        applied = after.content.applied
        views = (
            VirtualMachineView.of(applied.get(each.current_id, each))
            for key, each in _machines(after).items()
            if key not in shared
        )
        return totals_of(filter(None, views))


def _machines(side: RenderedSide | None) -> Mapping[ObjectKey, Resource]:
    written: Sequence[Resource] = side.content.written if side and side.content else ()
    return {each.current_id.object_key: each for each in written if VirtualMachineView.of(each) is not None}


def _only(side: RenderedSide | None, key: ObjectKey) -> RenderedSide | None:
    """Return a side with a single object."""
    if side is None or side.content is None:
        return None
    written = tuple(each for each in side.content.written if each.current_id.object_key == key)
    return side._replace(content=side.content._replace(written=written))
