"""Workloads of Kubernetes: their selectors, and what pods and Jobs were created with."""

from __future__ import annotations

from renderer.kubevirt.impact.immutable.pods import in_job_template, in_pod
from renderer.kubevirt.impact.immutable.row import (
    API_SERVER,
    APIS,
    SELECTOR,
    SPEC,
    STAYS,
    ImmutableRow,
    ObjectUpdate,
    changed_paths,
    if_other,
)
from renderer.model.difference import FieldChange
from renderer.model.kube.json import JsonObject, text_at

_APPS = f"{APIS}/apps/validation/validation.go"
_BATCH = f"{APIS}/batch/validation/validation.go"
_STATEFUL = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "persistentVolumeClaimRetentionPolicy",
)
#: Where each kind refuses another selector.
_SELECTORS = {
    "Deployment": "ValidateDeploymentUpdate",
    "DaemonSet": "ValidateDaemonSetSpecUpdate",
    "ReplicaSet": "ValidateReplicaSetUpdate",
}
#: Fields of a claim template that the API server drops or fills in (``pkg/apis/apps/v1/conversion.go``).
_NOT_STORED = (("apiVersion",), ("kind",), ("status",), ("metadata", "creationTimestamp"))


def _in_stateful_set(update: ObjectUpdate, change: FieldChange) -> str:
    for field, *rest in changed_paths(update, change, "spec"):
        is_dropped = any(tuple(rest[: len(each)]) == each for each in _NOT_STORED)
        if field not in _STATEFUL and not (field == "volumeClaimTemplates" and is_dropped):
            return f"of a StatefulSet only {', '.join(_STATEFUL)} change"
    return ""


def _unless_elastic(update: ObjectUpdate, _change: FieldChange) -> str:
    """Admit other completions of an indexed Job that equal its parallelism."""
    before, after = map(_completions, update.specs)
    _, spec = update.specs
    if before == after or (
        text_at(spec, "completionMode") == "Indexed" and after == spec.get("parallelism", 1)
    ):
        return ""
    return "the completions of a Job stay, unless it is indexed and its parallelism changes with them"


def _completions(spec: JsonObject) -> object:
    """Return the completions of a Job: one, unless it says how many of its pods run at a time."""
    return spec.get("completions", None if "parallelism" in spec else 1)


WORKLOAD_ROWS = (
    *(
        ImmutableRow("apps", (kind,), SELECTOR, API_SERVER, f"{_APPS} {function}")
        for kind, function in _SELECTORS.items()
    ),
    ImmutableRow(
        "apps",
        ("StatefulSet",),
        SPEC,
        API_SERVER,
        f"{_APPS} ValidateStatefulSetUpdate",
        _in_stateful_set,
        f"{', '.join(_STATEFUL)}; revisionHistoryLimit from Kubernetes 1.33 on",
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
        in_job_template,
        "of a suspended Job labels, annotations and where its pods run; from Kubernetes 1.35 on resources",
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
        in_pod,
        "images, further tolerations, an earlier activeDeadlineSeconds; of a gated pod where it runs",
    ),
)
