"""The reaction of virt-controller to a change of a VirtualMachine: the steps of its ``sync``, by release.

Read in the sources of v1.0.1, v1.1.1, v1.2.2, v1.3.1, v1.4.1, v1.5.3, v1.6.6, v1.7.4, v1.8.4 and, for 1.9, of
the commit d923fdb815.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.stored_values import differences, with_part
from renderer.kubevirt.facts.virtual_machine import HALTED, WAIT_AS_RECEIVER
from renderer.kubevirt.impact.network import (
    interface_names,
    sync_interfaces,
    with_cleared_interfaces,
    with_network_of,
)
from renderer.kubevirt.impact.resources import handle_cpu_change, handle_memory_change
from renderer.kubevirt.impact.restart import sync_restart_required
from renderer.kubevirt.impact.state import (
    LIVE_UPDATE_FEATURES_UNTIL,
    FieldIndex,
    InstancePatch,
    InstanceState,
    Step,
    Update,
    VmState,
)
from renderer.kubevirt.impact.storage import handle_declarative_volumes
from renderer.kubevirt.impact.volume_migration import handle_volume_update
from renderer.model.difference import Effect
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.release import OLDEST, Release

_ANNOTATIONS = ("metadata", "annotations")
_EVICT = "descheduler.alpha.kubernetes.io/evict"
_EVICT_BETA = "descheduler.beta.kubernetes.io/evict"  # 1.6.0 alone
_PREFER_NO_EVICTION = "descheduler.alpha.kubernetes.io/prefer-no-eviction"
_SINCE_PREFER_NO_EVICTION = Release(1, 6, 1)
_BACKUP_HOOKS_COPIED = (Release(1, 6, 6), Release(1, 7, 3))
_BACKUP_HOOKS = "kubevirt.io/skip-backup-hooks"
_AT_MIGRATION = "it takes effect at the next live migration"
VM_GO = "pkg/virt-controller/watch/vm/vm.go"
_SINCE_CLEARED_INTERFACES = Release(1, 0, 1)
_RESTART_IS_RESET = (Release(1, 6, 4), Release(1, 7, 1))
_MOST_PASSES = 4


class SyncStep(NamedTuple):
    """A step of ``sync`` and the function of KubeVirt that it follows.

    ``since`` is the first release that has it. A ``live`` step is skipped while the VM waits for a restart,
    and if the cluster stages changes. A VM that the change stops only gets the ``early`` steps.
    """

    step: Step
    source: str
    since: Release = OLDEST
    live: bool = False
    early: bool = False


class Reaction(NamedTuple):
    """The final state of the instance, and the instance that the next start would create.

    ``waits`` are the fields in which the two already differed in the same way before the change.
    """

    state: InstanceState
    next_instance: JsonObject
    waits: tuple[FieldPath, ...] = ()


def handle_affinity_change(update: Update, state: InstanceState) -> InstanceState:
    """Patch ``affinity`` and ``nodeSelector``; in 1.1 if ``liveUpdateFeatures`` asks for it, in 1.0 never."""
    release = update.cluster.release
    chosen = object_at(update.after.spec, "liveUpdateFeatures").get("affinity") is not None
    if release < LIVE_UPDATE_FEATURES_UNTIL and not (chosen and release >= Release(1, 1)):
        return state
    return _patched_from_template(update, state, "affinity", "nodeSelector")


def handle_tolerations_change(update: Update, state: InstanceState) -> InstanceState:
    """Patch ``tolerations``."""
    return _patched_from_template(update, state, "tolerations")


def _patched_from_template(update: Update, state: InstanceState, *fields: str) -> InstanceState:
    for field in fields:
        wanted = update.after.applied.get(field)
        if state.spec.get(field) != wanted:
            state = state.with_patch({(field,): wanted}, Effect.LIVE, _AT_MIGRATION)
    return state


def sync_dynamic_annotations(update: Update, state: InstanceState) -> InstanceState:
    """Copy the descheduler's annotations from the template, and the backup annotation from the VM."""
    template = object_at(update.after.content, "spec", "template", *_ANNOTATIONS)
    own = object_at(update.after.content, *_ANNOTATIONS)
    changed = dict(object_at(state.instance, *_ANNOTATIONS))
    release = update.cluster.release
    copied = [(_EVICT, template)]
    copied.append((_PREFER_NO_EVICTION if release >= _SINCE_PREFER_NO_EVICTION else _EVICT_BETA, template))
    if release.includes(*_BACKUP_HOOKS_COPIED):
        copied.append((_BACKUP_HOOKS, own))
    for key, source in copied:
        value: Json = source.get(key)
        changed.pop(key, None)
        if value is not None:
            changed[key] = value
    before: JsonObject = object_at(state.instance, *_ANNOTATIONS)
    if changed == before:
        return state
    return state.with_object_patch({_ANNOTATIONS: changed}, Effect.LIVE, "the annotation is kept up to date")


def sync_run_strategy(update: Update, state: InstanceState) -> InstanceState:
    """Fail if the new run strategy of a running VM waits for a VM of another cluster."""
    if update.after.run_strategy != WAIT_AS_RECEIVER:
        return state
    if update.before.run_strategy == WAIT_AS_RECEIVER:
        return state
    return state.with_failure("a VM that runs cannot wait as a receiver", FieldPath.of("runStrategy"))


