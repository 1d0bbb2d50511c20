"""ResourceQuotas that keep running machines from starting again, in whichever overlay of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.app.comparison.side import RenderedSide, written_of
from renderer.diff.quotas import impact_of_quota, is_quota, may_keep_from_starting, running_pods
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend


class QuotasElsewhere:
    """The quotas of all overlays, and the pods of running machines by namespace."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        #: The quotas before and after the change, by overlay.
        self._quotas: tuple[dict[tuple[str, ResId], Resource], dict[tuple[str, ResId], Resource]] = {}, {}
        self._pods: dict[str, dict[str, dict[ResId, int]]] = {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        for side, quotas in zip((before, after), self._quotas, strict=True):
            quotas.update({(path, each.current_id): each for each in filter(is_quota, written_of(side))})
        for each in written_of(after):
            if number := running_pods(each):
                found = self._pods.setdefault(each.namespace, {}).setdefault(path, {})
                found[each.current_id] = number

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with the quotas that keep machines from starting again."""
        for each in differences:
            changes = tuple(self._judged(change, each.path) for change in each.changes)
            yield each._replace(changes=changes)

    def _judged(self, change: ResourceChange, path: str) -> ResourceChange:
        before, after = (quotas.get((path, change.id)) for quotas in self._quotas)
        if after is None or not may_keep_from_starting(change):
            return change
        by_path = self._pods.get(change.id.namespace, {})
        pods: dict[ResId, int] = {}
        for other, found in by_path.items():
            if self._clusters.share(path, other):
                spend(len(found), "looking for what ResourceQuotas limit")
                pods |= found
        return change.with_impact(impact_of_quota(before, after, pods))
