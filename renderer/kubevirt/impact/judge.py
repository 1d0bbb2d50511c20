"""The impact of each changed field of a virtual machine, and of the change as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.stored_values import differences
from renderer.kubevirt.facts.virtual_machine import HALTED
from renderer.kubevirt.impact.migratable import unknown_claims
from renderer.kubevirt.impact.other_cluster import UPDATER
from renderer.kubevirt.impact.state import FieldIndex, InstancePatch, InstanceState, Update, VmChange
from renderer.kubevirt.impact.sync import VM_GO, Reaction, sync
from renderer.kubevirt.impact.table import Views, impact_by_table
from renderer.model.difference import DataChange, Effect, FieldChange, GuestChange, Impact, by_severity, worst
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.plural import abridged

#: Effects that are the same whether or not the VM runs.
_ALWAYS = frozenset({Effect.NONE, Effect.START, Effect.STOP, Effect.DELETED, Effect.REFUSED})
_BY_MIGRATION = frozenset({Effect.NEXT_MIGRATION, Effect.MIGRATION, Effect.BLOCKED})
#: Maximums that the instance was started with, not its current amounts.
_PLANNED = frozenset({"maxSockets", "maxGuest"})
_NOTES = frozenset(
    {
        "kubevirt.io/cluster-instancetype-name",
        "kubevirt.io/cluster-preference-name",
        "kubevirt.io/instancetype-name",
        "kubevirt.io/preference-name",
    }
)
_WAITS = "it waits for the restart that another change needs"
_SILENT = "no condition says so"
#: Amounts that KubeVirt raises with memory and sockets that it plugs in; a restart sets them back.
_RESOURCES = ("spec", "domain", "resources")
_MOST_NAMED = 3
_SAME = "the VM stays the same"
_RUNNING = "the running VM stays unchanged"


class Judgement(NamedTuple):
    """The changes with their impacts, and the effect of the whole change on the VM.

    ``effects`` are all effects, the worst first. ``pending`` are the fields in which the next instance will
    differ from the running one. ``running`` is the instance after the change; empty if it is not known.
    ``data`` and ``guest`` are what the change does to disks, and what the guest sees.
    """

    changes: tuple[FieldChange, ...]
    impact: Impact | None
    effects: tuple[Effect, ...] = ()
    pending: tuple[FieldPath, ...] = ()
    start_refusal: str = ""
    running: JsonObject = EMPTY
    data: tuple[DataChange, ...] = ()
    guest: tuple[GuestChange, ...] = ()


def judge(views: Views, vm_change: VmChange | None, changes: Iterable[FieldChange]) -> Judgement:
    """Judge the changes of one object; ``vm_change`` is None without known states of a VM."""
    changes = tuple(changes)
    if vm_change is None:
        return _judge_fields(views, changes)
    if vm_change.update_refusal:
        return Judgement(changes, Impact(Effect.REFUSED, vm_change.update_refusal), (Effect.REFUSED,))
    vm = _VmImpacts(views, vm_change)
    judged = tuple(
        change
        if change.impact and not vm.requires_restart(change)
        else change._replace(impact=vm.impact_of(change))
        for change in changes
    )
    impacts = [*(each.impact for each in judged if each.impact), *vm.whole()]
    counted = [impact for impact in impacts if impact.effect is not Effect.PENDING or vm.differs]
    return Judgement(
        judged,
        worst(counted) or worst(impacts),
        by_severity(each.effect for each in impacts),
        () if vm.halted or vm_change.start_refusal else vm.pending,
        "" if vm.halted else vm_change.start_refusal,
        EMPTY if vm.halted else vm.state.instance,
    )


def with_impact(judgement: Judgement, impact: Impact | None) -> Judgement:
    """Return a judgement with another impact on the whole; None adds nothing."""
    if impact is None:
        return judgement
    impacts = [impact, *([judgement.impact] if judgement.impact else [])]
    effects = by_severity((*judgement.effects, impact.effect))
    return judgement._replace(impact=worst(impacts), effects=effects)


def _judge_fields(views: Views, changes: tuple[FieldChange, ...]) -> Judgement:
    """Judge each field only by the table."""
    unknown = Impact(Effect.RESTART, "how it is started is unknown; counted as a restart")
    judged = tuple(
        change._replace(impact=change.impact or _in_state(views, impact_by_table(views, change) or unknown))
        for change in changes
    )
    impacts = [each.impact for each in judged if each.impact]
    return Judgement(judged, worst(impacts), by_severity(each.effect for each in impacts))


def _in_state(views: Views, impact: Impact) -> Impact:
    """Return the impact on the VM in its present state: a stopped VM is affected less."""
    before, after = views.before.run_strategy, views.after.run_strategy
    if impact.effect in _ALWAYS or HALTED not in (before, after):
        return impact
    reason = "the VM is halted before" if before == HALTED else "the VM is halted by it"
    return Impact(Effect.NEXT_START, reason, impact.source)


class _VmImpacts:
    """The impacts of the change of one VirtualMachine, derived from the reaction of virt-controller to it."""

    def __init__(self, views: Views, change: VmChange) -> None:
        self._views = views
        self._change = change
        self._update = Update(change.before, change.after, views.cluster, change.access_modes)
        self.halted = change.before.run_strategy == HALTED if change.runs is None else not change.runs
        self.stopped = change.after.run_strategy == HALTED
        reaction = Reaction(InstanceState(change.before.instance), change.after.instance)
        if not self.halted:
            reaction = sync(self._update, change.between, change.waiting)
        if not self.halted and change.waiting:
            waiting = sync(self._update._replace(after=change.waiting))
            reaction = _without_waiting_fields(reaction, waiting)
        self.state = reaction.state
        self.pending = tuple(_pending_fields(reaction))
        changed = FieldIndex(differences(change.before.instance, reaction.next_instance))
        #: What the change itself makes wait for the next start.
        self._pending = [
            field
            for field in self.pending
            if field.segments[: len(_RESOURCES)] != _RESOURCES or field in changed
        ]
        #: True if more waits for the next start than the names that KubeVirt notes for people.
        self.differs = any(field.segments[-1] not in _NOTES for field in self._pending)
        self._waits = FieldIndex(field for field in self._pending if field.segments[-1] not in _NOTES)
        self._patches = tuple(
            (self._with_starter(patch), FieldIndex(patch.fields)) for patch in self.state.patches
        )
        self._restarts = FieldIndex(self.state.restart.fields if self.state.restart else ())

    def requires_restart(self, change: FieldChange) -> bool:
        """Return True if KubeVirt compares the field and sets RestartRequired for it."""
        return (
            not self.halted
            and self.state.restart is not None
            and _in_instance(change.field) in self._restarts
        )

    def impact_of(self, change: FieldChange) -> Impact:
        """Return the impact of one field."""
        impact = impact_by_table(self._views, change)
        if impact is not None:
            return _in_state(self._views, impact)
        field = _in_instance(change.field)
        if self.halted or self.stopped:
            counts = field in self._waits
            text = "the VM is halted before" if self.halted else "the VM is halted by it"
            return Impact(Effect.NEXT_START, text) if counts else Impact(Effect.NONE, _SAME)
        same = _RUNNING if self._change.waiting else _SAME
        return worst(list(self._impacts(field))) or Impact(Effect.NONE, same, f"{VM_GO} sync")

    def _impacts(self, field: FieldPath) -> Iterator[Impact]:
        state = self.state
        for patch, fields in self._patches:
            if field in fields:
                yield Impact(patch.effect, patch.reason, patch.source)
        if state.restart and field in self._restarts:
            yield Impact(Effect.RESTART, state.restart.reason, state.restart.source)
        elif field in self._waits:
            yield self._pending_impact()

    def _pending_impact(self, fields: Sequence[FieldPath] = ()) -> Impact:
        """Return the impact on fields that wait for a restart of the VM; the reason names ``fields``."""
        if self.state.restart:
            return Impact(Effect.RESTART, _WAITS, self.state.restart.source)
        if self.state.stuck:
            return Impact(Effect.STUCK, self.state.stuck.reason, self.state.stuck.source)
        names = abridged([str(field) for field in fields], _MOST_NAMED)
        what = f"{names}: takes effect" if fields else "it takes effect"
        return Impact(Effect.PENDING, f"{what} at the next start; {_SILENT}", f"{VM_GO} sync")

    def whole(self) -> Iterator[Impact]:
        """Yield the effects on the VM as a whole, from any field."""
        if self._change.start_refusal and not self.halted:
            reason = f"the next instance is refused: {self._change.start_refusal}"
            yield Impact(Effect.NO_START, reason)
        if self.halted or self.stopped:
            return
        for patch, _ in self._patches:
            yield Impact(patch.effect, patch.reason, patch.source)
        if self.state.restart:
            yield Impact(Effect.RESTART, self.state.restart.reason, self.state.restart.source)
        if self.state.stuck:
            yield Impact(Effect.STUCK, self.state.stuck.reason, self.state.stuck.source)
        if self._pending:
            yield self._pending_impact(self._pending)

    def _with_starter(self, patch: InstancePatch) -> InstancePatch:
        """Return a patch with who starts the live migration that it needs, and what is unknown about it."""
        if patch.effect not in _BY_MIGRATION:
            return patch
        reason = patch.reason
        unknown = () if patch.effect is Effect.BLOCKED else unknown_claims(self._update, self.state)
        if unknown:
            reason += (
                f", if {' and '.join(dict.fromkeys(unknown))} can be mounted by many nodes (ReadWriteMany)"
            )
        return _started_by(patch._replace(reason=reason), self._views.cluster)


def _started_by(patch: InstancePatch, cluster: Cluster) -> InstancePatch:
    methods = cluster.workload_update_methods
    if methods and "LiveMigrate" in methods and patch.effect is not Effect.BLOCKED:
        return patch._replace(
            reason=f"{patch.reason}; KubeVirt starts it (workloadUpdateMethods: LiveMigrate)"
        )
    if methods and "Evict" in methods:
        reason = f"{patch.reason}; KubeVirt evicts the instance (workloadUpdateMethods: Evict)"
        return InstancePatch(Effect.EVICTED, reason, patch.fields, UPDATER)
    if patch.effect is Effect.BLOCKED:
        return patch
    if methods is None:
        return patch._replace(
            reason=f"{patch.reason}; nobody starts it unless workloadUpdateMethods of the cluster say so"
        )
    return patch._replace(reason=f"{patch.reason}; nobody starts it (workloadUpdateMethods is empty)")


def _without_waiting_fields(reaction: Reaction, waiting: Reaction) -> Reaction:
    """Return a reaction without the fields that were already waiting for the next start."""
    others = FieldIndex(differences(waiting.next_instance, reaction.next_instance))
    restart = reaction.state.restart
    if restart and waiting.state.restart and not any(each in others for each in restart.fields):
        reaction = reaction._replace(state=reaction.state._replace(restart=None))
    pending = tuple(each for each in _pending_fields(reaction) if each not in others)
    return reaction._replace(waits=pending)


def _pending_fields(reaction: Reaction) -> Iterator[FieldPath]:
    waits = frozenset(reaction.waits)
    for field in differences(reaction.state.instance, reaction.next_instance):
        if field.segments[-1] not in _PLANNED and field not in waits:
            yield field


def _in_instance(field: FieldPath) -> FieldPath:
    """Return a field of the VirtualMachine as a field of the instance that is created from it."""
    if field.segments[:2] == ("spec", "template"):
        return FieldPath(field.segments[2:])
    if field.segments == ("spec", "updateVolumesStrategy"):
        return FieldPath(("spec", "volumes"))
    return field
