"""NetworkPolicies that no longer allow connections of running machines of other overlays.

A machine that several overlays have is not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.diff.network_policies import (
    Cuts,
    Policies,
    cut_connections,
    is_policy,
    may_cut_connections,
    with_cuts,
)
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import OverlayDifference
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource


class PoliciesElsewhere:
    """The NetworkPolicies and machines of all overlays before and after a change."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        #: The objects of each overlay by namespace, on both sides.
        self._objects: dict[str, dict[str, tuple[list[Resource], list[Resource]]]] = {}
        self._by_cluster = cache(self._by_cluster_of)

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        for number, side in enumerate((before, after)):
            for each in written_of(side):
                if is_policy(each.current_id) or VirtualMachineView.of(each):
                    found = self._objects.setdefault(each.namespace, {})
                    found.setdefault(path, ([], []))[number].append(each)

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with the policies that cut off machines of other overlays."""
        found = [*differences]
        judged = {
            each.path: {change.id for change in each.changes if may_cut_connections(change)} for each in found
        }
        concerned = frozenset(id_ for each in judged.values() for id_ in each)

        @cache
        def cuts_in(namespace: str, paths: frozenset[str]) -> Cuts:
            every = [self._objects[namespace][path] for path in sorted(paths)]
            before, after = ([each for side in every for each in side[number]] for number in (0, 1))
            number = Counter(each.current_id for each in before)
            single = (each for each in before if is_policy(each.current_id) or number[each.current_id] == 1)
            return cut_connections(concerned, Policies(single), Policies(after))

        for each in found:
            cuts: dict[ResId, Mapping[str, Sequence[ResId]]] = {}
            for namespace in sorted({id_.namespace for id_ in judged[each.path]}):
                paths = self._paths(namespace, each.path)
                if len(paths) > 1 and each.path in paths:
                    cuts |= cuts_in(namespace, paths)
            yield each._replace(changes=tuple(with_cuts(each.changes, cuts))) if cuts else each

    def _paths(self, namespace: str, path: str) -> frozenset[str]:
        """Return the overlays of the cluster of an overlay that have machines or policies in a namespace."""
        clusters = self._clusters
        if (cluster := clusters.known(path)) is None:
            return frozenset(each for each in self._objects.get(namespace, ()) if clusters.share(path, each))
        by_cluster = self._by_cluster(namespace)
        found = by_cluster.get(cluster, frozenset())
        beside = {each for each in by_cluster.get(None, ()) if clusters.surely_share(path, each)}
        return found | beside if beside else found  # the same set for all of its overlays is judged once

    def _by_cluster_of(self, namespace: str) -> Mapping[tuple[str, ...] | None, frozenset[str]]:
        """Return the overlays with machines or policies in a namespace, by cluster; None if it is unknown."""
        found: dict[tuple[str, ...] | None, set[str]] = {}
        for path in self._objects.get(namespace, ()):
            found.setdefault(self._clusters.known(path), set()).add(path)
        return {cluster: frozenset(paths) for cluster, paths in found.items()}
