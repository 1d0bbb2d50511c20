"""Compare one overlay on its two sides: pair their resources, then their fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from renderer.diff.equal_changes import EqualChanges, MachineChange
from renderer.diff.images import image_moves, masked_moves
from renderer.diff.leaving_revisions import LeavingRevisions, judged_without, written_revisions
from renderer.diff.machine_outlook import Outlook, as_virtual_machine
from renderer.diff.match import match
from renderer.diff.reads import should_run, with_reads
from renderer.diff.server_defaults import is_default_on_one_side, with_stored_data
from renderer.diff.services import with_lost_machines
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.confidential_parts import (
    ConfidentialFields,
    secret_values,
    shown_id,
    with_shown_ids,
    without_secret_words,
)
from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CLAIM,
    CONTROLLER_REVISION,
    DATA_VOLUME,
    MATCHER_KEYS,
    STORAGE_CLASS,
    VM,
)
from renderer.kubevirt.facts.lists import field_changes, is_same
from renderer.kubevirt.facts.sizes import machine_size
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.claim_growth import claim_growth
from renderer.kubevirt.impact.guest_machine import GuestCluster
from renderer.kubevirt.impact.immutable.refusals import refusals_of
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.kubevirt.impact.judge import Judgement, judge, with_impact
from renderer.kubevirt.impact.lost_objects import lost_with, replaced_by_empty
from renderer.kubevirt.impact.other_cluster import lost_start, workload_update
from renderer.kubevirt.impact.restores import RESTORE, restored_machine, undone_by_sync
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS, VmChange, vm_state
from renderer.kubevirt.impact.storage_objects import StorageObjects
from renderer.kubevirt.impact.table import Views
from renderer.kubevirt.impact.volume_migration import claim_of
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt
from renderer.kubevirt.vm_template.findings import is_vm_template
from renderer.model.difference import (
    Amounts,
    ChangeType,
    DataChange,
    DataEffect,
    Effect,
    FieldChange,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
)
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.release import Release
from renderer.model.run.taint import taint_masking, tainted
from renderer.model.run.work import spend

Resources: TypeAlias = tuple[Resource, ...]
ExemptionOf: TypeAlias = Callable[[Resource, bool], str]
#: Returns the impact of an engine that deletes an object and creates it again rather than update it, given
#: both states and whether the update is refused; None if none does.
RecreationOf: TypeAlias = Callable[[Resource, Resource, bool], Impact | None]
#: Returns which engine deletes an object whose new state the cluster rejects; empty if none does.
ForcedDeletionOf: TypeAlias = Callable[[Resource, Resource], str]

_DELETED = Impact(Effect.DELETED, "deleted with the disks that it owns, once it is pruned")
_ELSEWHERE = Impact(Effect.NONE, "another overlay has it now")
_OTHER_CLUSTER = Impact(Effect.NONE, "its manifest is the same; the cluster starts it as another machine")
_REPLACED = "another VM is created under the new name"
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
_OF_TEMPLATE = Impact(
    Effect.NONE,
    "machines that were made of it stay as they are; those made from now on have the change",
    "virt-template internal/controller/virtualmachinetemplate_controller.go Reconcile",
)
_CONTROLLER_REVISION = Gvk.parse(f"{APPS_GROUP}/v1", CONTROLLER_REVISION)
_NO_CHANGES = Judgement((), None)
#: Steps for a change of another object than a machine (``model.run.work``).
_STEPS_PER_CHANGED_OBJECT = 200


class VmChangeOf(Protocol):
    """Returns the VirtualMachine in the cluster before and after a change; None if that is unknown."""

    @property
    def clusters(self) -> tuple[object, ...]:
        """The settings of the clusters on both sides; empty if they are unknown."""

    def access_modes(self, namespace: str) -> Mapping[str, tuple[str, ...]]:
        """Return the access modes of the claims and DataVolumes of a namespace by name."""

    def found_by(self, old: Resource, new: Resource) -> tuple[object, ...] | None:
        """Return, in plain values, what the machine finds in the cluster; None if that is unknown."""

    def __call__(self, old: Resource, new: Resource) -> VmChange | None: ...


class OverlaySide(NamedTuple):
    """One overlay on one side: ``written`` are its manifests.

    ``applied`` are its virtual machines with their instance types applied, as KubeVirt sees them, by id. It
    has only the machines that differ from their manifests. ``refused`` maps resources to the reasons why the
    cluster rejects them. ``kubevirt`` is the cluster's KubeVirt object, empty if the repository has none.
    ``feature_gates`` are the gates that the project file lists. ``owner`` is the Kustomization or Application
    that applies them; ``exemption_of`` returns the annotation without which that may delete a VM that moves,
    given the VM, and whether the owner may be gone, too. ``recreation_of`` returns what an engine does that
    replaces a changed object, ``forced_deletion_of`` which one deletes what is then rejected.
    ``retention_of`` returns why nothing deletes an object that Git no longer has, given the object, and
    whether the owner is gone, too. ``storage_classes`` are the cluster's.
    """

    release: Release
    written: Resources = ()
    applied: Mapping[ResId, Resource] = {}
    refused: Mapping[ResId, tuple[str, ...]] = {}
    kubevirt: JsonObject = EMPTY
    feature_gates: tuple[str, ...] = ()
    owner: ResId | None = None
    exemption_of: ExemptionOf | None = None
    recreation_of: RecreationOf | None = None
    forced_deletion_of: ForcedDeletionOf | None = None
    retention_of: ExemptionOf | None = None
    storage_classes: Resources = ()

    def cluster(self, live: JsonObject = EMPTY) -> Cluster:
        """Return the cluster; ``live`` is the KubeVirt object that it has, empty if that is not known."""
        kubevirt = live or self.kubevirt or default_kubevirt(self.release)
        return Cluster.of(self.release, kubevirt, self.feature_gates)


class _AsWritten:
    """Takes a VirtualMachine exactly as its manifests say, without the defaults of any webhook."""

    clusters: tuple[object, ...] = ("as written",)

    def access_modes(self, _namespace: str) -> Mapping[str, tuple[str, ...]]:
        return EMPTY

    def found_by(self, _old: Resource, _new: Resource) -> tuple[object, ...]:
        return ()

    def __call__(self, old: Resource, new: Resource) -> VmChange:
        return VmChange(vm_state(old.content), vm_state(new.content))


change_as_written = _AsWritten()


def _rename_impact(before: Resource, after: Resource) -> Impact:
    """Return the impact of a rename; a disk that keeps its name and namespace is the same disk."""
    old, new = _disks(before), _disks(after)
    shared = [name for name in new if name in old] if before.namespace == after.namespace else []
    owned = [name for name in shared if old[name]]
    if owned:
        names = " and ".join(f"DataVolume {name}" for name in owned)
        reason = f"{_REPLACED}, with disks that the old VM owns, and that may be deleted with it: {names}"
    elif shared:
        reason = f"{_REPLACED}, with the same disks: {' and '.join(shared)}"
    else:
        reason = f"{_REPLACED}, with new disks"
    return Impact(Effect.REPLACED, reason)


def _disks(resource: Resource) -> Mapping[str, bool]:
    """Return the DataVolumes and claims of a VM by name; True if the VM creates, and so owns, them."""
    view = VirtualMachineView.of(resource)
    if view is None:
        return {}
    volumes = (claim_of(object_at(each)) for each in array_at(view.instance, "volumes"))
    created = (text_at(each, "metadata", "name") for each in array_at(view.spec, "dataVolumeTemplates"))
    return dict.fromkeys(filter(None, volumes), False) | dict.fromkeys(filter(None, created), True)


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
    old = before.written if before else ()
    new = after.written if after else ()
    matched = match(old, new)
    pairs = [(pair, ChangeType.CHANGED) for pair in matched.same]
    pairs += [(pair, ChangeType.RENAMED) for pair in matched.renamed]
    sides = before or _empty_side(after), after or _empty_side(before)
    comparison = _Comparison(*sides, vm_change_of, equal_changes or EqualChanges(), accumulated=accumulated)
    changes = [
        *(comparison.removal_of(resource) for resource in matched.removed),
        *(comparison.addition_of(resource) for resource in matched.added),
        *(change for pair, kind in pairs for change in comparison.changes_between(*pair, kind)),
    ]
    changed = {change.after for change in changes if change.type in (ChangeType.CHANGED, ChangeType.RENAMED)}
    moves = [*image_moves(pair for pair, _ in pairs if pair[1].current_id in changed)]
    changes = with_reads(with_lost_machines(changes, old, new), new, sides[1].release, should_run)
    return OverlayDifference(
        path=path,
        name=name,
        releases=(before.release if before else None, after.release if after else None),
        changes=tuple(
            without_secret_words(change, comparison.secrets)
            for change in sorted(changes, key=ResourceChange.order)
        ),
        equal=len(pairs) - sum(change.type in (ChangeType.CHANGED, ChangeType.RENAMED) for change in changes),
        totals=(_totals(before), _totals_after(before, after, changes)),
        notes=tuple(comparison.leaving_revisions.notes()),
        images=masked_moves(moves, comparison.secrets) if moves else (),
    )


def _empty_side(other: OverlaySide | None) -> OverlaySide:
    assert other is not None  # noqa: S101 - an overlay is on one side at least
    return OverlaySide(other.release)


def totals_of(machines: Iterable[VirtualMachineView]) -> Totals:
    """Return the totals of the machines that should run and of the halted ones, each times its replicas."""
    running, halted = Amounts(), Amounts()
    for machine in machines:
        size, replicas = machine_size(machine), machine.replicas
        amounts = Amounts(replicas, *(replicas * amount for amount in size))
        if machine.is_halted:
            halted = halted.plus(amounts)
        else:
            running = running.plus(amounts)
    return Totals(running, halted)


def _totals(side: OverlaySide | None) -> Totals | None:
    return None if side is None else totals_of(_machines(side).values())


def _totals_after(
    before: OverlaySide | None, after: OverlaySide | None, changes: Iterable[ResourceChange]
) -> Totals | None:
    """Return the totals after the change: a machine whose change is refused stays as it was."""
    if after is None:
        return None
    machines = _machines(after)
    former = {} if before is None else _machines(before)
    for change in changes:
        if change.is_refused:
            if change.after in machines:
                del machines[change.after]
            if change.before in former:
                machines[change.before] = former[change.before]
    return totals_of(machines.values())


def _machines(side: OverlaySide) -> dict[ResId, VirtualMachineView]:
    views = ((each, VirtualMachineView.of(side.applied.get(each.current_id, each))) for each in side.written)
    return {each.current_id: view for each, view in views if view is not None}


class _Comparison:
    """Compares the two sides of one overlay."""

    def __init__(
        self,
        before: OverlaySide,
        after: OverlaySide,
        vm_change_of: VmChangeOf,
        equal_changes: EqualChanges,
        *,
        accumulated: bool,
    ) -> None:
        self._vm_change_of = vm_change_of
        self._equal_changes = equal_changes
        self._accumulated = accumulated
        self._before = before
        self._after = after
        self.leaving_revisions = LeavingRevisions(before.written, after.written, after.release)
        self._cluster = after.cluster()

    @cached_property
    def _outlook(self) -> Outlook:
        before, after = (
            StorageObjects(side.written, side.storage_classes) for side in (self._before, self._after)
        )
        sides = self._before, self._after
        clusters = (GuestCluster.of(each.release, each.kubevirt) for each in sides)
        return Outlook((before, after), (next(clusters), next(clusters)))

    def removal_of(self, resource: Resource) -> ResourceChange:
        view = VirtualMachineView.of(resource)
        retention = self._retention(resource)
        impact = None if view is None else _DELETED
        if view is not None and retention:
            impact = Impact(Effect.NONE, f"it stays in the cluster: {retention}")
        names = () if view is None else self.leaving_revisions.named_by(view)
        return ResourceChange(
            ChangeType.REMOVED,
            resource.current_id,
            None,
            (),
            impact,
            _effects_of(impact),
            revisions=names,
            owner=self._before.owner,
            exemption=self._asked_of_owner(self._before.exemption_of, resource) if view else "",
            data=() if retention else self._without_leaving_disks(resource, self._lost_with(resource)),
        )

    def _asked_of_owner(self, asked: ExemptionOf | None, resource: Resource) -> str:
        return asked(resource, self._after.owner != self._before.owner) if asked else ""

    def _retention(self, removed: Resource) -> str:
        """Return why nothing deletes an object that Git no longer has; empty if its owner may do so.

        The owner is asked as it was and, if it is still there, as it is.
        """
        reason = self._asked_of_owner(self._before.retention_of, removed)
        is_still_there = self._after.owner == self._before.owner
        if not reason or not is_still_there or self._after.retention_of is None:
            return reason
        return reason if self._after.retention_of(removed, False) else ""  # noqa: FBT003 - it is not gone

    def _without_leaving_disks(self, machine: Resource, data: Iterable[DataChange]) -> tuple[DataChange, ...]:
        """Leave out the disks that leave Git as well: their own changes say what becomes of them."""
        leaving = {
            f"{kind} {name}"
            for namespace, name in self._leaving_disks
            if namespace == machine.namespace
            for kind in ("claim", DATA_VOLUME)
        }
        return tuple(
            each
            for each in data
            if each.effect is not DataEffect.KEPT or each.before.partition(" (")[0] not in leaving
        )

    @cached_property
    def _leaving_disks(self) -> Collection[tuple[str, str]]:
        """Namespace and name of each claim and DataVolume that leaves Git and the cluster."""
        kept = {each.current_id for each in self._after.written}
        return [
            (each.namespace, each.name)
            for each in self._before.written
            if each.kind in (CLAIM, DATA_VOLUME) and each.current_id not in kept and not self._retention(each)
        ]

    def _lost_with(self, removed: Resource) -> tuple[DataChange, ...]:
        """Return what is lost with an object, if its deletion is not prevented."""
        if VirtualMachineView.of(removed) is None:
            users = self._users_of_claims.get((removed.namespace, removed.name), ())
            return lost_with(removed, self._outlook.storage[0], tuple(users))
        applied = self._before.applied.get(removed.current_id, removed)
        return self._outlook.of_deletion(removed, applied)

    @cached_property
    def _users_of_claims(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The machines that need a claim or DataVolume after the change, by its namespace and name."""
        found: dict[tuple[str, str], list[str]] = {}
        for resource in self._after.written:
            for name in _disks(resource):
                found.setdefault((resource.namespace, name), []).append(f"{resource.kind} {resource.name}")
        return found

    def addition_of(self, resource: Resource) -> ResourceChange:
        impact = self._refusal(None, resource)
        names = written_revisions(resource)
        return ResourceChange(
            ChangeType.ADDED,
            None,
            resource.current_id,
            (),
            impact,
            _effects_of(impact),
            revisions=names,
            owner=self._after.owner,
            data=self._undone_by_sync(resource) if resource.kind == RESTORE else (),
        )

    def _undone_by_sync(self, restore: Resource) -> tuple[DataChange, ...]:
        name = restored_machine(restore)
        for view in filter(None, map(VirtualMachineView.of, self._after.written)):
            if (view.kind, view.namespace, view.name) == (VM, restore.namespace, name):
                return undone_by_sync(restore, view.instance, self._after.release)
        return ()

    def changes_between(
        self, before: Resource, after: Resource, kind: ChangeType
    ) -> Iterator[ResourceChange]:
        """Yield one change; nothing if both are equal, in Git and in the cluster."""
        judgement, former_refusal = self._judge(before, after, kind), ""
        if kind is ChangeType.RENAMED:
            judgement = self._with_renaming(judgement, before, after)
        elif not judgement.changes and not judgement.effects:
            return
        if judgement.changes or kind is ChangeType.RENAMED:
            judgement, former_refusal = self._with_refusal(judgement, before, after, kind)
        confidential = ConfidentialFields(after.kind, (before.content, after.content), self.secrets)
        yield ResourceChange(
            kind,
            before.current_id,
            after.current_id,
            tuple(map(confidential.without_secrets, judgement.changes)),
            judgement.impact,
            judgement.effects or _effects_of(judgement.impact),
            judgement.pending,
            judgement.start_refusal,
            data=judgement.data,
            guest=judgement.guest,
            former_refusal=former_refusal,
        )

    def _with_renaming(self, judgement: Judgement, before: Resource, after: Resource) -> Judgement:
        if VirtualMachineView.of(after) is not None:
            return judgement._replace(impact=_rename_impact(before, after))
        return judgement if self._retention(before) else judgement._replace(data=self._lost_with(before))

    def _with_refusal(
        self, judgement: Judgement, before: Resource, after: Resource, kind: ChangeType
    ) -> tuple[Judgement, str]:
        """Return a judgement with the refusal of the change, and why the cluster refused the object before.

        A change of an accepted object that is refused does nothing. That of an object which was refused
        before is judged as if it were admitted: somebody may have decided that the error is none.
        """
        reasons = self._after.refused.get(after.current_id, ())
        if not reasons:
            return judgement, ""
        refusal = self._refusal(before, after)
        forced = self._after.forced_deletion_of if kind is ChangeType.CHANGED else None
        engine = forced(before, after) if forced else ""
        if _has_matchers(before) is not _has_matchers(after):
            judgement = _NO_CHANGES  # one side is not expanded: the difference says nothing about the machine
        elif not self._was_refused(before):
            judgement = Judgement(judgement.changes, None)
        elif refusal is None and not engine:
            return judgement, reasons[0]
        refusal = refusal or Impact(Effect.REFUSED, reasons[0])
        effects = [Effect.REFUSED, *judgement.effects]
        if engine:
            reason = f"{refusal.reason}; {engine} may delete it first, and then cannot create it again"
            refusal, data = refusal._replace(reason=reason), self._lost_with(before)
            judgement = judgement._replace(data=data)
            effects.append(Effect.AT_RISK)
        return judgement._replace(impact=refusal, effects=tuple(dict.fromkeys(effects))), ""

    @cached_property
    def secrets(self) -> Masking:
        objects = (each.content for side in (self._before, self._after) for each in side.written)
        return Masking(secret_values(objects) | tainted())

    def _judge(self, before: Resource, after: Resource, kind: ChangeType) -> Judgement:
        judgement = self._judge_change(before, after, kind)
        written = VirtualMachineView.of(before), VirtualMachineView.of(after)
        if written[0] is None or written[1] is None or kind is ChangeType.RENAMED:
            return judgement
        return self.leaving_revisions.judged(judgement, written[0], written[1])

    def _judge_refusal(self, before: Resource, after: Resource) -> Judgement | None:
        """Return the judgement of an update that the cluster refuses as a whole; None if it may admit it."""
        changes = field_changes(before.content, after.content)
        old, new = (each.with_content(with_stored_data(each.content)) for each in (before, after))
        objects = (*self._after.written, *self._after.storage_classes)
        return refused_update(ObjectUpdate(old, new, objects), changes, self._after)

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
        if is_unchanged and not (is_machine and self._is_other_cluster):
            return _NO_CHANGES
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
        names = sorted({name for each in (*written, *applied) for name in _disks(each)})
        disks = [
            disk and disk.content
            for storage in self._outlook.storage
            for disk in (storage.disk(new.namespace, name) for name in names)
        ]
        modes = self._vm_change_of.access_modes(new.namespace)
        recreation_of = self._after.recreation_of
        # Only a cluster, by its status, refuses the update of a machine that it would admit as a new one.
        recreation = str(recreation_of(*written, False)) if recreation_of else ""  # noqa: FBT003 - as above
        refusals = self._was_refused(written[0]), self._after.refused.get(new.current_id)
        facts = found, disks, [modes.get(name) for name in names], recreation, refusals
        return MachineChange(written, applied, facts, self._surroundings)

    @cached_property
    def _surroundings(self) -> int | None:
        """The number of all that decides a judgement besides the machine itself; None if unknown."""
        clusters = self._vm_change_of.clusters
        if not clusters:
            return None
        sides = [
            (side.release, side.kubevirt, side.feature_gates, self._storage_classes(side))
            for side in (self._before, self._after)
        ]
        return self._equal_changes.number_of((clusters, sides))

    @staticmethod
    def _storage_classes(side: OverlaySide) -> Sequence[JsonObject]:
        return [each.content for each in (*side.storage_classes, *side.written) if each.kind == STORAGE_CLASS]

    @property
    def _is_other_cluster(self) -> bool:
        """True if another cluster starts the machines after the change."""
        sides = self._before, self._after
        clusters = [(each.release, each.kubevirt) for each in sides]
        return clusters[0] != clusters[1]

    def _judge_fields(self, before: Resource, after: Resource, kind: ChangeType) -> Judgement:
        written = VirtualMachineView.of(before), VirtualMachineView.of(after)
        applied = self._as_applied(before, after)
        if kind is ChangeType.CHANGED:
            refused = self._judge_refusal(before, after)
            if refused is not None and refused.impact is not None:
                if refused.impact.effect is not Effect.REPLACED:
                    return refused
                return refused._replace(
                    data=replaced_by_empty(before, self._outlook.storage[0])
                    if written[0] is None
                    else self._lost_with(before)
                )
        if written[0] is None or written[1] is None:
            objects = (*self._after.written, *self._after.storage_classes)
            impact = _OF_TEMPLATE if is_vm_template(after) else claim_growth(before, after, objects)
            return Judgement(field_changes(before.content, after.content), impact)
        views = VirtualMachineView.of(applied[0]), VirtualMachineView.of(applied[1])
        if views[0] is None or views[1] is None:
            return _NO_CHANGES
        changes = vm_changes((written[0], written[1]), (views[0], views[1]), self._after.release)
        if self._refusal(before, after) is not None and not self._was_refused(before):
            return Judgement(tuple(change._replace(impact=None) for change in changes), None)
        if kind is ChangeType.RENAMED:
            return self._outlook_of_another(before, after, changes)
        vm_change = self._vm_change_of(before, after) if after.kind == "VirtualMachine" else None
        if vm_change is not None and self._was_refused(before):
            vm_change = vm_change.as_if_admitted()
        if vm_change is not None:
            contents = vm_change.before.content, vm_change.after.content
            changes = tuple(each for each in changes if not is_default_on_one_side(after.gvk, each, contents))
        judgement = judge(Views(written[0], written[1], self._cluster), vm_change, changes)
        if vm_change is not None:
            judgement = self._with_workload_update(judgement, vm_change)
        else:
            vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        return self._outlook.of_update(vm_change, before, after, judgement) if vm_change else judgement

    def _judge_cluster(self, before: Resource, after: Resource) -> Judgement:
        """Judge a machine whose manifest stays the same, and that another cluster starts."""
        vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        if vm_change is None:
            return _NO_CHANGES
        guest = self._outlook.of_restart(vm_change, before, after)
        judgement = Judgement((), _OTHER_CLUSTER, _effects_of(_OTHER_CLUSTER), guest=guest)
        no_start = lost_start(vm_change)
        if no_start is not None:
            judgement = with_impact(judgement, no_start)._replace(start_refusal=vm_change.start_refusal)
        elif not self._was_refused(before):
            judgement = with_impact(judgement, self._refusal(before, after))
        judgement = self._with_workload_update(judgement, vm_change)
        is_affected = judgement.impact is not _OTHER_CLUSTER or any(each.risk for each in guest)
        return judgement if is_affected else _NO_CHANGES

    def _with_workload_update(self, judgement: Judgement, vm_change: VmChange) -> Judgement:
        is_upgrade = self._before.release != self._after.release
        return with_impact(judgement, workload_update(vm_change, self._cluster) if is_upgrade else None)

    def _outlook_of_another(
        self, before: Resource, after: Resource, changes: Iterable[FieldChange]
    ) -> Judgement:
        """Return data and guest of a machine that gets another name, and so is another machine."""
        judgement = Judgement(tuple(change._replace(impact=None) for change in changes), None)
        vm_change = self._vm_change_of(*map(as_virtual_machine, (before, after)))
        if vm_change is None:
            return judgement
        is_kept = bool(self._retention(before))
        data, guest = self._outlook.of_another(vm_change, before, after, is_kept=is_kept)
        return judgement._replace(data=data, guest=guest)

    def _as_applied(self, before: Resource, after: Resource) -> tuple[Resource, Resource]:
        """Return both as KubeVirt sees them; both as written unless both could be expanded."""
        old = self._before.applied.get(before.current_id, before)
        new = self._after.applied.get(after.current_id, after)
        if _has_matchers(old) or _has_matchers(new):
            return before, after
        return old, new

    def _was_refused(self, before: Resource) -> bool:
        return before.current_id in self._before.refused

    def _refusal(self, before: Resource | None, after: Resource) -> Impact | None:
        """Return why the cluster rejects an object; None if it accepts it, or rejected it before as well."""
        former = () if before is None else self._before.refused.get(before.current_id, ())
        for reason in self._after.refused.get(after.current_id, ()):
            if reason not in former:
                return Impact(Effect.REFUSED, reason)
        return None


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
    if side.recreation_of and changes and (refusals is None or not refusals.is_forbidden):
        recreation = side.recreation_of(update.before, update.after, refusals is not None)
    if recreation is not None:
        judged = tuple(
            each._replace(impact=recreation if judged is None or each.impact else None)
            for each in judged or changes
        )
    if judged is None:
        return None
    impacts = [each.impact for each in judged if each.impact]
    return Judgement(judged, impacts[0], (impacts[0].effect,))


