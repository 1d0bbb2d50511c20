"""Objects that a second Kustomization or Application begins to apply, while the first one goes on.

Both write the object at each sync, and the labels or the tracking id of the last one say whose it is
(``renderer/gitops/pruning.py``). Argo CD warns of it (argo-cd ``controller/state.go``
``SharedResourceWarning``); Flux does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property
from itertools import takewhile
from typing import TypeAlias

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.overlay_owners import owners_of
from renderer.app.comparison.rendered_sides import RenderedSide, objects_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import Side
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
)
from renderer.model.kube.res_id import ObjectKey
from renderer.model.render_config import Overlay
from renderer.pipeline.target_cluster import certain_cluster, engine_entry

#: A cluster, and an object in it.
_Place: TypeAlias = tuple[tuple[str, ...], ObjectKey]


class SharedResources:
    """The objects of all overlays on both sides, by what they are in a cluster."""

    def __init__(self, sides: tuple[Side, Side], clusters: SharedClusters) -> None:
        self._sides, self._clusters = sides, clusters
        self._rendered: dict[str, tuple[RenderedSide | None, RenderedSide | None]] = {}
        #: The objects of an overlay on the first or second side (0 or 1).
        self._objects = cache(lambda path, number: objects_of(self._rendered[path][number]))
        self._owner = cache(self._owner_of)
        #: The first overlay with an object after the change, and the first with it on both sides.
        self._first: dict[_Place, str] = {}
        self._first_kept: dict[_Place, str] = {}
        #: The overlays with an object after the change, unless the project says the cluster of each.
        self._having: dict[ObjectKey, list[str]] = {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add a compared overlay."""
        self._rendered[path] = before, after
        overlay = self._sides[1].overlays.get(path)
        if overlay is None:
            return
        for key in self._objects(path, 1) if self._has_unknown else ():
            self._having.setdefault(key, []).append(path)
        if not self._has_certain_cluster(overlay):
            return
        former = self._objects(path, 0)
        for key in self._objects(path, 1):
            place = certain_cluster(overlay), key
            self._first.setdefault(place, path)
            if key in former:
                self._first_kept.setdefault(place, path)

    def marked(self, difference: OverlayDifference) -> OverlayDifference:
        """Return the difference of an overlay: an object of another one is not added, but counted there."""
        overlay = self._sides[1].overlays.get(difference.path)
        if overlay is None:
            return difference
        others: dict[ObjectKey, str] = {}
        for change in difference.changes:
            if change.type is ChangeType.ADDED and not change.is_refused:
                place = certain_cluster(overlay), change.id.object_key
                other = self._first_kept.get(place) or self._first.get(place, overlay.path)
                if other == overlay.path:
                    other = self._first_beside(overlay.path, place[1])
                if other != overlay.path:
                    others[place[1]] = other
        if not others:
            return difference
        compared = self._compared(difference, others)
        changes: list[ResourceChange] = []
        notes = [*difference.notes]
        for change in difference.changes:
            key = change.id.object_key
            if key not in others or change.type is not ChangeType.ADDED:
                changes.append(change)
                continue
            owner = self._owner(others[key])
            if key in compared:
                shared = compared[key]
            else:
                text = f"{owner} applies it, too: whichever of the two loses it may delete it"
                impact = Impact(Effect.NONE, text)
                shared = unchanged(change.id).with_impact(impact)
            changes.append(shared._replace(cause=change.cause))
            if shared.fields:
                who = f"{owner} applies {change.id}, too, in another form"
                notes.append(f"{who}: each undoes at its sync what the other has applied")
        totals = difference.totals[0], self._totals_without(overlay.path, others)
        return difference._replace(changes=tuple(changes), totals=totals, notes=tuple(notes))

    @cached_property
    def _has_unknown(self) -> bool:
        """True if neither the project nor an entry of an engine says the cluster of an overlay."""
        return any(self._clusters.known(each) is None for each in self._sides[1].overlays)

    def _first_beside(self, path: str, key: ObjectKey) -> str:
        """Return the overlay that has an object, too, as what deploys the two says; itself without one.

        It is the first with the object on both sides, or else after the change.
        """
        having = self._having.get(key, ())
        kept = [each for each in having if key in self._objects(each, 0)]
        earlier = takewhile(lambda each: each != path, having)
        others = (each for each in (*kept, *earlier) if each != path)
        return next((each for each in others if self._clusters.surely_share(path, each)), path)

    def _has_certain_cluster(self, overlay: Overlay) -> bool:
        """Return False for an overlay by path of a project without clusters: sites have equal objects."""
        return bool(overlay.cluster or self._sides[1].config.clusters or engine_entry(overlay))

    def _compared(
        self, difference: OverlayDifference, others: Mapping[ObjectKey, str]
    ) -> Mapping[ObjectKey, ResourceChange]:
        """Return the changes of the objects that differ from what other overlays have applied, by object.

        ``others`` are the paths of these overlays. One that has an object only after the change is compared
        as it is then.
        """
        path = difference.path
        keys: dict[tuple[str, int], list[ObjectKey]] = {}
        for key, other in others.items():
            keys.setdefault((other, 0 if key in self._objects(other, 0) else 1), []).append(key)
        found: dict[ObjectKey, ResourceChange] = {}
        for (other, number), shared in keys.items():
            sides = self._only(other, number, shared), self._only(path, 1, shared)
            changes = compare_sides(self._sides, sides, path, difference.name).changes
            found |= {each.id.object_key: each for each in changes}
        return found

    def _only(self, path: str, number: int, keys: Iterable[ObjectKey]) -> RenderedSide | None:
        """Return an overlay on a side with some of its objects."""
        side, objects = self._rendered[path][number], self._objects(path, number)
        return side.with_written(objects[key] for key in keys if key in objects) if side else None

    def _owner_of(self, path: str) -> str:
        owners = [f"{each.id.gvk.kind} {each.id.name}" for each in owners_of(self._sides[1], path)]
        return f"{' and '.join(owners) or 'what deploys that'} (overlay {path})"

    def _totals_without(self, path: str, shared: Collection[ObjectKey]) -> Totals | None:
        after = self._rendered[path][1]
        if after is None or after.content is None:
            return None
        applied = after.content.applied
        views = (
            VirtualMachineView.of(applied.get(each.current_id, each))
            for key, each in self._objects(path, 1).items()
            if key not in shared
        )
        return totals_of(filter(None, views))
