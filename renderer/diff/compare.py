"""Compare one overlay on its two sides: pair their resources, then judge each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.diff.autoscalers import with_scaling
from renderer.diff.deletions import Deletions, disks_of
from renderer.diff.equal_changes import EqualChanges
from renderer.diff.images import image_moves
from renderer.diff.masking import shown_guest, without_secret_words
from renderer.diff.match import match
from renderer.diff.missing import Makers, removed_objects, with_missing_objects
from renderer.diff.network_policies import with_cut_connections
from renderer.diff.orders import with_orders
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.reads import should_run, with_reads
from renderer.diff.services import with_lost_machines
from renderer.diff.shared_claims import with_shared_claims
from renderer.diff.sides import Sides
from renderer.diff.totals import totals_after, totals_before
from renderer.diff.update_judge import NO_CHANGES, UpdateJudge
from renderer.diff.vm_change import VmChangeOf, change_as_written
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.made_networks import made_networks
from renderer.kubevirt.facts.made_secrets import made_secrets, owned_secrets
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, has_matchers
from renderer.kubevirt.impact.judge import Judgement, with_impact
from renderer.kubevirt.impact.lost_objects import may_hold_data
from renderer.kubevirt.impact.restores import RESTORE, restored_machine, undone_by_sync
from renderer.model.difference import (
    ChangeType,
    DataChange,
    Effect,
    Impact,
    OverlayDifference,
    ResourceChange,
    effects_of,
)
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed

#: The names of objects in one note.
_MOST_NAMES = 5
_DELETED = Impact(Effect.DELETED, "deleted with the disks that it owns, once it is pruned")


def compare_overlay(  # noqa: PLR0913 - an overlay on two sides, and two that most callers leave out
    path: str,
    name: str,
    before: OverlaySide | None,
    after: OverlaySide | None,
    vm_change_of: VmChangeOf = change_as_written,
    *,
    accumulated: bool = False,
    equal_changes: EqualChanges | None = None,
) -> OverlayDifference:
    """Compare an overlay that is on at least one side.

    ``vm_change_of`` returns its VMs as the cluster has them. ``accumulated``: the VMs had other states
    between the two sides, and may differ from both. ``equal_changes`` holds the judgements of the
    overlays compared so far.
    """
    sides = Sides(before, after)
    old, new = sides.before.written, sides.after.written
    matched = match(old, new)
    pairs = [(pair, ChangeType.CHANGED) for pair in matched.same]
    pairs += [(pair, ChangeType.RENAMED) for pair in matched.renamed]
    comparison = _Comparison(sides, vm_change_of, equal_changes or EqualChanges(), accumulated=accumulated)
    found = (comparison.change_between(*pair, kind) for pair, kind in pairs)
    both = [change for change in found if change is not None]
    changes = [
        *(comparison.removal_of(resource) for resource in matched.removed),
        *(comparison.addition_of(resource) for resource in matched.added),
        *both,
    ]
    changed = {change.after for change in both}
    moved = [pair for pair, _ in pairs if pair[1].current_id in changed]
    new = without_deleted(new, changes)
    release = sides.after.release
    changes = with_scaling(with_lost_machines(changes, old, new), old, new)
    changes = with_shared_claims(with_cut_connections(changes, old, new), old, new)
    changes = with_reads(changes, new, release, should_run)
    changes = with_orders(changes, new, release, should_run)
    changes = with_missing_objects(changes, new, Makers(new).may_make, release, removed_objects(changes))
    return OverlayDifference(
        path=path,
        name=name,
        releases=(before.release if before else None, after.release if after else None),
        changes=tuple(
            without_secret_words(change, sides.secrets)
            for change in sorted(changes, key=ResourceChange.order)
        ),
        equal=len(pairs) - sum(bool(each.before and each.after) for each in changes),
        totals=(totals_before(before), totals_after(before, after, changes)),
        notes=(*sides.leaving_revisions.notes(), *_accepted_at_last(both, sides)),
        images=tuple(image_moves(moved, sides.secrets)) if moved else (),
    )


def without_deleted(written: Sequence[Resource], changes: Iterable[ResourceChange]) -> tuple[Resource, ...]:
    """Return the objects after a change without those that the cluster deletes although Git has them."""
    deleted = {each.id for each in changes if each.deletion}
    return tuple(each for each in written if each.current_id not in deleted)


def _accepted_at_last(changes: Iterable[ResourceChange], sides: Sides) -> Iterator[str]:
    """Yield a note if objects of which the cluster has refused earlier changes are accepted now."""
    refused = sides.before.refused
    accepted = [each.id for each in changes if each.before in refused and not each.is_refused]
    if accepted:
        names = listed([f"{each.gvk.kind} {each.name}" for each in accepted], _MOST_NAMES)
        yield f"the cluster refused {names} before: earlier changes arrive with this one"


class _Comparison:
    """Compares the two sides of one overlay."""

    def __init__(
        self, sides: Sides, vm_change_of: VmChangeOf, equal_changes: EqualChanges, *, accumulated: bool
    ) -> None:
        self._sides = sides
        self._deletions = Deletions(sides)
        self._judge = UpdateJudge(
            sides, self._deletions, vm_change_of, equal_changes, accumulated=accumulated
        )

    def removal_of(self, resource: Resource) -> ResourceChange:
        is_machine = VirtualMachineView.of(resource) is not None
        retention = self._deletions.retention(resource)
        impact = _DELETED if is_machine else self._deletions.impact(resource)
        if retention:
            impact = Impact(Effect.NONE, f"it stays in the cluster: {retention}")
        return ResourceChange(
            ChangeType.REMOVED,
            before=resource.current_id,
            after=None,
            fields=(),
            impact=impact,
            effects=effects_of(impact),
            data=self._deletions.lost_by_removal(resource),
            former_made=(*owned_secrets(resource), *made_networks(resource)),
        )

    def addition_of(self, resource: Resource) -> ResourceChange:
        impact = self._sides.after.refusal(resource)
        return ResourceChange(
            ChangeType.ADDED,
            before=None,
            after=resource.current_id,
            fields=(),
            impact=impact,
            effects=effects_of(impact),
            data=self._undone_by_sync(resource) if resource.kind == RESTORE else (),
        )

    def _undone_by_sync(self, restore: Resource) -> tuple[DataChange, ...]:
        name = restored_machine(restore)
        view = self._machines.get((restore.namespace, name))
        return () if view is None else undone_by_sync(restore, view.instance, self._sides.after.release)

    @cached_property
    def _machines(self) -> Mapping[tuple[str, str], VirtualMachineView]:
        """The VirtualMachines after the change, by namespace and name."""
        views = filter(None, map(VirtualMachineView.of, self._sides.after.written))
        return {(view.namespace, view.name): view for view in views if view.kind == VM}

    def change_between(self, before: Resource, after: Resource, kind: ChangeType) -> ResourceChange | None:
        """Return the change of a resource; None if both are equal, in Git and in the cluster."""
        judgement, former_refusal = self._judge.judged(before, after, kind), ""
        if kind is ChangeType.RENAMED:
            judgement = self._with_renaming(judgement, before, after)
        elif not judgement.changes and not judgement.effects:
            return None
        if judgement.changes or kind is ChangeType.RENAMED:
            judgement, former_refusal = self._with_refusal(judgement, before, after, kind)
        secrets = self._sides.secrets
        confidential = ConfidentialFields(after.kind, (before.content, after.content), secrets)
        applied = (
            self._sides.before.applied.get(before.current_id, before),
            self._sides.after.applied.get(after.current_id, after),
        )
        return ResourceChange(
            kind,
            before.current_id,
            after.current_id,
            tuple(map(confidential.without_secrets, judgement.changes)),
            judgement.impact,
            judgement.effects or effects_of(judgement.impact),
            judgement.pending,
            judgement.start_refusal,
            data=judgement.data,
            guest=shown_guest(judgement.guest, applied, secrets),
            former_refusal=former_refusal,
            former_made=(*owned_secrets(before), *made_networks(before)),
            made=(*made_secrets(after), *made_networks(after)),
            deletion=self._judge.deletion(before, after, judgement) if kind is ChangeType.CHANGED else "",
        )

    def _with_renaming(self, judgement: Judgement, before: Resource, after: Resource) -> Judgement:
        if VirtualMachineView.of(after) is not None:
            return judgement._replace(impact=_rename_impact(before, after))
        if retention := self._deletions.retention(before):
            stays = Impact(Effect.NONE, f"the old one stays in the cluster: {retention}")
            return judgement._replace(impact=stays, effects=(stays.effect,))
        judgement = with_impact(judgement, self._deletions.impact(before))
        return judgement._replace(data=self._deletions.lost_with(before))

    def _with_refusal(
        self, judgement: Judgement, before: Resource, after: Resource, kind: ChangeType
    ) -> tuple[Judgement, str]:
        """Return a judgement with the refusal of the change, and why the cluster refused the object before.

        A change of an accepted object that is refused does nothing. That of an object which was refused
        before is judged as if it were admitted: somebody may have decided that it is not an error.
        """
        any_refusal = self._sides.after.refusal(after)
        if any_refusal is None:
            return judgement, ""
        refusal = self._sides.new_refusal(before, after)
        applying = self._sides.after.engine if kind is ChangeType.CHANGED else None
        engine = applying.forced_deletion(before, after) if applying else ""
        if has_matchers(before.content) is not has_matchers(after.content):
            judgement = NO_CHANGES  # one side is not expanded: the difference says nothing about the machine
        elif not self._sides.was_refused(before):
            judgement = Judgement(judgement.changes, None)
        elif refusal is None and not engine:
            return judgement, any_refusal.reason
        refusal = refusal or any_refusal
        effects = [Effect.REFUSED, *judgement.effects]
        if engine:
            reason = f"{refusal.reason}; {engine} may delete it first, and then cannot create it again"
            refusal = refusal._replace(reason=reason)
            judgement = judgement._replace(data=self._deletions.lost_with(before))
            effects.append(Effect.AT_RISK if may_hold_data(before) else Effect.RECREATED)
        return judgement._replace(impact=refusal, effects=tuple(dict.fromkeys(effects))), ""


def _rename_impact(before: Resource, after: Resource) -> Impact:
    """Return the impact of a rename; a disk that keeps its name and namespace is the same disk."""
    where = "under the new name" if before.name != after.name else f"in the namespace {after.namespace}"
    created = f"another VM is created {where}"
    old, new = disks_of(before), disks_of(after)
    shared = [name for name in new if name in old] if before.namespace == after.namespace else []
    owned = [name for name in shared if old[name]]
    if owned:
        names = " and ".join(f"DataVolume {name}" for name in owned)
        reason = f"{created}, with disks that the old VM owns, and that may be deleted with it: {names}"
    elif shared:
        reason = f"{created}, with the same disks: {' and '.join(shared)}"
    else:
        reason = f"{created}, with new disks"
    return Impact(Effect.REPLACED, reason)
