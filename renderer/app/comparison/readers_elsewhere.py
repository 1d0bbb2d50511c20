"""Machines that read an object of another overlay of their cluster, which changes or removes it.

Secrets are often an overlay of their own. What an overlay refers to and does not have is looked up in the
overlays of the same cluster (``pipeline/cluster_objects.py``), and so it is here. If the cluster of an
overlay is not known, an object that several overlays have does not count: it may read any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.shared_clusters import ClusterGroup, SharedClusters
from renderer.diff.missing import Makers, may_make_others, names_of, removed_objects, with_missing_objects
from renderer.diff.reads import (
    ChangedObject,
    ObjectName,
    changed_objects,
    named_objects,
    should_run,
    with_importer,
    with_readers,
    without_index,
)
from renderer.kubevirt.facts.made_networks import made_networks
from renderer.kubevirt.facts.made_secrets import made_secrets
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import CLUSTER_WIDE, NEEDED_KINDS, needs_of
from renderer.kubevirt.impact.reads import READ_FIELDS, read_by_importer
from renderer.model.difference import OverlayDifference
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.run.work import spend
from renderer.pipeline.target_cluster import Cluster, may_be_one_cluster

#: The kinds of objects that machines name.
_NAMED = frozenset({*READ_FIELDS, *NEEDED_KINDS})
#: Steps for an overlay and an object of another one that it may get.
_STEPS_PER_PAIR, _ACTIVITY = 12, "looking for what overlays of one cluster share"


class _Reading(NamedTuple):
    """The objects of an overlay that name what it does not have, and the names of what it has.

    ``wanted`` are all names that these objects name. ``makers`` are its custom resources.
    """

    path: str
    group: ClusterGroup
    release: Release
    readers: tuple[Resource, ...]
    wanted: frozenset[ObjectName]
    has: frozenset[ObjectName]
    makers: tuple[Resource, ...]


class _Owned(NamedTuple):
    """An object that the overlay at ``path`` changes or removes; ``number`` is its position among all."""

    number: int
    path: str
    name: ObjectName
    object_: ChangedObject


class _OwnedObjects:
    """The objects that overlays change or remove, by what machines may name them by."""

    def __init__(self, objects: Mapping[str, Mapping[ObjectName, ChangedObject]]) -> None:
        self.by_name: dict[ObjectName, list[_Owned]] = {}
        self._by_base: dict[ObjectName, list[_Owned]] = {}
        every = ((path, *item) for path, own in objects.items() for item in own.items())
        for number, (path, name, object_) in enumerate(every):
            owned = _Owned(number, path, name, object_)
            self.by_name.setdefault(name, []).append(owned)
            if base := without_index(name):
                self._by_base.setdefault(base, []).append(owned)

    def wanted_by(self, reading: _Reading) -> Iterator[_Owned]:
        """Yield the objects that an overlay names; of pools, also those with an index."""
        found: dict[tuple[str, ObjectName], _Owned] = {}
        for name in reading.wanted:
            for owned in (*self.by_name.get(name, ()), *self._by_base.get(name, ())):
                spend(_STEPS_PER_PAIR, _ACTIVITY)
                found[owned.path, owned.name] = owned
        yield from sorted(found.values(), key=lambda each: each.number)


class ReadersElsewhere:
    """The machines of all overlays that read objects of other overlays."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._readings: dict[str, _Reading] = {}
        #: The groups of all overlays, also of those that are gone after the change.
        self._groups: dict[str, ClusterGroup] = {}
        self._clusters = clusters

    def add(self, path: str, rendered: RenderedSide | None) -> None:
        """Add an overlay, as it is after the change."""
        group = self._clusters.group(path)
        if group is None:
            return
        self._groups[path] = group
        content = rendered.content if rendered else None
        if content is None:
            return
        own = (each.current_id for each in content.written if each.kind in _NAMED)
        made = (one for each in content.written for one in (*made_secrets(each), *made_networks(each)))
        has = frozenset(map(ObjectName.of, (*own, *made)))
        readers: list[Resource] = []
        wanted: set[ObjectName] = set()
        for each in content.written:
            names = [*_names_read(each, content.release)]
            if not all(map(has.intersection, names)):
                readers.append(each)
                wanted.update(chain.from_iterable(names))
        makers = tuple(filter(may_make_others, content.written))
        self._readings[path] = _Reading(
            path, group, content.release, tuple(readers), frozenset(wanted), has, makers
        )

    def added_to(self, differences: Sequence[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences, with machines that read or need an object of another overlay."""
        removed = {
            each.path: removed_objects(each.changes, each.path)
            for each in differences
            if each.path in self._groups
        }
        changed = {
            each.path: changed_objects(each.changes, each.path)
            for each in differences
            if each.path in self._readings
        }
        if not any((*removed.values(), *changed.values())):
            return [*differences]
        owned = _OwnedObjects(removed), _OwnedObjects(changed)
        names = owned[0].by_name.keys() | owned[1].by_name.keys()
        states = _States([*self._readings.values()], names)
        found = [self._with_other_objects(each, *owned, states) for each in differences]
        return [self._with_importers(each, states) for each in found] if any(changed.values()) else found

    def objects(self) -> frozenset[ObjectName]:
        """Return the objects of all overlays after the change that a machine may name."""
        return frozenset(name for each in self._readings.values() for name in each.has)

    def made_names(self) -> frozenset[str]:
        """Return the names of what operators may make for an overlay."""
        return Makers(maker for each in self._readings.values() for maker in each.makers).names

    def _with_other_objects(
        self, difference: OverlayDifference, removed: _OwnedObjects, changed: _OwnedObjects, states: _States
    ) -> OverlayDifference:
        """Return a difference, with its machines that read or need what other overlays change or remove."""
        reading = self._readings.get(difference.path)
        if reading is None or not reading.readers:
            return difference
        release, changes = reading.release, difference.changes
        read = {
            each.name: each.object_
            for each in changed.wanted_by(reading)
            if states.is_of(each.name, self._readings[each.path], reading)
        }
        if read:
            changes = tuple(with_readers(changes, reading.readers, release, should_run, read))
        needed = {
            each.name: each.object_
            for each in removed.wanted_by(reading)
            if self._was_of(each, reading, removed, states)
        }
        may_make = partial(states.may_make, reading.group.possible)
        found = with_missing_objects(changes, reading.readers, may_make, release, needed)
        return difference.with_changes(found) if read or needed else difference

    def _was_of(self, owned: _Owned, reading: _Reading, removed: _OwnedObjects, states: _States) -> bool:
        """Return True if an overlay that lacks a removed object got it from the overlay that removes it."""
        name, group = owned.name, reading.group
        is_named_alone = name.namespace or name.kind in CLUSTER_WIDE
        if owned.path == reading.path or not is_named_alone or states.has_any(name, group.possible):
            return False
        is_one = bool(group.known) or len(removed.by_name[name]) == 1
        return is_one and group.may_share(self._groups[owned.path])

    def _with_importers(self, difference: OverlayDifference, states: _States) -> OverlayDifference:
        """Return a difference with the imports of other overlays that read its changed objects."""
        owner = self._readings.get(difference.path)
        objects = changed_objects(difference.changes)
        if owner is None or not objects:
            return difference
        found = {change.id: change for change in difference.changes}
        for name, object_ in objects.items():
            for reading, resource in states.importers.get(name, ()):
                spend(_STEPS_PER_PAIR, _ACTIVITY)
                if states.is_of(name, owner, reading):
                    found[object_.change.id] = with_importer(found[object_.change.id], resource)
        return difference._replace(changes=tuple(found.values()))


class _States:
    """The objects of all overlays after the change, to look up any of ``names``."""

    def __init__(self, readings: Sequence[_Reading], names: set[ObjectName]) -> None:
        self._readings = readings
        self._names = names
        self._may_make: dict[Cluster, Sequence[frozenset[str]]] = {}

    @cached_property
    def having(self) -> Mapping[ObjectName, Sequence[_Reading]]:
        """The overlays that have an object."""
        found: dict[ObjectName, list[_Reading]] = {}
        for each in self._readings:
            for name in each.has & self._names:
                found.setdefault(name, []).append(each)
        return found

    @cached_property
    def importers(self) -> Mapping[ObjectName, Sequence[tuple[_Reading, Resource]]]:
        """The objects for which CDI reads an object while it fills their disks."""
        found: dict[ObjectName, list[tuple[_Reading, Resource]]] = {}
        for each in self._readings:
            for resource in each.readers:
                for name in self._names.intersection(_imported(resource)):
                    found.setdefault(name, []).append((each, resource))
        return found

    @cached_property
    def _makers(self) -> Mapping[Cluster, frozenset[str]]:
        """The names that operators may give to what they make, by the cluster of what they make it for."""
        found: dict[Cluster, list[Resource]] = {}
        for each in self._readings:
            found.setdefault(each.group.possible, []).extend(each.makers)
        return {cluster: Makers(makers).names for cluster, makers in found.items() if makers}

    def may_make(self, cluster: Cluster, name: str) -> bool:
        """Return True if an operator of a cluster, or of one that may be the same, may make an object."""
        if cluster not in self._may_make:
            spend(len(self._makers), _ACTIVITY)
            self._may_make[cluster] = [
                names for other, names in self._makers.items() if may_be_one_cluster(cluster, other)
            ]
        spend(len(self._may_make[cluster]), _ACTIVITY)
        return any(name in names for names in self._may_make[cluster])

    def has_any(self, name: ObjectName, cluster: Cluster) -> bool:
        """Return True if an overlay that may go to a cluster has an object."""
        having = self.having.get(name, ())
        spend(len(having), _ACTIVITY)
        return any(may_be_one_cluster(cluster, each.group.possible) for each in having)

    def is_of(self, name: ObjectName, owner: _Reading, reading: _Reading) -> bool:
        """Return True if an overlay that lacks the object gets it from ``owner``."""
        if owner is reading or name in reading.has or not name.namespace:
            return False
        having = self.having.get(name, ())
        is_one = bool(reading.group.known) or (len(having) == 1 and having[0] is owner)
        return is_one and reading.group.may_share(owner.group)


def _names_read(resource: Resource, release: Release) -> Iterator[tuple[ObjectName, ...]]:
    """Yield the names of each object that a resource reads or needs, one of which will do."""
    machine = VirtualMachineView.of(resource)
    if machine is not None:
        yield from ((each,) for each in named_objects(machine, release))
        yield from (names_of(machine, each) for each in needs_of(machine, release))
    yield from ((each,) for each in _imported(resource))


def _imported(resource: Resource) -> Iterator[ObjectName]:
    for kind, name in read_by_importer(resource.content):
        yield ObjectName(kind, resource.namespace, name)
