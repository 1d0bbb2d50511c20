"""The effect of changes outside a VirtualMachine's template, and of changes in pools and replica sets.

The first row that contains a field counts. Changes in the template of a VirtualMachine are left to ``sync``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from renderer.golang.duration import parse_duration
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.virtual_machine import (
    ALWAYS,
    HALTED,
    MANUAL,
    ONCE,
    RERUN_ON_FAILURE,
    WAIT_AS_RECEIVER,
    VirtualMachineView,
)
from renderer.kubevirt.impact.state import LIVE_UPDATE_FEATURES_UNTIL, SINCE_REVISION_IN_STATUS
from renderer.kubevirt.impact.sync import VM_GO
from renderer.model.difference import Effect, FieldChange, Impact, NoValue
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_POOL = "pkg/virt-controller/watch/pool/pool.go"
_REPLICA_SET = "pkg/virt-controller/watch/replicaset"
_STARTED = (ALWAYS, RERUN_ON_FAILURE, ONCE)
_SINCE_VOLUMES_STRATEGY = Release(1, 3)
_SINCE_POOL_STRATEGIES = Release(1, 7)
_SINCE_POOL_REPLACES_DISKS = _SINCE_POOL_MAXIMUM = Release(1, 6)
_PAUSED = "the pool is paused: it waits until that ends"
#: What a pool regards as failing without a value of its own: failed starts, and seconds without one.
_FAILED_STARTS, _FAILING_SECONDS = 3, 300


class Views(NamedTuple):
    """Both sides of a change as written, and the cluster."""

    before: VirtualMachineView
    after: VirtualMachineView
    cluster: Cluster


class Verdict(NamedTuple):
    """The effect of one field's change while the VM runs, and the reason."""

    effect: Effect
    reason: str


#: Judges a change of a field; returns None if ``sync`` handles it.
Judge: TypeAlias = Callable[[Views, FieldChange], Verdict | None]


class Base(Enum):
    """The path at which the fields of a row start."""

    RESOURCE = "resource"
    SPEC = "spec"  # the VirtualMachine's
    INSTANCE = "instance"  # spec.template.spec of the VirtualMachine


class FieldRow(NamedTuple):
    """A group of fields, the function that judges them, and the KubeVirt function it follows."""

    base: Base
    fields: tuple[str, ...]
    judge: Judge
    source: str


def impact_by_table(views: Views, change: FieldChange) -> Impact | None:
    """Return the impact of a change; None if ``sync`` handles it."""
    row = next(row for row in ROWS[views.after.kind] if _contains(row, views.after, change.field))
    verdict = row.judge(views, change)
    return None if verdict is None else Impact(*verdict, row.source)


def _judge_in_sync(_views: Views, _change: FieldChange) -> None:
    return None


def _judge_volumes_strategy(views: Views, _change: FieldChange) -> Verdict | None:
    """Reject the change if LiveUpdate needs feature gates that are off (``validateLiveUpdateFeatures``)."""
    if views.after.spec.get("updateVolumesStrategy") is None:
        return None
    gates = (Gate.VOLUMES_UPDATE_STRATEGY, Gate.VOLUME_MIGRATION)
    missing = [gate for gate in gates if not views.cluster.has_gate(gate)]
    if not missing or not views.cluster.updates_live or views.cluster.release < _SINCE_VOLUMES_STRATEGY:
        return None
    return Verdict(Effect.REFUSED, f"it needs the feature gates {' and '.join(missing)}")


def _always(effect: Effect, reason: str) -> Judge:
    def judge(_views: Views, _change: FieldChange) -> Verdict:
        return Verdict(effect, reason)

    return judge


def _judge_run_strategy(views: Views, _change: FieldChange) -> Verdict:
    before, after = views.before.run_strategy, views.after.run_strategy
    if before == after:
        return Verdict(Effect.NONE, "both mean the same")
    if after == HALTED:
        return Verdict(Effect.STOP, f"it is shut down{', if it runs' if before == MANUAL else ''}")
    if after in _STARTED and before == HALTED:
        return Verdict(Effect.START, "it is started")
    if after in _STARTED and before == MANUAL:
        return Verdict(Effect.NONE, "it is started if it does not run")
    if after == WAIT_AS_RECEIVER and before != HALTED:
        return Verdict(Effect.STUCK, "a VM that runs cannot wait as a receiver")
    return Verdict(Effect.NONE, "it takes effect when the VM stops")


