"""Judge what an update of a resource does in the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from renderer.diff.deletions import Deletions, disks_of
from renderer.diff.equal_changes import EqualChanges, MachineChange
from renderer.diff.machine_outlook import as_virtual_machine
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.same_content import impact_of_fields, with_same_content
from renderer.diff.server_defaults import is_default_on_one_side, with_stored_data
from renderer.diff.sides import Sides
from renderer.diff.vm_change import VmChangeOf
from renderer.diff.vm_fields import vm_changes
from renderer.kubevirt.facts.kinds import KUBEVIRT, STORAGE_CLASS, VM
from renderer.kubevirt.facts.lists import field_changes, is_same
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, has_matchers
from renderer.kubevirt.impact.garbage_collection import new_owner, owned_by_another
from renderer.kubevirt.impact.immutable.claim_size import claim_growth, classes_by_name
from renderer.kubevirt.impact.immutable.refusals import refusals_of, uncertain_refusal
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.kubevirt.impact.judge import Judgement, judge, with_impact
from renderer.kubevirt.impact.lost_objects import may_hold_data, replaced_by_empty
from renderer.kubevirt.impact.other_cluster import (
    has_other_images,
    installation,
    lost_start,
    lost_support,
    workload_update,
)
from renderer.kubevirt.impact.other_operators import scaling_impact
from renderer.kubevirt.impact.settings import with_settings
from renderer.kubevirt.impact.state import VmChange
from renderer.kubevirt.impact.stateful_set import claims_lost_by_scaling
from renderer.kubevirt.impact.table import Views
from renderer.kubevirt.impact.volume_binding import released_volume
from renderer.kubevirt.instancetype.cluster_kubevirt import kubevirt_of
from renderer.kubevirt.vm_template.findings import is_vm_template
from renderer.model.difference import ChangeType, Effect, FieldChange, Impact, effects_of
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend
from renderer.model.sync_options import is_hook_of_no_phase

_OTHER_CLUSTER = Impact(Effect.NONE, "its manifest is the same; the cluster starts it as another machine")
_OF_TEMPLATE = Impact(
    Effect.NONE,
    "machines that were made of it stay as they are; those made from now on have the change",
    "virt-template internal/controller/virtualmachinetemplate_controller.go Reconcile",
)
#: The effects of a hook that Argo CD prunes, on what has data and on any other object.
_PRUNED = (Effect.DELETED, Effect.RECREATED)
#: The judgement of a pair without a difference.
NO_CHANGES = Judgement((), None)
#: Steps for a change of another object than a machine (``model.run.work``).
_STEPS_PER_CHANGED_OBJECT = 200


class UpdateJudge:
    """Judges the changes of one overlay's resources."""

    def __init__(
        self,
        sides: Sides,
        deletions: Deletions,
        vm_change_of: VmChangeOf,
        equal_changes: EqualChanges,
        *,
        accumulated: bool,
    ) -> None:
        self._sides = sides
        self._before = sides.before
        self._after = sides.after
        self._deletions = deletions
        self._vm_change_of = vm_change_of
        self._equal_changes = equal_changes
        self._accumulated = accumulated
        self._cluster = sides.after.cluster()

    def judged(self, before: Resource, after: Resource, kind: ChangeType) -> Judgement:
        """Return the judgement of a change. The ControllerRevision of a machine may leave Git, too."""
        judgement = self._judge_change(before, after, kind)
        judgement = with_impact(judgement, owned_by_another(before, after))
        engine = self._after.engine if kind is ChangeType.CHANGED and judgement.changes else None
        if engine and (may_hold_data(after) or self._deletions.at_risk(after) is not None):
            judgement = with_impact(judgement, engine.marked(before, after))
        written = VirtualMachineView.of(before), VirtualMachineView.of(after)
        if written[0] is None or written[1] is None or kind is ChangeType.RENAMED:
            return judgement
        return self._sides.leaving_revisions.judged(judgement, written[0], written[1])

    def deletion(self, before: Resource, after: Resource, judgement: Judgement) -> str:
        """Return what makes the cluster delete an object that Git still has; empty if nothing does.

        It is a clause about the object, which is no machine.
        """
        if VirtualMachineView.of(after) is not None or not judgement.changes:
            return ""
        if owner := new_owner(before, after):
            return f"gets the owner {owner}, and is deleted as soon as that does not exist with this uid"
        is_pruned = is_hook_of_no_phase(after) and judgement.impact and judgement.impact.effect in _PRUNED
        return "is deleted, as Argo CD takes it for a hook of no phase" if is_pruned else ""

    def _judge_change(self, before: Resource, after: Resource, kind: ChangeType) -> Judgement:
        """Return the judgement of a change; changes of machines that are equal have one."""
        applied = self._as_applied(before, after)
        is_accumulated = self._accumulated and after.kind == VM
        is_unchanged = (
            not is_accumulated
            and is_same(before.content, after.content)
            and is_same(applied[0].content, applied[1].content)
        )
        is_machine = VirtualMachineView.of(after) is not None
        if is_unchanged and not (is_machine and self._sides.is_other_cluster):
            return NO_CHANGES
        if not is_machine:
            spend(_STEPS_PER_CHANGED_OBJECT, "comparing objects")
            return self._judge_fields(before, after, kind)
        is_shared = kind is ChangeType.CHANGED and after.kind == VM and not is_accumulated
        change = self._machine_change((before, after), applied) if is_shared else None
        if is_unchanged:
            return self._equal_changes.judged(change, lambda: self._judge_cluster(before, after))
        return self._equal_changes.judged(change, lambda: self._judge_fields(before, after, kind))

    def _machine_change(
        self, written: tuple[Resource, Resource], applied: tuple[Resource, Resource]
    ) -> MachineChange | None:
        """Return the change of a machine for a comparison with others; None if it is not like any other."""
        found, new = self._vm_change_of.found_by(*written), written[1]
        if found is None or self._surroundings is None:
            return None
        names = sorted({name for each in (*written, *applied) for name in disks_of(each)})
        disks = [
            (content, storage.kept_volume(new.namespace, name, content))
            for storage in self._sides.outlook.storage
            for name in names
            for disk in (storage.disk(new.namespace, name),)
            for content in (disk.content if disk else EMPTY,)
        ]
        modes = self._vm_change_of.access_modes(new.namespace)
        engine = self._after.engine
        # Only a cluster, by its status, refuses the update of a machine that it would admit as a new one.
        recreation = str(engine.recreation(*written, is_refused=False)) if engine else ""
        refusals = self._sides.was_refused(written[0]), self._after.refused.get(new.current_id)
        facts = found, disks, [modes.get(name) for name in names], recreation, refusals
        return MachineChange(written, applied, facts, self._surroundings)

    @cached_property
    def _surroundings(self) -> int | None:
        """The number of all that decides a judgement besides the machine itself; None if unknown."""
        clusters = self._vm_change_of.clusters
        if not clusters:
            return None
        sides = [
            (side.release, side.kubevirt, side.feature_gates, _storage_classes(side))
            for side in (self._before, self._after)
        ]
        return self._equal_changes.number_of((clusters, sides))

    def _judge_fields(self, before: Resource, after: Resource, kind: ChangeType) -> Judgement:
        written = VirtualMachineView.of(before), VirtualMachineView.of(after)
        if kind is ChangeType.CHANGED:
            refused = self._refused(before, after)
            if refused is not None:
                return refused
        if written[0] is None or written[1] is None:
            impact = _OF_TEMPLATE if is_vm_template(after) else None
            impact = impact or self._installation(before, after)
            impact = impact or claim_growth(self._update(before, after))
            impact = impact or scaling_impact(before, after)
            impact = impact or released_volume(before, after, self._sides.outlook.storage[0])
            data = claims_lost_by_scaling(before, after, self._sides.outlook.storage[0])
            changes = with_same_content(field_changes(before.content, after.content), before, after)
            if after.kind == KUBEVIRT:
                changes = with_settings(changes, before, after, self._after.written)
            return Judgement(changes, impact or impact_of_fields(changes), data=data)
        applied = self._as_applied(before, after)
        views = VirtualMachineView.of(applied[0]), VirtualMachineView.of(applied[1])
        if views[0] is None or views[1] is None:
            return NO_CHANGES
        changes = vm_changes((written[0], written[1]), (views[0], views[1]), self._after.release)
        was_refused = self._sides.was_refused(before)
        if not was_refused and self._after.refusal(after) is not None:
            return Judgement(tuple(change._replace(impact=None) for change in changes), None)
        if kind is ChangeType.RENAMED:
            return self._outlook_of_another(before, after, changes)
        vm_change = self._vm_change_of(before, after) if after.kind == VM else None
        if vm_change is not None and was_refused:
            vm_change = vm_change.as_if_admitted()
        if vm_change is not None:
            contents = vm_change.before.content, vm_change.after.content
            changes = tuple(each for each in changes if not is_default_on_one_side(after.gvk, each, contents))
        judgement = judge(Views(written[0], written[1], self._cluster), vm_change, changes)
        judgement = self._with_lost_support(judgement, after)
        if vm_change is not None:
            judgement = self._with_workload_update(judgement, vm_change)
        else:
            vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        return self._sides.outlook.of_update(vm_change, before, after, judgement) if vm_change else judgement

    def _installation(self, before: Resource, after: Resource) -> Impact | None:
        cluster, side = self._cluster, self._after
        made = (kubevirt_of(before, cluster.release).content, kubevirt_of(after, cluster.release).content)
        return installation(before, after, made, cluster, side.kubevirt, side.written)

    def _refused(self, before: Resource, after: Resource) -> Judgement | None:
        """Return the judgement of an update that the cluster refuses as a whole; None if it may admit it."""
        stored = (each.with_content(with_stored_data(each.content)) for each in (before, after))
        changes = field_changes(before.content, after.content)
        refused = refused_update(self._update(*stored), changes, self._after)
        if refused is not None and is_hook_of_no_phase(after) and refused.effects[0] in _PRUNED:
            kept = self._deletions.retention(before)
            if not kept:
                return refused._replace(data=self._deletions.lost_with(before))
            stays = Impact(Effect.NONE, f"Argo CD takes it for a hook of no phase, and keeps it: {kept}")
            return Judgement(tuple(each._replace(impact=stays) for each in changes), stays, (stays.effect,))
        if refused is None or refused.effects != (Effect.REPLACED,):
            return refused
        if VirtualMachineView.of(before) is None:
            return refused._replace(data=replaced_by_empty(before, self._sides.outlook.storage[0]))
        return refused._replace(data=self._deletions.lost_with(before))

    def _update(self, before: Resource, after: Resource) -> ObjectUpdate:
        return ObjectUpdate(before, after, self._storage_classes)

    @cached_property
    def _storage_classes(self) -> Mapping[str, Resource]:
        return classes_by_name((*self._after.written, *self._after.storage_classes))

    def _judge_cluster(self, before: Resource, after: Resource) -> Judgement:
        """Judge a machine whose manifest stays the same, and that another cluster starts."""
        vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        if vm_change is None:
            return NO_CHANGES
        guest = self._sides.outlook.of_restart(vm_change, before, after)
        judgement = Judgement((), _OTHER_CLUSTER, effects_of(_OTHER_CLUSTER), guest=guest)
        no_start = lost_start(vm_change)
        if no_start is not None:
            judgement = with_impact(judgement, no_start)._replace(start_refusal=vm_change.start_refusal)
        elif not self._sides.was_refused(before):
            judgement = with_impact(judgement, self._after.refusal(after))
        judgement = self._with_lost_support(judgement, after)
        judgement = self._with_workload_update(judgement, vm_change)
        is_affected = judgement.impact is not _OTHER_CLUSTER or any(each.risk for each in guest)
        return judgement if is_affected else NO_CHANGES

    def _with_lost_support(self, judgement: Judgement, after: Resource) -> Judgement:
        """Return a judgement with what the configuration of KubeVirt lacks for a machine after the change."""
        view = VirtualMachineView.of(self._after.applied.get(after.current_id, after))
        if view is None or not self._sides.is_other_cluster:
            return judgement
        impact = lost_support(view.instance, self._before.kubevirt, self._after.kubevirt)
        if impact is None:
            return judgement
        return with_impact(judgement, impact)._replace(start_refusal=judgement.start_refusal or impact.reason)

    def _with_workload_update(self, judgement: Judgement, vm_change: VmChange) -> Judgement:
        is_upgrade = self._before.release != self._after.release or has_other_images(
            self._before.kubevirt, self._after.kubevirt
        )
        return with_impact(judgement, workload_update(vm_change, self._cluster) if is_upgrade else None)

    def _outlook_of_another(
        self, before: Resource, after: Resource, changes: Iterable[FieldChange]
    ) -> Judgement:
        """Return data and guest of a machine that gets another name, and so is another machine."""
        judgement = Judgement(tuple(change._replace(impact=None) for change in changes), None)
        vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        if vm_change is None:
            return judgement
        is_kept = bool(self._deletions.retention(before))
        data, guest = self._sides.outlook.of_another(vm_change, before, after, is_kept=is_kept)
        return judgement._replace(data=self._deletions.without_leaving_disks(before, data), guest=guest)

    def _as_applied(self, before: Resource, after: Resource) -> tuple[Resource, Resource]:
        """Return both as KubeVirt sees them; both as written unless both could be expanded."""
        old = self._before.applied.get(before.current_id, before)
        new = self._after.applied.get(after.current_id, after)
        if has_matchers(old.content) or has_matchers(new.content):
            return before, after
        return old, new


