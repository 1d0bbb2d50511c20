"""Machines that Services and routes of other overlays of their cluster reach, and lose.

Services are often an overlay of their own. If the cluster of an overlay is not known, an object that several
overlays have is not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.shared_clusters import ClusterGroup, SharedClusters
from renderer.diff.services import (
    Served,
    judged_by_labels,
    judged_by_services,
    may_leave_services,
    may_lose_machines,
)
from renderer.model.difference import OverlayDifference


class ServicesElsewhere:
    """The objects of all overlays before and after a change, by what is known of their clusters."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        self._served: dict[ClusterGroup, tuple[Served, Served]] = {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        if group := self._clusters.group(path):
            former, latter = self._served.setdefault(group, (Served(), Served()))
            former.add(written_of(before))
            latter.add(written_of(after))

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with what Services and routes do to machines of other overlays."""
        in_cluster_of = cache(self._in_cluster_of)
        for each in differences:
            may_part = (may_lose_machines(change) or may_leave_services(change) for change in each.changes)
            group = self._clusters.group(each.path)
            if group and any(may_part):
                sides = in_cluster_of(group)
                changes = judged_by_labels(judged_by_services(each.changes, *sides), *sides)
                yield each._replace(changes=tuple(changes))
            else:
                yield each

    def _in_cluster_of(self, group: ClusterGroup) -> tuple[Served, Served]:
        found = Served(), Served()
        for other, sides in self._served.items():
            if group.may_share(other):
                for served, side in zip(found, sides, strict=True):
                    served.merge(side)
        return found
