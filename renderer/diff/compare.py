"""Compares one overlay on its two sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from renderer.diff.alignment import is_same
from renderer.diff.confidential import without_secrets
from renderer.diff.field_changes import FieldComparer
from renderer.diff.impact.cluster import Cluster
from renderer.diff.impact.judge import judged
from renderer.diff.impact.update import Update
from renderer.diff.machine import Machine
from renderer.diff.machine_changes import machine_changes
from renderer.diff.match import match
from renderer.diff.totals import totals_of
from renderer.kubevirt.confidential import secret_values
from renderer.model.difference import (
    ChangeType,
    Effect,
    FieldChange,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
    worst,
)
from renderer.model.json import EMPTY, JsonObject
from renderer.model.release import Release
from renderer.model.res_id import ResId
from renderer.model.resource import Resource

Resources: TypeAlias = tuple[Resource, ...]

_MATCHERS = ("instancetype", "preference")
_DELETED = Impact(Effect.DELETED, "deleted with the disks that it owns, once it is pruned")
_REPLACED = Impact(Effect.REPLACED, "under the new name another VM is made, with new disks")


class OverlaySide(NamedTuple):
    """One overlay on one side: ``written`` are its manifests.

    ``applied`` are its virtual machines as KubeVirt sees them, with their instance types, by what they are
    called; only those that are written otherwise. ``refused`` says of resources why the cluster would not
    take them. ``kubevirt`` is the cluster's KubeVirt object, empty where the repository has none.
    """

    release: Release
    written: Resources = ()
    applied: Mapping[ResId, Resource] = {}
    refused: Mapping[ResId, str] = {}
    kubevirt: JsonObject = EMPTY


class OverlayComparer:
    """Compares the overlays of one run."""

    def __init__(self) -> None:
        self._fields = FieldComparer()

    def compare(
        self, path: str, name: str, before: OverlaySide | None, after: OverlaySide | None
    ) -> OverlayDifference:
        """What is to be told of an overlay that is on one side at least."""
        old = before.written if before else ()
        new = after.written if after else ()
        matched = match(old, new)
        pairs = [(pair, ChangeType.CHANGED) for pair in matched.same]
        pairs += [(pair, ChangeType.RENAMED) for pair in matched.renamed]
        comparison = _Comparison(self._fields, before or _nothing(after), after or _nothing(before))
        changes = [
            *(comparison.removed(resource) for resource in matched.removed),
            *(comparison.added(resource) for resource in matched.added),
            *(change for pair, kind in pairs for change in comparison.changed(*pair, kind)),
        ]
        return OverlayDifference(
            path=path,
            name=name,
            releases=(before.release if before else None, after.release if after else None),
            changes=tuple(sorted(changes, key=_order)),
            equal=len(pairs)
            - sum(change.type in (ChangeType.CHANGED, ChangeType.RENAMED) for change in changes),
            totals=(_totals(before), _totals(after)),
        )


def _nothing(other: OverlaySide | None) -> OverlaySide:
    assert other is not None  # noqa: S101 - an overlay is on one side at least
    return OverlaySide(other.release)


def _order(change: ResourceChange) -> tuple[str, str, str]:
    return change.id.gvk.kind, change.id.namespace, change.id.name


def _totals(side: OverlaySide | None) -> Totals | None:
    if side is None:
        return None
    machines = (Machine.of(side.applied.get(each.current_id, each)) for each in side.written)
    return totals_of(machine for machine in machines if machine is not None)


class _Comparison:
    """Two sides of one overlay."""

    def __init__(self, fields: FieldComparer, before: OverlaySide, after: OverlaySide) -> None:
        self._fields = fields
        self._before = before
        self._after = after
        self._cluster = Cluster.of(after.release, after.kubevirt)

    def removed(self, resource: Resource) -> ResourceChange:
        impact = None if Machine.of(resource) is None else _DELETED
        return ResourceChange(ChangeType.REMOVED, resource.current_id, None, (), impact)

    def added(self, resource: Resource) -> ResourceChange:
        return ResourceChange(ChangeType.ADDED, None, resource.current_id, (), self._refusal(resource))

    def changed(self, before: Resource, after: Resource, kind: ChangeType) -> Iterator[ResourceChange]:
        """One change, or none when both are equal, and would be in the cluster."""
        fields = self._field_changes(before, after)
        impact = self._refusal(after)
        if impact is not None and _has_matchers(before) is not _has_matchers(after):
            fields = ()  # one side is not expanded, and nothing can be told from the difference
        elif not fields and kind is ChangeType.CHANGED:
            return
        if impact is None and Machine.of(after) is not None:
            impacts = [field.impact for field in fields if field.impact is not None]
            impact = _REPLACED if kind is ChangeType.RENAMED else worst(impacts)
        shown = tuple(without_secrets(field, after.kind, self._secrets) for field in fields)
        yield ResourceChange(kind, before.current_id, after.current_id, shown, impact)

    @cached_property
    def _secrets(self) -> frozenset[str]:
        return secret_values(each.content for side in (self._before, self._after) for each in side.written)

    def _field_changes(self, before: Resource, after: Resource) -> tuple[FieldChange, ...]:
        written = Machine.of(before), Machine.of(after)
        applied = self._applied(before, after)
        if is_same(before.content, after.content) and is_same(applied[0].content, applied[1].content):
            return ()
        if written[0] is None or written[1] is None:
            return self._fields.changes(before.content, after.content)
        seen = Machine.of(applied[0]), Machine.of(applied[1])
        if seen[0] is None or seen[1] is None:
            return ()
        changes = machine_changes(self._fields, (written[0], written[1]), (seen[0], seen[1]))
        if self._refusal(after) is not None or before.current_id != after.current_id:
            return tuple(change._replace(impact=None) for change in changes)
        update = Update(seen[0], seen[1], self._cluster, written[0].spec, written[1].spec)
        return judged(update, changes)

    def _applied(self, before: Resource, after: Resource) -> tuple[Resource, Resource]:
        """As KubeVirt sees them; as they are written unless it sees both."""
        old = self._before.applied.get(before.current_id, before)
        new = self._after.applied.get(after.current_id, after)
        if _has_matchers(old) or _has_matchers(new):
            return before, after
        return old, new

    def _refusal(self, resource: Resource) -> Impact | None:
        reason = self._after.refused.get(resource.current_id)
        return None if reason is None else Impact(Effect.REFUSED, reason)


def _has_matchers(resource: Resource) -> bool:
    """Whether something is still to be applied to it: it could not be."""
    machine = Machine.of(resource)
    return machine is not None and any(machine.spec.get(key) is not None for key in _MATCHERS)
