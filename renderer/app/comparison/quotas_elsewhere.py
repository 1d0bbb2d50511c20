"""Quotas, LimitRanges and Namespaces that keep running machines of any overlay of a cluster from starting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.diff.quotas import (
    LauncherPods,
    impact_of_limits,
    limited_namespaces,
    limits_pods,
    may_keep_from_starting,
    running_pods,
)
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend


class QuotasElsewhere:
    """The quotas, LimitRanges and Namespaces of all overlays, and the pods of machines by namespace."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        #: What limits pods before and after the change, by overlay.
        self._quotas: tuple[dict[tuple[str, ResId], Resource], dict[tuple[str, ResId], Resource]] = {}, {}
        self._pods: dict[str, dict[str, dict[ResId, LauncherPods]]] = {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        for side, quotas in zip((before, after), self._quotas, strict=True):
            quotas.update({(path, each.current_id): each for each in filter(limits_pods, written_of(side))})
        content = after.content if after else None
        config = content.cluster().config if content else DEFAULT_CONFIG
        applied = content.applied if content else {}
        for each in written_of(after):
            if pods := running_pods(applied.get(each.current_id, each), config):
                found = self._pods.setdefault(each.namespace, {}).setdefault(path, {})
                found[each.current_id] = pods

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with those that keep machines from starting again."""
        for each in differences:
            changes = tuple(self._judged(change, each.path) for change in each.changes)
            yield each._replace(changes=changes)

    def _judged(self, change: ResourceChange, path: str) -> ResourceChange:
        before, after = (quotas.get((path, change.id)) for quotas in self._quotas)
        if after is None or not may_keep_from_starting(change):
            return change
        limits = self._quotas[1]
        near = (each for (other, _), each in limits.items() if self._clusters.share(path, other))
        pods: dict[ResId, LauncherPods] = {}
        for namespace in limited_namespaces(after, near):
            for other, found in self._pods.get(namespace, {}).items():
                if self._clusters.share(path, other):
                    spend(len(found), "looking for what quotas and LimitRanges limit")
                    pods |= found
        return change.with_impact(impact_of_limits(before, after, pods, limits.values()))