def without_moved(overlays: Sequence[OverlayDifference]) -> tuple[OverlayDifference, ...]:
    """Return the overlays without deletions of resources that another overlay has on the side after.

    An overlay whose folder was renamed counts as two overlays: a deleted one and a new one. A Kustomization
    or Application may delete a VM before another one takes it over.
    """
    changes = (change for overlay in overlays for change in overlay.changes)
    added = {change.id: change for change in changes if change.type is ChangeType.ADDED}

    def moved(change: ResourceChange) -> ResourceChange:
        now = added.get(change.id) if change.type is ChangeType.REMOVED else None
        if now is None:
            return change
        if change.impact is None:
            return change._replace(data=())
        if change.exemption and now.owner and now.owner != change.owner:
            risk = _handover_risk(change, now.owner)
            return change._replace(impact=risk, effects=_effects_of(risk))
        names = dict(now.revisions)
        for key, name in change.revisions:
            revision = ResId(_CONTROLLER_REVISION, name, change.id.namespace)
            if names.get(key) in ("", name) and revision not in added:
                judgement = Judgement((), _ELSEWHERE, _effects_of(_ELSEWHERE))
                lost = judged_without(judgement, [name])
                return change._replace(
                    impact=lost.impact, effects=lost.effects, start_refusal=lost.start_refusal, data=()
                )
        return change._replace(impact=_ELSEWHERE, effects=_effects_of(_ELSEWHERE), data=())

    return tuple(overlay._replace(changes=tuple(map(moved, overlay.changes))) for overlay in overlays)


