"""Which overlays are applied to one cluster, as far as the project and what deploys them say.

If one root deploys two overlays, they are of one cluster. If two roots do, they are of one if the repository
is bootstrapped in the Flux of one cluster and both have its source, and of two if the roots have one name, or
folders like ``clusters/east`` and ``clusters/west``. If that is not known, overlays that the project lists by
path are often sites with the same objects: two of them that had an object in common before the change count
as overlays of two clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from renderer.app.comparison.rendered_sides import RenderedSide, objects_of
from renderer.app.comparison.side import Side
from renderer.files.file_system import folder_of
from renderer.gitops.argocd.application import is_application_set
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend
from renderer.pipeline.deployers import Deployers
from renderer.pipeline.target_cluster import (
    Cluster,
    cluster_of,
    destination_of,
    engine_entry,
    known_cluster,
    may_be_one_cluster,
    may_be_one_destination,
)

#: In place of the entry of an overlay: that of one cluster may be several.
_ONLY_FLUX = "the only Flux"
_ACTIVITY, _STEPS_PER_PAIR = "looking for what overlays of one cluster share", 4


class _Place(NamedTuple):
    """The folder of an object that deploys an overlay, and the cluster that it deploys to, if known."""

    folder: str
    destination: str | None


class ClusterGroup(NamedTuple):
    """The cluster of an overlay, as far as it is known. Many overlays have equal values.

    ``known`` is None if neither the project nor an entry of an engine says which cluster it is.
    """

    known: tuple[str, ...] | None
    possible: Cluster

    def may_share(self, other: ClusterGroup) -> bool:
        """Return True if overlays of both groups may be applied to one cluster, whatever deploys them."""
        if self.known:
            return self.known == other.known
        return may_be_one_cluster(self.possible, other.possible)


def _group_on(side: Side, overlay: Overlay) -> ClusterGroup:
    """Return the group of an overlay of a side."""
    group = ClusterGroup(known_cluster(overlay), cluster_of(overlay))
    entry = overlay.deployer if group.known and not overlay.cluster else None
    if entry is None or not side.deployers.is_of_only_flux(entry):
        return group
    _, _, destination = group.possible
    return ClusterGroup(("", _ONLY_FLUX, destination), ("", _ONLY_FLUX, destination))


def clusters_on(sides: tuple[Side, Side]) -> tuple[Mapping[str, Cluster], Mapping[str, Cluster]]:
    """Return the cluster of each overlay on each side, by path, as far as it is known.

    That a repository has one Flux counts if it has one on both sides: the entry of another cluster may go.
    """
    has_entries = any(engine_entry(each) for side in sides for each in side.overlays.values())
    # Most often, only the side after has looked for deployers yet.
    has_one_flux = has_entries and all(side.deployers.has_only_flux for side in reversed(sides))
    before, after = (
        {
            path: _group_on(side, each).possible if has_one_flux else cluster_of(each)
            for path, each in side.overlays.items()
        }
        for side in sides
    )
    return before, after


class SharedClusters:
    """The overlays of two sides, and which of them share a cluster."""

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self._sides = sides
        #: The objects of each overlay before the change; of a new overlay, those that it has after it.
        self._objects: dict[str, frozenset[ObjectKey]] = {}
        self.group = cache(self._group_of)
        self._places = cache(self._places_of)
        self._relation = cache(self._relation_of)
        #: An object in each folder of those that deploy overlays.
        self._samples: dict[str, tuple[Deployers, Resource]] = {}

    def add(self, overlay: Overlay, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay that was compared."""
        self._objects[overlay.path] = frozenset(objects_of(before or after))

    def known(self, path: str) -> tuple[str, ...] | None:
        """Return the cluster of an overlay; None if neither the project nor an entry of an engine says it."""
        group = self.group(path)
        return group.known if group else None

    def _group_of(self, path: str) -> ClusterGroup | None:
        """Return the group of an overlay; None if neither side has the overlay."""
        before, after = self._sides
        side = after if path in after.overlays else before
        overlay = side.overlays.get(path)
        return None if overlay is None else _group_on(side, overlay)

    def share(self, path: str, other: str) -> bool:
        """Return True if two overlays are probably applied to one cluster, or are the same one."""
        spend(_STEPS_PER_PAIR, _ACTIVITY)
        if path == other:
            return True
        one, two = self.group(path), self.group(other)
        if one is None or two is None:
            return False
        if one.known and two.known:
            return one.known == two.known
        relation = self._relation(self._places(path), self._places(other))
        if relation is not None or one.known or two.known:
            return relation is True
        objects = self._objects.get(path, frozenset()), self._objects.get(other, frozenset())
        spend(min(map(len, objects)), _ACTIVITY)
        return one.may_share(two) and objects[0].isdisjoint(objects[1])

    def surely_share(self, path: str, other: str) -> bool:
        """Return True if two overlays are certainly applied to one cluster: one root deploys both."""
        clusters = self.known(path), self.known(other)
        if all(clusters):
            return clusters[0] == clusters[1]
        return self._relation(self._places(path), self._places(other)) is True

    def _relation_of(self, own: frozenset[_Place], others: frozenset[_Place]) -> bool | None:
        """Return True if one root deploys overlays to one cluster, False if it is surely another one.

        ``own`` and ``others`` are the places of what deploys them. None if that is not known.
        """
        spend(_STEPS_PER_PAIR * len(own) * len(others), _ACTIVITY)
        found = {self._are_of_one_cluster(each, its) for each, its in product(own, others)}
        if True in found:
            return True
        return False if found == {False} else None

    def _are_of_one_cluster(self, one: _Place, other: _Place) -> bool | None:
        if one.destination is None or other.destination is None:
            return None
        if not may_be_one_destination(one.destination, other.destination):
            return False
        (deployers, first), (_, second) = self._samples[one.folder], self._samples[other.folder]
        if one.folder == other.folder or deployers.are_rivals(first, second):
            return True if one.destination == other.destination else None
        if deployers.is_of_only_flux(first) and deployers.is_of_only_flux(second):
            return True if one.destination == other.destination else None
        if not deployers.has_root(first) or not deployers.has_root(second):
            return None
        return False if deployers.are_of_two_roots(first, second) else None

    def _places_of(self, path: str) -> frozenset[_Place]:
        """Return the places of what deploys an overlay, on the side that has it."""
        before, after = self._sides
        side = after if path in after.overlays else before
        overlay, found = side.overlays[path], set[_Place]()
        for deployer in side.deployers.of(overlay):
            folder, is_set = folder_of(deployer.origin.path), is_application_set(deployer)
            made = side.deployers.made_for(deployer, overlay).values() if is_set else (deployer,)
            self._samples.setdefault(folder, (side.deployers, deployer))
            found.update(_Place(folder, destination_of(each)) for each in made)
            if not made:
                found.add(_Place(folder, None))
        return frozenset(found)
