"""Read from a dump who else manages its objects, and which operations are in progress, before a first sync.

Argo CD, Flux and Helm mark the objects that they deploy (argo-cd ``common/common.go``,
kustomize-controller, helm-controller ``internal/postrender``, helm ``pkg/action/validate.go``). An autoscaler
sets the replicas of a pool through its subresource ``scale``. KubeVirt notes restores and snapshots that are
not complete in the status of the machine and of their own objects
(``staging/src/kubevirt.io/api/snapshot/v1beta1/types.go``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.adopt.live.cluster_objects import runs_by_status
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.kubevirt.facts.kinds import POOL_GROUP, VM, VM_POOL, VMI_REPLICA_SET
from renderer.model.engines import INSTANCE_LABEL, TRACKING_ID
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.live_object import LiveObject
from renderer.model.record import Record

_REPLICAS = FieldPath.of("spec", "replicas")
_SCALED = {(POOL_GROUP, VM_POOL), ("kubevirt.io", VMI_REPLICA_SET)}
_AUTOSCALERS = {("autoscaling", "HorizontalPodAutoscaler"), ("keda.sh", "ScaledObject")}
_SNAPSHOTS = "snapshot.kubevirt.io"
_FLUX = "kustomize.toolkit.fluxcd.io"
_FLUX_HELM = "helm.toolkit.fluxcd.io"


class Autoscaled(Record):
    """A pool whose replicas ``scaler`` sets; both are kind, namespace and name."""

    pool: str
    scaler: str


class InProgress(Record):
    """An operation on a machine that is not complete: ``restore`` or ``snapshot``, and its name."""

    machine: str
    operation: str
    name: str


def runs(live: LiveObject) -> bool:
    """Return True if a VirtualMachine is running, or if nothing says that it is not."""
    return live.kind == VM and runs_by_status(object_at(live.content, "status")) is not False


def engine_of(live: LiveObject) -> str:
    """Return who deploys an object today, by the marks on it; empty if it has none."""
    labels, annotations = (object_at(live.metadata, key) for key in ("labels", "annotations"))
    tracking = text_at(annotations, TRACKING_ID)
    if tracking:
        return f"the Argo CD Application {tracking.partition(':')[0]}"
    if text_at(labels, "argocd.argoproj.io/instance"):
        return f"the Argo CD Application {text_at(labels, 'argocd.argoproj.io/instance')}"
    for group, kind in ((_FLUX, "Kustomization"), (_FLUX_HELM, "HelmRelease")):
        name = text_at(labels, f"{group}/name")
        if name:
            return f"the Flux {kind} {text_at(labels, f'{group}/namespace')}/{name}"
    release = text_at(annotations, "meta.helm.sh/release-name")
    if release or text_at(labels, "app.kubernetes.io/managed-by") == "Helm":
        namespace = text_at(annotations, "meta.helm.sh/release-namespace") or live.namespace
        return f"the Helm release {namespace}/{release}" if release else "Helm"
    instance = text_at(labels, INSTANCE_LABEL)
    if not instance:
        return ""
    owners = FieldOwners(live.content).of(FieldPath.of("metadata", "labels", INSTANCE_LABEL))
    if any(owner.manager.startswith("argocd-") for owner in owners):
        return f"the Argo CD Application {instance}"
    return ""


def autoscaled(live: LiveObject) -> Autoscaled | None:
    """Return the pool that an autoscaler names, or the pool itself if an autoscaler has set its replicas."""
    if (live.id.gvk.group, live.kind) in _AUTOSCALERS:
        target = object_at(live.content, "spec", "scaleTargetRef")
        group = text_at(target, "apiVersion").rpartition("/")[0]
        if (group, text_at(target, "kind")) in _SCALED:
            pool = f"{text_at(target, 'kind')} {live.namespace}/{text_at(target, 'name')}"
            return Autoscaled(pool, str(live.id))
        return None
    if (live.id.gvk.group, live.kind) in _SCALED:
        owners = FieldOwners(live.content).of(_REPLICAS)
        scalers = [owner.manager for owner in owners if owner.subresource == "scale"]
        if scalers:
            return Autoscaled(str(live.id), f"the subresource scale, by {scalers[0]}")
    return None


def in_progress(live: LiveObject) -> Iterator[InProgress]:
    """Yield the restores and snapshots that an object says are not complete."""
    status = object_at(live.content, "status")
    place = f"{live.namespace}/{live.name}"
    if live.kind == VM:
        for key, operation in (("restoreInProgress", "restore"), ("snapshotInProgress", "snapshot")):
            if text_at(status, key):
                yield InProgress(place, operation, text_at(status, key))
    elif (live.id.gvk.group, live.kind) == (_SNAPSHOTS, "VirtualMachineRestore"):
        if status.get("complete") is not True:
            yield InProgress(_source(live, "target"), "restore", live.name)
    elif (live.id.gvk.group, live.kind) == (_SNAPSHOTS, "VirtualMachineSnapshot"):
        failed = text_at(status, "phase") == "Failed"
        if status.get("readyToUse") is not True and not failed:
            yield InProgress(_source(live, "source"), "snapshot", live.name)


def _source(live: LiveObject, key: str) -> str:
    named: JsonObject = object_at(live.content, "spec", key)
    return f"{live.namespace}/{text_at(named, 'name')}"
