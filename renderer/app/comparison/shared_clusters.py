"""Which overlays are applied to one cluster, as far as the project and what deploys them say.

Overlays that the project lists by path are often sites with the same objects. So two of them that had an
object in common before the change are taken for overlays of two clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from renderer.app.comparison.side import RenderedSide, Side, objects_of
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.pipeline.deployers import Deployers
from renderer.pipeline.target_cluster import (
    certain_cluster,
    engine_entry,
    may_be_one_destination,
    may_share_cluster,
)

_ACTIVITY, _STEPS_PER_PAIR = "looking for what overlays of one cluster share", 4


class SharedClusters:
    """The overlays of two sides, and which of them share a cluster."""

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self._sides = sides
        #: The objects of each overlay before the change; of a new overlay, those that it has after it.
        self._objects: dict[str, frozenset[ObjectKey]] = {}
        self._deployers = cache(self._deployers_of)

    def add(self, overlay: Overlay, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay that was compared."""
        self._objects[overlay.path] = frozenset(objects_of(before or after))

    def known(self, path: str) -> tuple[str, ...] | None:
        """Return the cluster of an overlay; None if neither the project nor an entry of an engine says it."""
        found = self._overlay(path)
        return certain_cluster(found) if found and (found.cluster or engine_entry(found)) else None

    def share(self, path: str, other: str) -> bool:
        """Return True if two overlays are probably applied to one cluster."""
        spend(_STEPS_PER_PAIR, _ACTIVITY)
        one, two = self._overlay(path), self._overlay(other)
        if one is None or two is None:
            return False
        if self.surely_share(path, other):
            return True
        clusters = self.known(path), self.known(other)
        if any(clusters):
            return clusters[0] == clusters[1]
        if (_is_unlisted(one) or _is_unlisted(two)) and self._surely_differ(path, other):
            return False
        objects = self._objects.get(path, frozenset()), self._objects.get(other, frozenset())
        spend(min(map(len, objects)), _ACTIVITY)
        return may_share_cluster(one, two) and objects[0].isdisjoint(objects[1])

    def surely_share(self, path: str, other: str) -> bool:
        """Return True if one root deploys two overlays, one of which the project does not list."""
        one, two = self._overlay(path), self._overlay(other)
        if one is None or two is None or not (_is_unlisted(one) or _is_unlisted(two)):
            return False
        return any(
            may_be_one_destination(each, its) and _are_near(deployers, each, its)
            for deployers, each, its in self._pairs(path, other)
        )

    def _surely_differ(self, path: str, other: str) -> bool:
        """Return True if all objects that deploy two overlays are of other roots or clusters."""
        found = [
            (deployers.has_root(each) and deployers.has_root(its)) or not may_be_one_destination(each, its)
            for deployers, each, its in self._pairs(path, other)
        ]
        return bool(found) and all(found)

    def _pairs(self, path: str, other: str) -> Iterator[tuple[Deployers, Resource, Resource]]:
        """Yield each pair of objects that deploy two overlays, and what deploys these."""
        (deployers, own), (_, others) = self._deployers(path), self._deployers(other)
        spend(_STEPS_PER_PAIR * len(own) * len(others), _ACTIVITY)
        for each, its in product(own, others):
            yield deployers, each, its

    def is_unlisted(self, path: str) -> bool:
        """Return True if the project does not list an overlay."""
        found = self._overlay(path)
        return found is not None and _is_unlisted(found)

    def _overlay(self, path: str) -> Overlay | None:
        before, after = self._sides
        return after.overlays.get(path) or before.overlays.get(path)

    def _deployers_of(self, path: str) -> tuple[Deployers, tuple[Resource, ...]]:
        """Return all that deploys something on the side that has an overlay, and what deploys that."""
        before, after = self._sides
        side = after if path in after.overlays else before
        return side.deployers, side.deployers.of(side.overlays[path])


def _are_near(deployers: Deployers, one: Resource, other: Resource) -> bool:
    """Return True if two objects are probably applied to one cluster: a set makes both, or they are near."""
    return one.origin.document_place == other.origin.document_place or deployers.are_rivals(one, other)


def _is_unlisted(overlay: Overlay) -> bool:
    return overlay.entry is not None and not overlay.listed_as
