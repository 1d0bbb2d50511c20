"""Machines that read an object which another overlay of their cluster has, and which changes there.

Secrets are often an overlay of their own. What an overlay refers to and does not have is looked up in the
overlays of the same cluster (``pipeline/cluster_objects.py``), and so it is here. Where the cluster of an
overlay is not known, an object that several overlays have is none in particular.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from renderer.app.diff_side import RenderedSide
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
from renderer.kubevirt.impact.reads import READ_FIELDS, read_by_importer
from renderer.model.difference import OverlayDifference, ResourceChange
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.pipeline.target_cluster import engine_entry, may_share_cluster, surely_share_cluster


class _Reading(NamedTuple):
    """The objects of an overlay that name what it does not have, and the names of what it has."""

    overlay: Overlay
    release: Release
    readers: tuple[Resource, ...]
    has: frozenset[ObjectName]


class ReadersElsewhere:
    """The machines of all overlays that read objects of other overlays."""

    def __init__(self) -> None:
        self._readings: dict[str, _Reading] = {}

    def add(self, overlay: Overlay, rendered: RenderedSide | None) -> None:
        """Add an overlay, as it is after the change."""
        content = rendered.content if rendered else None
        if content is None:
            return
        has = frozenset(
            ObjectName.of(each.current_id) for each in content.written if each.kind in READ_FIELDS
        )
        readers = tuple(
            each for each in content.written if not has.issuperset(_names_read(each, content.release))
        )
        self._readings[overlay.path] = _Reading(overlay, content.release, readers, has)

    def added_to(self, differences: Sequence[OverlayDifference]) -> list[OverlayDifference]:
        """Return the differences, with machines that read a changed object of another overlay."""
        changed = {
            each.path: changed_objects(each.changes, each.path)
            for each in differences
            if each.path in self._readings
        }
        found = [self._with_readers(each, changed) for each in differences]
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
        equal = difference.equal - (len(changes) - len(difference.changes))
        ordered = tuple(sorted(changes, key=ResourceChange.order))
        return difference._replace(changes=ordered, equal=equal)

    def _is_of(self, name: ObjectName, owner: _Reading, reading: _Reading) -> bool:
        """Return True if an overlay that lacks the object gets it from ``owner``."""
        if owner is reading or name in reading.has or not name.namespace:
            return False
        one, other = reading.overlay, owner.overlay
        if one.cluster or engine_entry(one):
            return surely_share_cluster(one, other)
        others = [each for each in self._readings.values() if name in each.has]
        return may_share_cluster(one, other) and others == [owner]

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


def _names_read(resource: Resource, release: Release) -> Iterable[ObjectName]:
    machine = VirtualMachineView.of(resource)
    yield from () if machine is None else named_objects(machine, release)
    yield from _imported(resource)


def _imported(resource: Resource) -> Iterator[ObjectName]:
    for kind, name in read_by_importer(resource.content):
        yield ObjectName(kind, resource.namespace, name)