def _judge_matcher(views: Views, change: FieldChange) -> Verdict:
    for key in ("instancetype", "preference"):
        matchers = object_at(views.before.spec, key), object_at(views.after.spec, key)
        if views.cluster.release < SINCE_REVISION_IN_STATUS and _is_refused_update(matchers):
            return Verdict(
                Effect.REFUSED,
                f"before KubeVirt {SINCE_REVISION_IN_STATUS.as_bound} the cluster writes spec.{key}."
                "revisionName, and refuses another name while that stays: clear it in the cluster "
                "with the change",
            )
    if change.field.segments[-1] == "revisionName":
        if views.cluster.release >= SINCE_REVISION_IN_STATUS and change.after is NoValue.ABSENT:
            return Verdict(
                Effect.NONE,
                "the status goes on naming it, until that is cleared; without it the VM will not start again",
            )
        return Verdict(
            Effect.NONE, "it names the stored copy that is applied; the fields that it sets show another copy"
        )
    return Verdict(Effect.NONE, "see the fields that come from it")


def _is_refused_update(matchers: tuple[JsonObject, JsonObject]) -> bool:
    """Return True if the webhook rejects the new name of a matcher (``validateMatcherUpdate``).

    If Git has no ``revisionName``, the cluster has one and keeps it.
    """
    before, after = matchers
    if not before or not after:
        return False
    return before.get("name") != after.get("name") and before.get("revisionName") == after.get("revisionName")


def _judge_live_update_features(views: Views, _change: FieldChange) -> Verdict:
    if views.cluster.release >= LIVE_UPDATE_FEATURES_UNTIL:
        return Verdict(
            Effect.NONE, f"KubeVirt {LIVE_UPDATE_FEATURES_UNTIL.as_bound} and later do not know it"
        )
    return Verdict(Effect.REFUSED, "it cannot change while the VM runs")


def _judge_replicas(views: Views, _change: FieldChange) -> Verdict:
    before, after = views.before.replicas, views.after.replicas
    if before == after:
        return Verdict(Effect.NONE, "both mean the same")
    if _is_paused(views.after):
        return Verdict(Effect.NONE, _PAUSED)
    if after > before:
        return Verdict(
            Effect.START, f"{after - before} more {'is' if after - before == 1 else 'are'} created"
        )
    return Verdict(Effect.DELETED, f"{before - after} {'is' if before - after == 1 else 'are'} deleted")


def _judge_pool_template(views: Views, change: FieldChange) -> Verdict:
    """Judge by ``updateStrategy``; without one, the pool restarts its VMs."""
    spec = object_at(views.after.resource.content, "spec")
    strategy, most = object_at(spec, "updateStrategy"), spec.get("maxUnavailable")
    release = views.cluster.release
    if _is_paused(views.after):
        return Verdict(Effect.NONE, _PAUSED)
    if release >= _SINCE_POOL_STRATEGIES:
        if strategy.get("unmanaged") is not None:
            return Verdict(Effect.NONE, "the pool's VMs are not updated (updateStrategy: unmanaged)")
        if strategy.get("opportunistic") is not None:
            return Verdict(Effect.PENDING, "the pool waits for a restart (updateStrategy: opportunistic)")
    if "dataVolumeTemplates" in change.field.segments and release >= _SINCE_POOL_REPLACES_DISKS:
        return Verdict(Effect.REPLACED, "the pool deletes its VMs, and creates others with new disks")
    how = "one after the other" if release < _SINCE_POOL_MAXIMUM else "all at once"
    return Verdict(Effect.RESTART, f"the pool restarts its VMs, {f'{most} at a time' if most else how}")