def with_shown_names(overlays: Sequence[OverlayDifference]) -> tuple[OverlayDifference, ...]:
    """Return the overlays without values of Secrets in kinds and names; what moved must be known before."""
    secrets = taint_masking()
    return tuple(_with_shown_names(each, secrets) for each in overlays) if secrets else tuple(overlays)


def _with_shown_names(overlay: OverlayDifference, secrets: Masking) -> OverlayDifference:
    def shown(ids: Iterable[ResId]) -> tuple[ResId, ...]:
        return tuple(shown_id(each, secrets) for each in ids)

    return overlay._replace(
        changes=tuple(with_shown_ids(each, secrets) for each in overlay.changes),
        incomparable=secrets.mask(overlay.incomparable),
        notes=tuple(map(secrets.mask, overlay.notes)),
        stalled=tuple(
            each._replace(
                deployer=each.deployer and shown_id(each.deployer, secrets),
                refused=shown(each.refused),
                undone=shown(each.undone),
                waiting=shown(each.waiting),
                reason=secrets.mask(each.reason),
            )
            for each in overlay.stalled
        ),
        images=tuple(each._replace(user=shown_id(each.user, secrets)) for each in overlay.images),
    )


def _handover_risk(change: ResourceChange, new: ResId) -> Impact:
    old = change.owner
    assert old is not None  # noqa: S101 - it may delete the VM
    return Impact(
        Effect.AT_RISK,
        f"{_owner_text(old)} may delete it, with the disks that it owns, before {_owner_text(new)} takes it"
        f" over: annotate it with {change.exemption} first, and move it once the cluster has that",
    )


