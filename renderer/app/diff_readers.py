"""Machines that read an object which another overlay of their cluster has, and which changes or goes there.

Secrets are often an overlay of their own. What an overlay refers to and does not have is looked up in the
overlays of the same cluster (``pipeline/cluster_objects.py``), and so it is here. Where the cluster of an
overlay is not known, an object that several overlays have is none in particular.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.app.diff_side import RenderedSide
from renderer.diff.missing import (
    RemovedObjects,
    may_make_others,
    names_of,
    removed_objects,
    with_missing_objects,
)
from renderer.diff.reads import (
    ChangedObjects,
    ObjectName,
    changed_objects,
    named_objects,
    should_run,
    with_importer,
    with_readers,
)
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import CLUSTER_WIDE, NEEDED_KINDS, needs_of
from renderer.kubevirt.impact.reads import READ_FIELDS, read_by_importer
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.pipeline.target_cluster import engine_entry, may_share_cluster, surely_share_cluster


class _Reading(NamedTuple):
    """The objects of an overlay that name what it does not have, and the names of what it has.

    ``makers`` are its custom resources, for which operators may make objects that others name.
    """

    overlay: Overlay
    release: Release
    readers: tuple[Resource, ...]
    has: frozenset[ObjectName]
    makers: tuple[Resource, ...]


#: The kinds of objects that machines name.
_NAMED = frozenset({*READ_FIELDS, *NEEDED_KINDS})


class ReadersElsewhere:
    """The machines of all overlays that read objects of other overlays."""

    def __init__(self) -> None:
        self._readings: dict[str, _Reading] = {}
        #: All overlays, also those that are gone after the change.
        self._overlays: dict[str, Overlay] = {}

    def add(self, overlay: Overlay, rendered: RenderedSide | None) -> None:
        """Add an overlay, as it is after the change."""
        self._overlays[overlay.path] = overlay
        content = rendered.content if rendered else None
        if content is None:
            return
        has = frozenset(ObjectName.of(each.current_id) for each in content.written if each.kind in _NAMED)
        readers = tuple(
            each
            for each in content.written
            if not all(map(has.intersection, _names_read(each, content.release)))
        )
        makers = tuple(filter(may_make_others, content.written))
        self._readings[overlay.path] = _Reading(overlay, content.release, readers, has, makers)

    def added_to(self, differences: Sequence[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences, with machines that read or need an object of another overlay."""
        removed = {
            each.path: removed_objects(each.changes, each.path)
            for each in differences
            if each.path in self._overlays
        }
        changed = {
            each.path: changed_objects(each.changes, each.path)
            for each in differences
            if each.path in self._readings
        }
        found = [self._with_missing(self._with_readers(each, changed), removed) for each in differences]
        return [self._with_importers(each) for each in found] if any(changed.values()) else found

    def _with_readers(
        self, difference: OverlayDifference, changed: dict[str, ChangedObjects]
    ) -> OverlayDifference:
        reading = self._readings.get(difference.path)
        if reading is None or not reading.readers:
            return difference
        objects = {
            name: object_
            for path, others in changed.items()
            for name, object_ in others.items()
            if self._is_of(name, self._readings[path], reading)
        }
        if not objects:
            return difference
        changes = with_readers(difference.changes, reading.readers, reading.release, should_run, objects)
        return _with_changes(difference, changes)

    def _with_missing(
        self, difference: OverlayDifference, removed: Mapping[str, RemovedObjects]
    ) -> OverlayDifference:
        """Return a difference, with its machines that need what is removed from another overlay."""
        reading = self._readings.get(difference.path)
        if reading is None or not reading.readers:
            return difference
        objects = {
            name: object_
            for path, others in removed.items()
            for name, object_ in others.items()
            if self._was_of(name, path, reading, removed)
        }
        makers = [
            maker
            for each in (self._readings.values() if objects else ())
            if may_share_cluster(reading.overlay, each.overlay)
            for maker in each.makers
        ]
        changes = with_missing_objects(difference.changes, reading.readers, makers, reading.release, objects)
        return _with_changes(difference, changes)

    def _was_of(
        self, name: ObjectName, path: str, reading: _Reading, removed: Mapping[str, RemovedObjects]
    ) -> bool:
        """Return True if an overlay that lacks a removed object got it from the overlay at ``path``."""
        one, other = reading.overlay, self._overlays[path]
        is_named_alone = name.namespace or name.kind in CLUSTER_WIDE
        if one is other or not is_named_alone or self._has_any(name, one):
            return False
        if one.cluster or engine_entry(one):
            return surely_share_cluster(one, other)
        had = [each for each, objects in removed.items() if name in objects]
        return may_share_cluster(one, other) and had == [path]

    def _is_of(self, name: ObjectName, owner: _Reading, reading: _Reading) -> bool:
        """Return True if an overlay that lacks the object gets it from ``owner``."""
        if owner is reading or name in reading.has or not name.namespace:
            return False
        one, other = reading.overlay, owner.overlay
        if one.cluster or engine_entry(one):
            return surely_share_cluster(one, other)
        others = [each for each in self._readings.values() if name in each.has]
        return may_share_cluster(one, other) and others == [owner]

    def _has_any(self, name: ObjectName, overlay: Overlay) -> bool:
        """Return True if an overlay that may go to the cluster of ``overlay`` has an object."""
        return any(
            name in each.has and may_share_cluster(overlay, each.overlay) for each in self._readings.values()
        )

    def _with_importers(self, difference: OverlayDifference) -> OverlayDifference:
        """Return a difference with the imports of other overlays that read its changed objects."""
        owner = self._readings.get(difference.path)
        objects = changed_objects(difference.changes)
        if owner is None or not objects:
            return difference
        found = {change.id: change for change in difference.changes}
        for reading in self._readings.values():
            for resource in reading.readers:
                for name in _imported(resource):
                    object_ = objects.get(name)
                    if object_ is not None and self._is_of(name, owner, reading):
                        found[object_.change.id] = with_importer(found[object_.change.id], resource)
        return difference._replace(changes=tuple(found.values()))


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


def _with_changes(difference: OverlayDifference, changes: Sequence[ResourceChange]) -> OverlayDifference:
    """Return a difference with further changes, of machines that were equal."""
    equal = difference.equal - (len(changes) - len(difference.changes))
    return difference._replace(changes=tuple(sorted(changes, key=ResourceChange.order)), equal=equal)
