"""The fields in which two states of a virtual machine differ, of its own and from its instance type."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS
from renderer.model.difference import Effect, FieldChange, Impact
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, without
from renderer.model.release import Release

_SAME = Impact(Effect.NONE, "the VM stays the same")
_KEPT = Impact(
    Effect.NONE,
    "the VM keeps its ControllerRevision until its matcher names another object",
    "pkg/instancetype/revision/store.go syncStatusWithMatcher",
)
_KEPT_IN_STATUS = Impact(
    Effect.NONE,
    "the status of the VM goes on naming its ControllerRevision, until that is cleared",
    "pkg/instancetype/revision/store.go syncStatusWithMatcher",
)


def vm_changes(
    written: tuple[VirtualMachineView, VirtualMachineView],
    applied: tuple[VirtualMachineView, VirtualMachineView],
    release: Release,
) -> tuple[FieldChange, ...]:
    """Return the differences in the manifests, and further ones with instance types ``applied``.

    If no manifest has a matcher, both comparisons are the same. A change gets its impact from the applied
    machines if they decide it.
    """
    changes = field_changes(written[0].resource.content, written[1].resource.content)
    if all(one.resource is other.resource for one, other in zip(written, applied, strict=True)):
        return changes
    applied_changes = field_changes(applied[0].resource.content, applied[1].resource.content)
    template = written[1].paths.instance
    written_fields, applied_fields = ChangedFields(changes), ChangedFields(applied_changes)
    own = tuple(
        change._replace(impact=_SAME)
        if _is_inside(change, template) and not applied_fields.overlap(change)
        else change
        for change in changes
    )
    kept = _kept_revisions(*written, release)
    inherited = tuple(
        change._replace(inherited=True, impact=kept)
        for change in applied_changes
        if _is_inside(change, template) and not written_fields.overlap(change)
    )
    return own + inherited


def _is_inside(change: FieldChange, place: FieldPath) -> bool:
    return change.field.segments[: len(place.segments)] == place.segments


class ChangedFields:
    """The fields of changes."""

    def __init__(self, changes: Iterable[FieldChange]) -> None:
        self._fields = {each.field.segments for each in changes}
        self._around = {field[:length] for field in self._fields for length in range(len(field))}

    def overlap(self, change: FieldChange) -> bool:
        """Return True if one of them is the field of another change, inside it or around it."""
        field = change.field.segments
        return field in self._around or any(
            field[:length] in self._fields for length in range(len(field) + 1)
        )


def _kept_revisions(before: VirtualMachineView, after: VirtualMachineView, release: Release) -> Impact | None:
    """Return the impact on fields that come from copies that the cluster goes on using; None otherwise."""
    matchers = [(before.spec.get(key), after.spec.get(key)) for key in MATCHER_KEYS]
    if all(new is None for _, new in matchers):
        return None
    if all(old == new for old, new in matchers):
        return _KEPT
    if release < SINCE_REVISION_IN_STATUS:
        return None
    unpinned = (new in (old, without(object_at(old), "revisionName")) for old, new in matchers)
    return _KEPT_IN_STATUS if all(unpinned) else None