def _judge_update_strategy(views: Views, _change: FieldChange) -> Verdict:
    """Judge what a strategy lets the pool do to VMs that earlier changes of its template have not reached.

    Without one, and with other selectors than before, it is proactive for VMs that were left out so far. The
    pool updates the spec of outdated VMs unless it is ``unmanaged`` (``update``, ``handleResourceUpdate``).
    """
    before, after = (
        object_at(each.resource.content, "spec", "updateStrategy") for each in (views.before, views.after)
    )
    if views.cluster.release < _SINCE_POOL_STRATEGIES:
        return Verdict(Effect.NONE, f"KubeVirt before {_SINCE_POOL_STRATEGIES.as_bound} does not know it")
    if after.get("unmanaged") is not None:
        return Verdict(Effect.NONE, "the pool no longer updates its VMs")
    was_unmanaged = before.get("unmanaged") is not None
    if after.get("opportunistic") is not None:
        if was_unmanaged:
            reason = "earlier changes of the template, which the pool has held back, count after a restart"
            return Verdict(Effect.PENDING, reason)
        return Verdict(Effect.NONE, "the pool no longer restarts its VMs")
    selectors = [object_at(each, "proactive", "selectionPolicy").get("selectors") for each in (before, after)]
    was_proactive = not was_unmanaged and before.get("opportunistic") is None
    if was_proactive and (selectors[0] is None or selectors[0] == selectors[1]):
        return Verdict(Effect.NONE, "it restarts the same VMs, perhaps in another order")
    reason = "the pool restarts VMs that earlier changes of its template have left outdated"
    templates = (array_at(each.spec, "dataVolumeTemplates") for each in (views.before, views.after))
    if any(templates):
        reason = (
            f"{reason}, and deletes those that were started with other dataVolumeTemplates, with their disks"
        )
        return Verdict(Effect.MAY_DELETE, reason)
    return Verdict(Effect.RESTART, reason)


def _judge_scale_in_strategy(views: Views, _change: FieldChange) -> Verdict:
    """Judge whether the pool begins to delete the VMs that it has beyond its replicas.

    With ``unmanaged`` or ``opportunistic`` it deletes none by itself.
    """
    strategies = (
        object_at(each.resource.content, "spec", "scaleInStrategy") for each in (views.before, views.after)
    )
    kept_before, kept_after = (
        any(strategy.get(key) is not None for key in ("unmanaged", "opportunistic"))
        for strategy in strategies
    )
    if views.cluster.release < _SINCE_POOL_STRATEGIES or kept_after or not kept_before:
        return Verdict(Effect.NONE, "no VM is deleted for it")
    return Verdict(Effect.MAY_DELETE, "the pool deletes VMs that it has kept beyond its replicas")


def _is_paused(pool: VirtualMachineView) -> bool:
    return object_at(pool.resource.content, "spec").get("paused") is True


def _judge_paused(views: Views, _change: FieldChange) -> Verdict:
    if _is_paused(views.before) == _is_paused(views.after):
        return Verdict(Effect.NONE, "both mean the same")
    if _is_paused(views.after):
        return Verdict(Effect.NONE, "the pool neither makes, deletes nor updates VMs while it is paused")
    reason = (
        "what was changed while the pool was paused arrives now: it makes, deletes or restarts VMs for it"
    )
    return Verdict(Effect.MAY_DELETE, reason)


def _judge_autohealing(views: Views, _change: FieldChange) -> Verdict:
    """Judge whether more VMs count as failing: the pool deletes these, paused or not (``execute``)."""
    sides = [
        object_at(each.resource.content, "spec").get("autohealing") for each in (views.before, views.after)
    ]
    old, new = map(_failing_after, sides)
    if sides[1] is None or (sides[0] is not None and new[0] >= old[0] and new[1] >= old[1]):
        return Verdict(Effect.NONE, "the pool deletes no more VMs than before")
    failing = f"that fail to start {new[0]} times, or for {new[1]:g} seconds"
    return Verdict(Effect.MAY_DELETE, f"the pool deletes VMs {failing}, with their disks, and makes others")


def _failing_after(autohealing: Json) -> tuple[int, float]:
    """Return the number of failed starts and the seconds after which a VM counts as failing."""
    written = object_at(autohealing)
    starts = written.get("startUpFailureThreshold")
    nanoseconds = parse_duration(text_at(written, "minFailingToStartDuration"))
    return (
        starts if isinstance(starts, int) else _FAILED_STARTS,
        _FAILING_SECONDS if nanoseconds is None else nanoseconds / 1e9,
    )


_OTHERS = _always(Effect.NONE, "it does not reach the running instance")