def _storage_classes(side: OverlaySide) -> Sequence[JsonObject]:
    return [each.content for each in (*side.storage_classes, *side.written) if each.kind == STORAGE_CLASS]


def refused_update(
    update: ObjectUpdate, changes: Iterable[FieldChange], side: OverlaySide
) -> Judgement | None:
    """Return the judgement of an update that the cluster refuses as a whole; None if it may admit it.

    An engine that is told to force updates deletes the object, and creates it again.
    """
    changes = tuple(changes)
    refusals = refusals_of(update, changes, side.release)
    judged = None if refusals is None else refusals.changes
    recreation = None
    if side.engine and changes and (refusals is None or not refusals.is_forbidden):
        recreation = side.engine.recreation(update.before, update.after, is_refused=refusals is not None)
    if recreation is not None:
        judged = tuple(
            each._replace(impact=recreation if judged is None or each.impact else None)
            for each in judged or changes
        )
    if judged is None:
        return _recreated_if_refused(update, changes, side)
    impacts = [each.impact for each in judged if each.impact]
    return Judgement(judged, impacts[0], (impacts[0].effect,))


def _recreated_if_refused(
    update: ObjectUpdate, changes: tuple[FieldChange, ...], side: OverlaySide
) -> Judgement | None:
    """Return the judgement of an update that an engine forces if the cluster refuses it; None without."""
    field = uncertain_refusal(update, changes, side.release) if side.engine else ""
    if not side.engine or not field:
        return None
    recreation = side.engine.recreation(update.before, update.after, is_refused=True)
    if recreation is None:
        return None
    effect = Effect.AT_RISK if recreation.effect is Effect.REPLACED else recreation.effect
    reason = f"if the cluster has another {field}, it refuses the update, and {recreation.reason}"
    return Judgement(changes, recreation._replace(effect=effect, reason=reason), (effect,))
