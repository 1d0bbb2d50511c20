"""What a pod may change once it exists, and what a Job may change in the template of its pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.impact.immutable.row import ObjectUpdate, changed_paths
from renderer.model.difference import FieldChange, NoValue
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.list_elements import value_at

#: Fields of a pod that the API server fills in, by their last name (``pkg/apis/core/v1/defaults.go``).
_DEFAULTS: Mapping[str, Json] = {
    "apiVersion": "v1",
    "defaultMode": 420,
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "expirationSeconds": 3600,
    "failureThreshold": 3,
    "path": "/",
    "periodSeconds": 10,
    "protocol": "TCP",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "scheme": "HTTP",
    "securityContext": {},
    "serviceAccountName": "default",
    "successThreshold": 1,
    "terminationGracePeriodSeconds": 30,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "timeoutSeconds": 1,
}
#: Fields that it fills in with a value that depends on others: the tag of the image, limits, ports.
_DEPENDING = frozenset({"hostPort", "imagePullPolicy", "requests", "serviceAccount"})
#: What the pods of a suspended Job may be told of where they run, and later releases of their resources.
_OF_SUSPENDED_PODS = (
    *(("metadata", "annotations"), ("metadata", "labels"), ("spec", "affinity"), ("spec", "nodeSelector")),
    *(("spec", "schedulingGates"), ("spec", "tolerations"), ("spec", "containers", "resources")),
    ("spec", "initContainers", "resources"),
)
_RUNS_AS_CREATED = "a Job runs what it was created with; give it another name"
_IS_A_POD = "of a pod only images, tolerations and a deadline change; give it another name"
_AFFINITY_TO_PODS = ("podAffinity", "podAntiAffinity")


def is_filled_in_pod(change: FieldChange) -> bool:
    """Return True if one side only writes what the API server fills in on the other."""
    if NoValue.ABSENT not in (change.before, change.after):
        return False
    names = [each for each in change.field.segments if isinstance(each, str)]
    if not _DEPENDING.isdisjoint(names):
        return True
    written = change.after if change.before is NoValue.ABSENT else change.before
    return bool(names) and names[-1] in _DEFAULTS and _DEFAULTS[names[-1]] == written


def in_job_template(update: ObjectUpdate, change: FieldChange) -> str:
    """Admit what a suspended Job may change before it starts, and fields that the API server fills in."""
    if is_filled_in_pod(change):
        return ""
    if value_at(update.before.content, ("spec", "suspend")) is not True:
        return _RUNS_AS_CREATED
    templates = [object_at(spec, "template", "spec") for spec in update.specs]
    for path in _changed_in_template(update, change):
        if not any(path[: len(each)] == each for each in _OF_SUSPENDED_PODS):
            return _RUNS_AS_CREATED
        if path[1] == "affinity" and not _keeps_affinity_to_pods(*templates):
            return "of the affinity of a suspended Job only nodeAffinity changes"
    return ""


def _changed_in_template(update: ObjectUpdate, change: FieldChange) -> Iterator[tuple[str, ...]]:
    for path in changed_paths(update, change, "spec", "template"):
        if len(path) > 1:
            yield path
        else:
            yield from ((*path, *rest) for rest in changed_paths(update, change, "spec", "template", *path))


def in_pod(update: ObjectUpdate, change: FieldChange) -> str:
    """Admit other images, more tolerations, an earlier deadline and fewer gates.

    The scheduler and webhooks write much into a pod of a cluster, so nothing is said of a sync.
    """
    if is_filled_in_pod(change) or update.status is not None:
        return ""
    reasons = (_obstacle(*update.specs, path) for path in changed_paths(update, change, "spec"))
    return next(filter(None, reasons), "")


def _obstacle(before: JsonObject, after: JsonObject, path: tuple[str, ...]) -> str:
    """Return why the API server refuses a change in the spec of a pod; empty if it admits it."""
    is_gated = bool(before.get("schedulingGates"))
    match path:
        case ("containers" | "initContainers", "image"):
            return ""
        case ("activeDeadlineSeconds", *_):
            return "" if _is_brought_forward(before, after) else "a pod only gets an earlier deadline"
        case ("tolerations", *_):
            return "" if _keeps_tolerations(before, after) else "a toleration of a pod stays"
        case ("schedulingGates", *_):
            return "" if _names(after) <= _names(before) else "a pod gets no further scheduling gates"
        case ("nodeSelector", *_) if is_gated:
            selectors = [object_at(each, "nodeSelector") for each in (before, after)]
            kept = selectors[0].items() <= selectors[1].items()
            return "" if kept else "the node selector of a gated pod only gets more labels"
        case ("affinity", *_) if is_gated:
            kept = _keeps_affinity_to_pods(before, after)
            return "" if kept else "of the affinity of a gated pod only nodeAffinity changes"
    return _IS_A_POD


def _is_brought_forward(before: JsonObject, after: JsonObject) -> bool:
    old, new = (each.get("activeDeadlineSeconds") for each in (before, after))
    return old is None or (isinstance(old, int) and isinstance(new, int) and new <= old)


def _keeps_tolerations(before: JsonObject, after: JsonObject) -> bool:
    """Return True if each toleration stays, maybe for another time."""
    old, new = (
        [without(object_at(each), "tolerationSeconds") for each in array_at(spec, "tolerations")]
        for spec in (before, after)
    )
    return all(any(is_equal(one, other) for other in new) for one in old)


def _names(spec: JsonObject) -> frozenset[str]:
    return frozenset(text_at(object_at(gate), "name") for gate in array_at(spec, "schedulingGates"))


def _keeps_affinity_to_pods(before: JsonObject, after: JsonObject) -> bool:
    return all(
        is_equal(object_at(before, "affinity", key), object_at(after, "affinity", key))
        for key in _AFFINITY_TO_PODS
    )