ROWS: Mapping[str, Sequence[FieldRow]] = {
    "VirtualMachine": (
        FieldRow(Base.SPEC, ("template",), _judge_in_sync, f"{VM_GO} sync"),
        FieldRow(
            Base.SPEC,
            ("updateVolumesStrategy",),
            _judge_volumes_strategy,
            "pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go validateLiveUpdateFeatures",
        ),
        FieldRow(Base.SPEC, ("running", "runStrategy"), _judge_run_strategy, f"{VM_GO} syncRunStrategy"),
        FieldRow(
            Base.SPEC,
            ("instancetype", "preference"),
            _judge_matcher,
            "pkg/instancetype/webhooks/vm/mutator.go validateMatcherUpdate",
        ),
        FieldRow(
            Base.SPEC,
            ("dataVolumeTemplates",),
            _always(Effect.NONE, "DataVolumes are created from it, and existing ones stay unchanged"),
            f"{VM_GO} handleDataVolumes",
        ),
        FieldRow(
            Base.SPEC,
            ("liveUpdateFeatures",),
            _judge_live_update_features,
            "pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go validateVMUpdate",
        ),
        FieldRow(Base.RESOURCE, ("metadata.annotations",), _judge_in_sync, f"{VM_GO} sync"),
        FieldRow(Base.RESOURCE, ("",), _OTHERS, f"{VM_GO} syncRestartRequired"),
    ),
    "VirtualMachinePool": (
        FieldRow(Base.RESOURCE, ("spec.replicas",), _judge_replicas, f"{_POOL} scale"),
        FieldRow(Base.SPEC, ("running", "runStrategy"), _judge_run_strategy, f"{VM_GO} syncRunStrategy"),
        FieldRow(
            Base.SPEC, ("template", "dataVolumeTemplates"), _judge_pool_template, f"{_POOL} isOutdatedVMI"
        ),
        FieldRow(Base.SPEC, ("instancetype", "preference"), _judge_pool_template, f"{_POOL} isOutdatedVM"),
        FieldRow(Base.RESOURCE, ("spec.updateStrategy",), _judge_update_strategy, f"{_POOL} update"),
        FieldRow(
            Base.RESOURCE, ("spec.scaleInStrategy",), _judge_scale_in_strategy, f"{_POOL} proactiveScaleIn"
        ),
        FieldRow(Base.RESOURCE, ("spec.paused",), _judge_paused, f"{_POOL} execute"),
        FieldRow(Base.RESOURCE, ("spec.autohealing",), _judge_autohealing, f"{_POOL} autoHealFailingVMs"),
        FieldRow(
            Base.RESOURCE,
            ("spec.nameGeneration",),
            _always(
                Effect.PENDING,
                "VMs that the pool makes, or updates for another change, name other Secrets and ConfigMaps",
            ),
            f"{_POOL} indexVMSpec",
        ),
        FieldRow(
            Base.RESOURCE,
            ("spec.maxUnavailable",),
            _always(Effect.NONE, "it counts when the pool restarts VMs"),
            f"{_POOL} calculateMaxUnavailableInt",
        ),
        FieldRow(
            Base.RESOURCE,
            ("spec.virtualMachineTemplate", "spec.selector"),
            _always(Effect.NONE, "the pool updates its VMs, and their instances run on"),
            f"{_POOL} isOutdatedVM",
        ),
        FieldRow(Base.RESOURCE, ("",), _OTHERS, f"{_POOL} isOutdatedVMI"),
    ),
    "VirtualMachineInstance": (
        FieldRow(
            Base.INSTANCE,
            ("",),
            _always(Effect.REFUSED, "only KubeVirt itself may change an instance"),
            "pkg/virt-api/webhooks/validating-webhook/admitters/vmi-update-admitter.go",
        ),
        FieldRow(Base.RESOURCE, ("",), _OTHERS, ""),
    ),
    "VirtualMachineInstanceReplicaSet": (
        FieldRow(Base.RESOURCE, ("spec.replicas",), _judge_replicas, _REPLICA_SET),
        FieldRow(
            Base.RESOURCE,
            ("spec.template",),
            _always(Effect.PENDING, "it applies only to new instances"),
            _REPLICA_SET,
        ),
        FieldRow(Base.RESOURCE, ("",), _OTHERS, ""),
    ),
}


def _contains(row: FieldRow, view: VirtualMachineView, field: FieldPath) -> bool:
    bases = {Base.RESOURCE: ROOT, Base.SPEC: view.paths.spec, Base.INSTANCE: view.paths.instance}
    start = bases[row.base].segments
    paths = ((*start, *filter(None, each.split("."))) for each in row.fields)
    return any(field.segments[: len(path)] == path for path in paths)