def _owner_text(owner: ResId) -> str:
    name = f"{owner.namespace}/{owner.name}" if owner.namespace else owner.name
    return f"{owner.gvk.kind} {name}"


def _effects_of(impact: Impact | None) -> tuple[Effect, ...]:
    return () if impact is None else (impact.effect,)


def _has_matchers(resource: Resource) -> bool:
    """Return True if a matcher is left because it could not be applied."""
    machine = VirtualMachineView.of(resource)
    return machine is not None and any(machine.spec.get(key) is not None for key in MATCHER_KEYS)


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
    own = tuple(
        change._replace(impact=_SAME)
        if _is_inside(change, template) and not _overlaps_any(change, applied_changes)
        else change
        for change in changes
    )
    kept = _kept_revisions(*written, release)
    inherited = tuple(
        change._replace(inherited=True, impact=kept)
        for change in applied_changes
        if _is_inside(change, template) and not _overlaps_any(change, changes)
    )
    return own + inherited


def _is_inside(change: FieldChange, place: FieldPath) -> bool:
    return change.field.segments[: len(place.segments)] == place.segments


def _overlaps_any(change: FieldChange, others: Iterable[FieldChange]) -> bool:
    """Return True if one of the others is about the same field, or one inside or around it."""
    segments = change.field.segments
    return any(
        all(one == other for one, other in zip(segments, each.field.segments, strict=False))
        for each in others
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
