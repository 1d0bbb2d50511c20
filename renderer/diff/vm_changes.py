"""The changes of a virtual machine: those in its manifest, and those that come from its instance type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.kubevirt.lists import field_changes
from renderer.kubevirt.virtual_machine import VirtualMachineView
from renderer.model.difference import Effect, FieldChange, Impact
from renderer.model.field_path import FieldPath

_MATCHERS = ("instancetype", "preference")
_SAME = Impact(Effect.NONE, "the VM comes to the same")
_KEPT = Impact(
    Effect.NONE,
    "the VM keeps the ControllerRevision it has: it follows under another name only",
    "pkg/instancetype/revision/store.go syncStatusWithMatcher",
)


def vm_changes(
    written: tuple[VirtualMachineView, VirtualMachineView],
    applied: tuple[VirtualMachineView, VirtualMachineView],
) -> tuple[FieldChange, ...]:
    """Return what differs in the manifests, and what else with instance types ``applied`` to them.

    Where matchers are in no manifest, both are the same. A change that is decided by that has its impact.
    """
    changes = field_changes(written[0].resource.content, written[1].resource.content)
    if all(one.resource is other.resource for one, other in zip(written, applied, strict=True)):
        return changes
    seen = field_changes(applied[0].resource.content, applied[1].resource.content)
    template = written[1].paths.instance
    own = tuple(
        change._replace(impact=_SAME)
        if _is_below(change, template) and not _is_among(change, seen)
        else change
        for change in changes
    )
    kept = _KEPT if _keeps_revisions(*written) else None
    inherited = tuple(
        change._replace(inherited=True, impact=kept)
        for change in seen
        if _is_below(change, template) and not _is_among(change, changes)
    )
    return own + inherited


def _is_below(change: FieldChange, place: FieldPath) -> bool:
    return change.field.segments[: len(place.segments)] == place.segments


def _is_among(change: FieldChange, others: Iterable[FieldChange]) -> bool:
    """Tell whether any of the others is of the same field, or of one in it or around it."""
    segments = change.field.segments
    return any(
        all(one == other for one, other in zip(segments, each.field.segments, strict=False))
        for each in others
    )


def _keeps_revisions(before: VirtualMachineView, after: VirtualMachineView) -> bool:
    """Tell whether the cluster goes on with the copies of instance type and preference that it has stored."""
    matchers: Sequence[tuple[object, object]] = [
        (before.spec.get(key), after.spec.get(key)) for key in _MATCHERS
    ]
    return all(old == new for old, new in matchers) and any(new is not None for _, new in matchers)