#: In KubeVirt's order.
STEPS: Sequence[SyncStep] = (
    SyncStep(sync_run_strategy, f"{VM_GO} syncRunStrategy", early=True),
    SyncStep(sync_restart_required, f"{VM_GO} syncRestartRequired", since=Release(1, 2), early=True),
    SyncStep(sync_interfaces, "pkg/network/controllers/vm.go Sync", since=Release(1, 1)),
    SyncStep(
        handle_declarative_volumes,
        "pkg/storage/hotplug/hotplug.go HandleDeclarativeVolumes",
        since=Release(1, 6),
    ),
    SyncStep(sync_dynamic_annotations, f"{VM_GO} syncDynamicAnnotationsAndLabelsToVMI", since=Release(1, 6)),
    SyncStep(handle_cpu_change, f"{VM_GO} handleCPUChangeRequest", live=True),
    SyncStep(handle_affinity_change, f"{VM_GO} handleAffinityChangeRequest", since=Release(1, 1), live=True),
    SyncStep(
        handle_tolerations_change, f"{VM_GO} handleTolerationsChangeRequest", since=Release(1, 4), live=True
    ),
    SyncStep(handle_memory_change, f"{VM_GO} handleMemoryHotplugRequest", since=Release(1, 1), live=True),
    SyncStep(handle_volume_update, f"{VM_GO} handleVolumeUpdateRequest", since=Release(1, 3), live=True),
)


def sync(update: Update, between: Sequence[VmState] = (), waiting: VmState | None = None) -> Reaction:
    """Return the reaction of virt-controller to a change of a running VM, once nothing changes any more.

    The VM was started from ``update.before``, and has had the states ``between`` since. Their patches of the
    instance count, because a live migration may still be pending. The patches of ``waiting``, the state just
    before the change, do not count.
    """
    started = _with_cleared_interfaces(update._replace(after=update.before), update.before.instance)
    state = InstanceState(_reconcile(started, InstanceState(update.before.instance)).instance)
    first = state.instance
    for vm in (*between, *filter(None, [waiting])):
        step = _with_cleared_interfaces(update._replace(after=vm), state.instance)
        state = _reconcile(step, state)
    earlier = () if waiting else state.patches
    last = _with_cleared_interfaces(update, state.instance)
    final = _reconcile(last, state._replace(patches=()))
    changed = FieldIndex(differences(first, final.instance))  # what no later patch has reverted
    effective = (patch for patch in earlier if any(field in changed for field in patch.fields))
    return Reaction(final._replace(patches=(*effective, *final.patches)), last.after.instance)


def _reconcile(update: Update, state: InstanceState) -> InstanceState:
    """Return the state once another pass changes nothing; RestartRequired is only reset since 1.6.4."""
    resets_restart = update.cluster.release.includes(*_RESTART_IS_RESET)
    for _ in range(_MOST_PASSES):
        restart = None if resets_restart else state.restart
        following = _reconcile_once(update, state._replace(restart=restart, stuck=None))
        if following.instance == state.instance:
            return following
        state = following
    return state


def _reconcile_once(update: Update, state: InstanceState) -> InstanceState:
    cluster = update.cluster
    waited = state.restart is not None
    stops = update.after.run_strategy == HALTED
    for row in STEPS:
        if cluster.release < row.since or (stops and not row.early):
            continue
        staged = waited or not cluster.updates_live
        if row.live and staged and cluster.release >= LIVE_UPDATE_FEATURES_UNTIL:
            continue
        state = _with_source(state, row.step(update, state), row.source)
        if state.stuck:
            return state
        if not row.live:
            waited = state.restart is not None
    return state


def _with_cleared_interfaces(update: Update, running: JsonObject) -> Update:
    """Return the update with the VM as virt-controller rewrites it, and the instance it would then start."""
    release = update.cluster.release
    if release < _SINCE_CLEARED_INTERFACES or not update.cluster.has_gate(Gate.HOTPLUG_NICS):
        return update
    present = interface_names(object_at(running, "spec"))
    after = update.after
    template = with_cleared_interfaces(after.template, present)
    started = object_at(after.instance, "spec")
    if (
        _has_network(after.template)
        and not _has_network(template)
        and not _has_network(update.before.template)
    ):
        instance = with_network_of(started, object_at(running, "spec"))
    else:
        instance = with_cleared_interfaces(started, present)
    return update._replace(
        after=after._replace(
            content=with_part(after.content, ("spec", "template", "spec"), template),
            applied=with_cleared_interfaces(after.applied, present),
            instance=with_part(after.instance, ("spec",), instance),
        )
    )


def _has_network(template: JsonObject) -> bool:
    return bool(array_at(template, "networks") or array_at(template, "domain", "devices", "interfaces"))


def _with_source(before: InstanceState, after: InstanceState, source: str) -> InstanceState:
    """Return ``after`` with the KubeVirt function that caused its new parts."""
    if after is before:
        return after
    patches: tuple[InstancePatch, ...] = (
        *before.patches,
        *(patch._replace(source=source) for patch in after.patches[len(before.patches) :]),
    )
    restart = after.restart if before.restart or not after.restart else after.restart._replace(source=source)
    stuck = after.stuck and after.stuck._replace(source=source)
    return after._replace(patches=patches, restart=restart, stuck=stuck)
