"""Compare one overlay with a cluster: the drift, its author, and the effect of a sync on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from shlex import quote
from typing import NamedTuple, TypeAlias

from renderer.adopt.live.cluster_objects import ClusterObjects
from renderer.adopt.live.deletions import DELETION, what_is_lost, without_finalizers
from renderer.adopt.live.drift import Drift
from renderer.adopt.live.ignored_differences import NO_RULES, IgnoreRules, effective_rules, flux_policy
from renderer.diff.images import image_moves
from renderer.diff.machine_outlook import Outlook
from renderer.diff.masking import shown_guest, without_secret_words
from renderer.diff.missing import Makers, removed_objects, with_missing_objects
from renderer.diff.orders import with_orders
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.reads import with_reads
from renderer.diff.update_judge import refused_update
from renderer.diff.vm_fields import vm_changes
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.kubevirt.facts.kinds import MATCHER_KEYS, VM, VMI
from renderer.kubevirt.facts.stored_values import differences
from renderer.kubevirt.facts.virtual_machine import PATHS, VirtualMachineView
from renderer.kubevirt.impact.guest_machine import GuestCluster
from renderer.kubevirt.impact.immutable.claim_size import classes_by_name
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.kubevirt.impact.judge import Judgement, judge
from renderer.kubevirt.impact.lost_objects import lost_with, may_hold_data
from renderer.kubevirt.impact.lost_revision import named_revisions, still_needed, with_lost_revisions
from renderer.kubevirt.impact.other_cluster import installation
from renderer.kubevirt.impact.other_operators import removal_impact
from renderer.kubevirt.impact.state import SINCE_REVISION_IN_STATUS, VmChange
from renderer.kubevirt.impact.stateful_set import claims_lost_by_scaling
from renderer.kubevirt.impact.storage_objects import StorageObjects
from renderer.kubevirt.impact.table import Views
from renderer.kubevirt.instancetype.cluster_kubevirt import kubevirt_of
from renderer.model.difference import (
    ChangeType,
    DataChange,
    DataEffect,
    Effect,
    FieldChange,
    IgnoredDifferences,
    Impact,
    OverlayDifference,
    ResourceChange,
    by_severity,
    changes_of,
    effects_of,
)
from renderer.model.kube.encryption import SOPS, has_ciphertext, is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, without
from renderer.model.kube.res_id import ObjectKey, namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking
from renderer.model.plural import abridged, plural
from renderer.model.run.taint import taint_masking, values_in_places

_PRUNED = Impact(Effect.DELETED, "deleted with the disks that it owns, once it is pruned")
_RUNS_ON = Impact(Effect.NONE, "what runs keeps its disks until it stops")
_UNCHANGED = Impact(Effect.NONE, "a sync keeps all of these fields")
_SOPS = "encrypted by SOPS"
_MOST_NAMED = 3
#: The name of the group of objects that the project could have but does not have.
_IN_NO_OVERLAY, _IN_NO_COMPARED_OVERLAY = "in no overlay", "in no compared overlay"


class SyncedVm(NamedTuple):
    """A VirtualMachine before and after a sync; ``applied`` are both with their instance types applied."""

    change: VmChange
    applied: tuple[Resource, Resource]


#: Returns a VirtualMachine of the cluster and its state after a sync; None if KubeVirt could not expand it.
Sync: TypeAlias = Callable[[Resource, Resource], SyncedVm | None]


class SyncRules(NamedTuple):
    """The rules by which the engine of an overlay syncs it.

    ``predicted`` are its objects with the fields that KubeVirt's webhook fills in. ``runs_as_stored`` tests
    whether the instance of a machine has the spec that the cluster stores. ``rules`` are the differences
    that its engine ignores. ``tracked`` are the objects of the cluster that the engine considers as part of
    this overlay. ``retention`` returns why the engine keeps such an object that Git no longer has; empty if
    it prunes it. ``without_flux`` is why Flux's annotations on objects are not followed, as Argo CD deploys
    the overlay, or nobody knows what does; empty if Flux does. ``namespace`` is the one that the engine
    gives to objects without one; empty if that is not known. ``revisions`` are the ControllerRevisions of
    all overlays, by namespace and name.
    """

    predicted: Mapping[ObjectKey, JsonObject]
    sync: Sync
    retention: Callable[[Resource], str]
    without_flux: str
    namespace: str
    runs_as_stored: Callable[[Resource], bool] = lambda _: True
    rules: IgnoreRules = NO_RULES
    tracked: Iterable[Resource] = ()
    revisions: Container[tuple[str, str]] = frozenset()


class LiveDifference(NamedTuple):
    """The difference of an overlay, and the objects that a sync changes, as they are after it."""

    difference: OverlayDifference
    synced: tuple[Resource, ...]


def compare_with_cluster(
    path: str, name: str, overlay: OverlaySide, cluster: ClusterObjects, settings: SyncRules
) -> LiveDifference:
    """Return the differences between a cluster and a rendered overlay, in the direction of a sync."""
    comparison = _LiveComparison(overlay, cluster, settings)
    changes = [change for each in overlay.written if (change := comparison.of(each)) is not None]
    written = {each.object_key for each in comparison.matched}
    drifted = len(changes)
    changes = with_reads(changes, overlay.written, overlay.release, comparison.is_running)
    changes = with_orders(changes, overlay.written, overlay.release, comparison.is_running)
    comparison.equal -= len(changes) - drifted
    leaving = (each for each in settings.tracked if each.object_key not in written)
    changes += map(comparison.removed, leaving)
    present = len(changes)
    removed, written_now = {**removed_objects(changes), **cluster.deletions.removed}, overlay.written
    changes = with_missing_objects(
        changes, written_now, Makers(written_now).may_make, overlay.release, removed
    )
    changes = comparison.with_lost_disks(changes)
    comparison.equal -= len(changes) - present
    difference = OverlayDifference(
        path=path,
        name=name,
        releases=(overlay.release, overlay.release),
        changes=tuple(
            without_secret_words(change, comparison.secrets)
            for change in sorted(changes, key=ResourceChange.order)
        ),
        equal=comparison.equal,
        images=tuple(image_moves(comparison.drifted, comparison.secrets)),
        ignored=tuple(comparison.ignored_differences()),
        notes=tuple(comparison.notes()),
    )
    return LiveDifference(difference, tuple(synced for _, synced in comparison.drifted))


def in_no_overlay(
    objects: ClusterObjects,
    overlays: Collection[OverlayDifference],
    is_from_user: Callable[[Resource], bool],
    known: Sequence[Resource],
    dump: str,
) -> tuple[OverlayDifference | None, int]:
    """Return the objects that Git could have but lacks, and the number of objects that are not compared.

    Git could have an object if its kind and namespace occur in ``known`` (everything that all overlays
    render, and what the cluster has of it) and ``is_from_user`` says that a person made it. Without such
    objects, the difference is None. ``dump`` is the name of the dump, from which they can be imported; it is
    empty if other overlays may have them.
    """
    in_git = {each.object_key for each in known}
    reported = {change.id for change in changes_of(overlays)}
    kinds = {each.kind for each in known} | PATHS.keys()
    namespaces = {each.namespace for each in known}
    found: list[ResourceChange] = []
    others = 0
    for live in objects.resources:
        if live.object_key in in_git or live.current_id in reported or live.kind == VMI:
            continue
        if live.namespace in namespaces and live.kind in kinds and is_from_user(live):
            runs = objects.runs(live)
            found.append(ResourceChange(ChangeType.REMOVED, live.current_id, None, runs=runs))
        else:
            others += 1
    if not found:
        return None, others
    names = [namespaced_name(each.id.namespace, each.id.name) for each in found]
    named = "".join(f" --only {quote(name)}" for name in dict.fromkeys(names))
    options = named if len(names) <= _MOST_NAMED else ""
    note = f"to add {'it' if len(names) == 1 else 'them'} to Git: vmrender import {quote(dump)}{options}"
    path = _IN_NO_OVERLAY if dump else _IN_NO_COMPARED_OVERLAY
    notes = (note if dump else "overlays that are not compared may have them",)
    return OverlayDifference(path, "", (None, None), tuple(found), notes=notes), others


class _LiveComparison:
    """The comparison of one overlay in progress.

    ``matched`` are the objects of the cluster that Git has, ``drifted`` those that a sync changes, before and
    after.
    """

    def __init__(self, overlay: OverlaySide, objects: ClusterObjects, settings: SyncRules) -> None:
        self.equal = 0
        self.matched: list[Resource] = []
        self.drifted: list[tuple[Resource, Resource]] = []
        self._overlay = overlay
        self._objects = objects
        self._settings = settings
        self._cluster_kubevirt = objects.configuration(overlay.release)
        self._cluster = overlay.cluster(self._cluster_kubevirt)
        self._ignored: Counter[str] = Counter()
        self._unjudged = 0
        self._drifts = 0
        self._waiting: list[str] = []
        self._restarting: list[str] = []
        self._without_owners: list[str] = []
        self._ambiguous: list[str] = []
        self._applied_anyway: dict[str, list[str]] = {}

    @cached_property
    def secrets(self) -> Masking:
        """The values of the Secrets of Git and of the cluster."""
        written = secret_values(each.content for each in self._overlay.written)
        in_places = values_in_places(each.content for each in self._objects.resources)
        known = written | self._objects.secret_values | in_places
        return Masking(known, others=(taint_masking(),))

    def _find(self, written: Resource) -> Resource | None:
        return self._objects.find(written, self._settings.namespace)

    def of(self, written: Resource) -> ResourceChange | None:
        """Return the drift of one object of Git; None if it is in sync, or its drift is ignored."""
        live = self._find(written)
        if live is not None:
            self.matched.append(live)
        policy = flux_policy(written, live)
        is_exempt = bool(policy.ignores) and not self._settings.without_flux
        change: ResourceChange | None = None
        is_unreadable = is_encrypted(written) and has_ciphertext(without(written.content, SOPS))
        if is_exempt or is_unreadable:
            self._ignored[policy.ignores if is_exempt else _SOPS] += 1
        else:
            change = self._change_of(written, live, merges=policy.merges)
            if policy.ignores and change is not None:
                self._applied_anyway.setdefault(policy.ignores, []).append(str(written.current_id))
        deletion = "" if live is None else self._objects.deletions.reason(live)
        if live is not None and deletion:
            is_made_again = not is_exempt or not flux_policy(written, None).ignores
            return self._deleted(live, written, change, deletion, is_made_again=is_made_again)
        self.equal += change is None and not is_exempt and not is_unreadable
        return change

    def _change_of(self, written: Resource, live: Resource | None, *, merges: bool) -> ResourceChange | None:
        if live is None:
            if not (written.namespace or self._settings.namespace) and self._objects.named(written):
                self._ambiguous.append(str(written.current_id))
            impact = self._overlay.refusal(written) or self._objects.deletions.refusal(written)
            return ResourceChange(ChangeType.ADDED, None, written.current_id, (), impact, effects_of(impact))
        predicted = self._settings.predicted.get(written.object_key, written.content)
        if is_encrypted(written):  # Flux removes the field, and the API server drops it
            written = written.with_content(without(written.content, SOPS))
            predicted = without(predicted, SOPS)
        applied = self._objects.applied_revisions if live.kind == VM else ()
        drift = self._without_ignored(
            Drift(live, written, predicted, merges=merges, applied_revisions=applied)
        )
        self._unjudged += drift.unjudged
        synced: SyncedVm | None = None
        if live.kind == VM:
            if drift.fields or not self._settings.runs_as_stored(live):
                synced = self._settings.sync(live, live.with_content(drift.synced()))
            self._note_restart(live, synced, has_drift=bool(drift.fields))
        if not drift.fields and not (live.kind == VM and self._lost_revisions(drift)):
            return None
        self._drifts += bool(drift.fields)
        if drift.fields and not drift.owners:
            self._without_owners.append(str(live.current_id))
        return self._change(drift, written, synced)

    def _deleted(
        self,
        live: Resource,
        written: Resource,
        drift: ResourceChange | None,
        reason: str,
        *,
        is_made_again: bool,
    ) -> ResourceChange:
        """Return the change of an object that the cluster is deleting, and that Git has."""
        refusal = self._overlay.refusal(written)
        if refusal is not None:
            reason, effect = f"{reason}; what Git has is refused: {refusal.reason}", Effect.DELETED
        elif self._objects.deletions.has_kind(live):
            effect = Effect.DELETED
        elif not is_made_again:
            reason, effect = f"{reason}; Flux does not create it again", Effect.DELETED
        else:
            effect = Effect.REPLACED if may_hold_data(live) else Effect.RECREATED
            reason = f"{reason}; a sync creates it again, once it is gone"
        change = drift or ResourceChange(ChangeType.CHANGED, live.current_id, written.current_id)
        machine = VirtualMachineView.of(live)
        if machine is not None and self._objects.deletions.has_namespace(live):
            data = tuple(self._objects.deletions.lost_disks(machine, self._objects.storage))
        else:
            data = what_is_lost(live, self._lost_with(without_finalizers(live)))
        effects = {*change.effects, effect, *effects_of(refusal)}
        return change._replace(
            impact=Impact(effect, reason, DELETION),
            effects=by_severity(effects),
            runs=self._runs(live),
            data=data,
        )

    def with_lost_disks(self, changes: Iterable[ResourceChange]) -> list[ResourceChange]:
        """Return the changes, with the disks of machines that the cluster is deleting."""
        found = {change.id: change for change in changes}
        for written in self._overlay.written if self._objects.deletions.objects else ():
            machine, live = VirtualMachineView.of(written), self._find(written)
            if machine is None or live is None:
                continue
            lost = [*self._objects.deletions.lost_disks(machine, self._objects.storage)]
            own = found.get(written.current_id)
            known = {each.disk for each in own.data if each.effect is DataEffect.LOST} if own else set()
            lost = [each for each in lost if each.disk not in known]
            if lost:
                change = own or ResourceChange(
                    *(ChangeType.CHANGED, live.current_id, written.current_id, (), _RUNS_ON),
                    runs=self._runs(live),
                )
                found[written.current_id] = change._replace(data=(*lost, *change.data))
        return [*found.values()]

    def removed(self, live: Resource) -> ResourceChange:
        """Return the change of an object that the engine tracks, but that Git no longer has."""
        reason = self._settings.retention(live)
        if reason:
            impact: Impact | None = Impact(Effect.NONE, f"not pruned: {reason}")
        else:
            impact = self._removal_impact(live) if VirtualMachineView.of(live) is None else _PRUNED
        return ResourceChange(
            ChangeType.REMOVED,
            live.current_id,
            None,
            (),
            impact,
            effects_of(impact),
            runs=self._runs(live),
            data=() if reason else self._lost_with(live),
        )

    def _removal_impact(self, live: Resource) -> Impact | None:
        engine = self._overlay.engine
        return (engine.removal(live) if engine else None) or removal_impact(live)

    def _lost_with(self, live: Resource) -> tuple[DataChange, ...]:
        if VirtualMachineView.of(live) is None:
            return lost_with(live, self._outlook.storage[0], ())
        return self._outlook.of_deletion(live, live)

    @cached_property
    def _outlook(self) -> Outlook:
        live = self._objects.storage
        synced = StorageObjects(self._overlay.written).before(live)
        storage = live, synced.before(StorageObjects(self._overlay.storage_classes))
        release = self._overlay.release
        cluster = GuestCluster.of(release, self._objects.configuration(release))
        return Outlook(storage, (cluster, cluster))

    @cached_property
    def _storage_classes(self) -> Mapping[str, Resource]:
        return classes_by_name((*self._overlay.written, *self._objects.resources))

    def ignored_differences(self) -> Iterable[IgnoredDifferences]:
        """Yield the ignored differences, and the rules that could not be evaluated."""
        for source, count in sorted(self._ignored.items()):
            yield IgnoredDifferences(source, count)
        for rule in self._settings.rules.all:
            for expression in rule.not_evaluated:
                yield IgnoredDifferences(rule.source, 0, f"not evaluated: {expression}")
            if rule.unused:
                yield IgnoredDifferences(rule.source, 0, f"not considered: {rule.unused}")

    def notes(self) -> Iterable[str]:
        """Yield notes about the dump for the reader."""
        unowned = self._without_owners
        if unowned and len(unowned) == self._drifts:
            yield "the dump does not say who owns fields: print it with kubectl get --show-managed-fields"
        elif unowned:
            names = abridged(unowned, _MOST_NAMED)
            yield f"the dump has no managedFields of {names}, so it does not say who owns their fields"
        if self._ambiguous:
            named = abridged(self._ambiguous, _MOST_NAMED)
            yield f"counted as only in Git, since Git names no namespace and several have one: {named}"
        for annotation, exempt in self._applied_anyway.items():
            named = abridged(exempt, _MOST_NAMED)
            yield f"{annotation} of {named} is not considered: {self._settings.without_flux}"
        if self._restarting:
            named = abridged(self._restarting, _MOST_NAMED)
            yield f"running with another spec than the cluster stores, and due for a restart: {named}"
        if self._waiting:
            yield (
                f"RestartRequired is set on {abridged(self._waiting, _MOST_NAMED)}: the running instance has"
                " another spec than the cluster stores, so the effects may differ"
            )
        if self._unjudged:
            fields = plural(self._unjudged, "field")
            yield f"{fields} that only the cluster has count as defaults: their kinds are unknown"

    def _without_ignored(self, drift: Drift) -> Drift:
        rules = self._settings.rules.about(drift.live.current_id)
        for rule, completed in effective_rules(rules, drift.completed, drift.stored, drift.owners):
            left = drift.with_completed(completed)
            if len(left.fields) < len(drift.fields):
                self._ignored[rule.source] += len(drift.fields) - len(left.fields)
            drift = left
            if not drift.fields:
                break
        return drift

    def _note_restart(self, live: Resource, synced: SyncedVm | None, *, has_drift: bool) -> None:
        """Note that a virtual machine runs with a spec other than the one stored in the cluster, if so."""
        waiting = None if synced is None else synced.change.waiting
        if synced is not None and waiting is not None:
            fields = list(map(str, differences(synced.change.before.applied, waiting.applied)))
            self._restarting.append(f"{live.current_id} ({abridged(fields, _MOST_NAMED)})")
        elif has_drift and self._objects.waits_for_restart(live):
            self._waiting.append(str(live.current_id))

    def _change(self, drift: Drift, written: Resource, synced: SyncedVm | None) -> ResourceChange:
        judgement, refusal = self._judgement(drift, synced), self._overlay.refusal(written)
        changes = drift.owned_changes()
        if refusal is None:
            impacts = {change.field: change.impact for change in judgement.changes}
            changes = [_with_impact(each, impacts) for each in changes]
            changes += [change for change in judgement.changes if change.inherited]
        contents = drift.live.content, written.content
        confidential = ConfidentialFields(written.kind, contents, self.secrets)
        change = ResourceChange(
            ChangeType.CHANGED,
            drift.live.current_id,
            written.current_id,
            tuple(map(confidential.without_secrets, changes)),
            refusal or judgement.impact,
            judgement.effects or effects_of(judgement.impact),
            judgement.pending,
            judgement.start_refusal,
            self._runs(drift.live),
            data=judgement.data,
            guest=shown_guest(judgement.guest, synced.applied if synced else (), self.secrets),
        )
        if refusal is None:
            return change
        return change._replace(effects=effects_of(refusal), pending=(), start_refusal="", data=(), guest=())

    def _judgement(self, drift: Drift, found: SyncedVm | None) -> Judgement:
        """Judge the effect of a sync on a virtual machine, and if the cluster refuses it for an object."""
        live, synced = drift.live.with_content(drift.stored), drift.live.with_content(drift.synced())
        self.drifted.append((live, synced))
        update = ObjectUpdate(live, synced, self._storage_classes, object_at(drift.live.content, "status"))
        refused = refused_update(update, drift.owned_changes(), self._overlay)
        if refused is not None:
            return refused
        views = VirtualMachineView.of(live), VirtualMachineView.of(synced)
        if views[0] is None or views[1] is None:
            data = claims_lost_by_scaling(live, synced, self._objects.storage)
            return Judgement((), self._installation(live, synced), data=data)
        lost = self._lost_revisions(drift) if live.kind == VM else {}
        changes = vm_changes(
            (views[0], views[1]),
            _with_matchers_applied((views[0], views[1]), found),
            self._cluster.release,
        )
        if not changes:
            return with_lost_revisions(Judgement((), _UNCHANGED), lost, lost.__getitem__)
        change = None if found is None else found.change._replace(runs=self._runs(drift.live))
        judgement = judge(Views(views[0], views[1], self._cluster), change, changes)
        if change is not None:
            judgement = self._outlook.of_update(change, live, synced, judgement)
        return with_lost_revisions(judgement, lost, lost.__getitem__)

    def _installation(self, live: Resource, synced: Resource) -> Impact | None:
        """Return what happens to running machines when KubeVirt gets another release or configuration."""
        release, kubevirt = self._cluster.release, self._cluster_kubevirt
        made = kubevirt_of(live, release).content, kubevirt_of(synced, release).content
        return installation(live, synced, made, self._cluster, kubevirt, self._overlay.written)

    def _lost_revisions(self, drift: Drift) -> Mapping[str, str]:
        """Return the ControllerRevisions that a VM needs after a sync and will not have, with the reasons."""
        if self._cluster.release < SINCE_REVISION_IN_STATUS:
            return {}
        live = drift.live
        named = named_revisions(object_at(live.content, "spec"), object_at(live.content, "status"))
        reasons = {name: self._loss(live.namespace, name) for name in named.values()}
        if not any(reasons.values()):
            return {}
        needed = still_needed(named, object_at(drift.synced(), "spec"))
        return {name: reasons[name] for name in needed if reasons[name]}

    def _loss(self, namespace: str, revision: str) -> str:
        """Return why the cluster will not have a ControllerRevision; empty if it may have it."""
        is_covered = namespace in self._objects.namespaces_with_revisions
        if (namespace, revision) in self._settings.revisions or not is_covered:
            return ""
        label = f"its status names ControllerRevision {revision}"
        found = self._objects.revisions.get((namespace, revision))
        if found is None:
            return f"{label}, which neither Git nor the cluster has"
        if (namespace, revision) not in self._objects.applied_revisions:
            return ""
        if self._settings.retention(found):
            return ""
        return f"{label}, which Git does not have: once that is pruned, KubeVirt cannot start the VM"

    def is_running(self, machine: VirtualMachineView) -> bool:
        """Return True if a machine of Git runs in the cluster, or if one is to run and that is unknown."""
        live = self._find(machine.resource)
        runs = None if live is None else self._runs(live)
        return not machine.is_halted if runs is None else runs

    def _runs(self, live: Resource) -> bool | None:
        return self._objects.runs(live) if live.kind == VM else None


def _with_matchers_applied(
    views: tuple[VirtualMachineView, VirtualMachineView], found: SyncedVm | None
) -> tuple[VirtualMachineView, VirtualMachineView]:
    """Return both states with their instance types and preferences applied, if they have any."""
    if found is None or not any(view.spec.get(key) for view in views for key in MATCHER_KEYS):
        return views
    seen = VirtualMachineView.of(found.applied[0]), VirtualMachineView.of(found.applied[1])
    return seen[0] or views[0], seen[1] or views[1]


def _with_impact(change: FieldChange, impacts: Mapping[FieldPath, Impact | None]) -> FieldChange:
    """Return a change with its impact; the first label or annotation has the impact of all of them."""
    field = change.field if change.field in impacts else change.field.parent
    return change._replace(impact=impacts.get(field))
