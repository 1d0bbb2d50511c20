"""Workloads of Kubernetes: their selectors, and what pods and Jobs were created with."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.impact.immutable.row import (
    API_SERVER,
    APIS,
    SELECTOR,
    SPEC,
    STAYS,
    ImmutableRow,
    ObjectUpdate,
    changed_paths,
    every_field_but,
    if_other,
)
from renderer.model.difference import FieldChange, NoValue
from renderer.model.kube.json import text_at
from renderer.model.kube.list_elements import value_at

_APPS = f"{APIS}/apps/validation/validation.go"
_BATCH = f"{APIS}/batch/validation/validation.go"
_REGISTRY = "kubernetes pkg/registry/apps"
_RUNS_AS_CREATED = "a Job runs what it was created with; give it another name"
_STATEFUL = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "persistentVolumeClaimRetentionPolicy",
)
#: Fields of a pod that the API server fills in with a value that depends on others.
_FILLED_IN_PODS = frozenset(
    {
        *("defaultMode", "dnsPolicy", "imagePullPolicy", "protocol", "schedulerName", "securityContext"),
        *("serviceAccount", "terminationGracePeriodSeconds", "terminationMessagePath"),
        "terminationMessagePolicy",
    }
)
#: What the pods of a suspended Job may be told of where they run, and later releases of their resources.
_OF_SUSPENDED_PODS = (
    *(("metadata", "annotations"), ("metadata", "labels"), ("spec", "affinity"), ("spec", "nodeSelector")),
    *(("spec", "schedulingGates"), ("spec", "tolerations"), ("spec", "containers", "resources")),
    ("spec", "initContainers", "resources"),
)
#: What a pod lets change; later releases also resources.
_OF_PODS = (
    *(("activeDeadlineSeconds",), ("schedulingGates",), ("tolerations",)),
    *((each, key) for each in ("containers", "initContainers") for key in ("image", "resources")),
    ("ephemeralContainers",),
)
_OF_GATED_PODS = (("affinity",), ("nodeSelector",))


def _in_template(update: ObjectUpdate, change: FieldChange) -> str:
    """Admit what a suspended Job may change before it starts, and fields that the API server fills in."""
    if _is_filled_in_pod(change):
        return ""
    if value_at(update.before.content, ("spec", "suspend")) is True and all(
        _starts_with(path, _OF_SUSPENDED_PODS) for path in _changed_in_template(update, change)
    ):
        return ""
    return _RUNS_AS_CREATED


def _changed_in_template(update: ObjectUpdate, change: FieldChange) -> Iterator[tuple[str, ...]]:
    for path in changed_paths(update, change, "spec", "template"):
        if len(path) > 1:
            yield path
        else:
            yield from ((*path, *rest) for rest in changed_paths(update, change, "spec", "template", *path))


def _starts_with(path: tuple[str, ...], kept: tuple[tuple[str, ...], ...]) -> bool:
    return any(path[: len(each)] == each for each in kept)


def _is_filled_in_pod(change: FieldChange) -> bool:
    return NoValue.ABSENT in (change.before, change.after) and change.field.segments[-1] in _FILLED_IN_PODS


def _in_pod(update: ObjectUpdate, change: FieldChange) -> str:
    if _is_filled_in_pod(change) or update.status is not None:
        return ""  # the scheduler and webhooks write much into a pod of a cluster
    is_gated = bool(value_at(update.before.content, ("spec", "schedulingGates")))
    kept = (*_OF_PODS, *(_OF_GATED_PODS if is_gated else ()))
    if all(_starts_with(path, kept) for path in changed_paths(update, change, "spec")):
        return ""
    return "of a pod only images, tolerations and a deadline change; give it another name"


def _unless_elastic(update: ObjectUpdate, _change: FieldChange) -> str:
    """Admit other completions of an indexed Job that equal its parallelism."""
    _, spec = update.specs
    if text_at(spec, "completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism"):
        return ""
    return _RUNS_AS_CREATED


WORKLOAD_ROWS = (
    *(
        ImmutableRow(
            "apps", (kind,), SELECTOR, API_SERVER, f"{_REGISTRY}/{kind.lower()}/strategy.go ValidateUpdate"
        )
        for kind in ("Deployment", "DaemonSet", "ReplicaSet")
    ),
    ImmutableRow(
        "apps",
        ("StatefulSet",),
        SPEC,
        API_SERVER,
        f"{_APPS} ValidateStatefulSetUpdate",
        every_field_but(_STATEFUL, f"of a StatefulSet only {', '.join(_STATEFUL)} change"),
        ", ".join(_STATEFUL),
    ),
    ImmutableRow(
        "apps", ("ControllerRevision",), ("data",), API_SERVER, f"{_APPS} ValidateControllerRevisionUpdate"
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        (
            *("spec.selector", "spec.podFailurePolicy", "spec.successPolicy", "spec.backoffLimitPerIndex"),
            "spec.managedBy",
        ),
        API_SERVER,
        f"{_BATCH} ValidateJobSpecUpdate",
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.completionMode",),
        API_SERVER,
        f"{_BATCH} ValidateJobSpecUpdate",
        if_other("NonIndexed", STAYS, "spec", "completionMode"),
        "NonIndexed for none",
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.template",),
        API_SERVER,
        f"{_BATCH} validatePodTemplateUpdate",
        _in_template,
        "of a suspended Job labels, annotations and where its pods run",
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.completions",),
        API_SERVER,
        f"{_BATCH} validateCompletions",
        _unless_elastic,
        "of an indexed Job together with parallelism",
    ),
    ImmutableRow(
        "",
        ("Pod",),
        SPEC,
        API_SERVER,
        f"{APIS}/core/validation/validation.go ValidatePodUpdate",
        _in_pod,
        "images, tolerations, activeDeadlineSeconds",
    ),
)
