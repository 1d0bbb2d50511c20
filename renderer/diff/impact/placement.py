"""Node placement and annotations, which are patched into the instance, and the run strategy.

KubeVirt ``pkg/virt-controller/watch/vm/vm.go`` (``handleAffinityChangeRequest``,
``handleTolerationsChangeRequest``, ``syncDynamicAnnotationsAndLabelsToVMI``, ``syncRunStrategy``).
"""

from __future__ import annotations

from renderer.diff.impact.state import LIVE_UPDATE_FEATURES_UNTIL, InstanceState, Update
from renderer.kubevirt.virtual_machine import WAIT_AS_RECEIVER
from renderer.model.difference import Effect
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.release import Release

_ANNOTATIONS = ("metadata", "annotations")
_DESCHEDULER = (
    "descheduler.alpha.kubernetes.io/evict",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction",
)
_BACKUP_HOOKS = "kubevirt.io/skip-backup-hooks"
_PLACED = "it counts from the next live migration on"


def handle_affinity_change(update: Update, state: InstanceState) -> InstanceState:
    """Patch ``affinity`` and ``nodeSelector``; KubeVirt 1.0 and 1.1 do where the VM says so."""
    release = update.cluster.release
    chosen = object_at(update.after.spec, "liveUpdateFeatures").get("affinity") is not None
    if release < LIVE_UPDATE_FEATURES_UNTIL and not (chosen and release > Release(1, 0)):
        return state
    return _copied(update, state, "affinity", "nodeSelector")


def handle_tolerations_change(update: Update, state: InstanceState) -> InstanceState:
    """Patch ``tolerations``."""
    return _copied(update, state, "tolerations")


def _copied(update: Update, state: InstanceState, *fields: str) -> InstanceState:
    for field in fields:
        wanted = update.after.applied.get(field)
        if state.spec.get(field) != wanted:
            state = state.patched({(field,): wanted}, Effect.LIVE, _PLACED)
    return state


def sync_dynamic_annotations(update: Update, state: InstanceState) -> InstanceState:
    """Copy the annotations of the descheduler from the template, and that of backups from the VM."""
    template = object_at(update.after.content, "spec", "template", *_ANNOTATIONS)
    own = object_at(update.after.content, *_ANNOTATIONS)
    changed = dict(object_at(state.instance, *_ANNOTATIONS))
    for key, source in (*((key, template) for key in _DESCHEDULER), (_BACKUP_HOOKS, own)):
        value: Json = source.get(key)
        changed.pop(key, None)
        if value is not None:
            changed[key] = value
    before: JsonObject = object_at(state.instance, *_ANNOTATIONS)
    if changed == before:
        return state
    return state.patched_object({_ANNOTATIONS: changed}, Effect.LIVE, "the annotation is kept up to date")


def sync_run_strategy(update: Update, state: InstanceState) -> InstanceState:
    """Fail for a VM that runs and is to wait for another cluster's."""
    if update.after.run_strategy != WAIT_AS_RECEIVER:
        return state
    if update.before.run_strategy == WAIT_AS_RECEIVER:
        return state
    return state.failing("a VM that runs cannot wait as a receiver", FieldPath.of("runStrategy"))
