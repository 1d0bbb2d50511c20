"""Quotas, LimitRanges and Namespaces that do not admit the pods of running machines.

They are looked at when a pod is created (Kubernetes ``plugin/pkg/admission/resourcequota/controller.go``
``CheckRequest``): machines run on, and do not start again. OpenShift's ClusterResourceQuota and the
application-aware quotas of KubeVirt are of the namespaces that they select. A Namespace has the standard that
its pods have to meet (``staging/src/k8s.io/pod-security-admission/admission/admission.go`` ``EvaluatePod``)
and a node selector (``plugin/pkg/admission/podnodeselector/admission.go`` ``Admit``, and OpenShift's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import NamedTuple

from renderer.diff.limit_ranges import LIMIT_RANGE, LIMIT_RANGE_SOURCE, limit_refusal
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, ClusterConfig
from renderer.kubevirt.facts.compute_container import CPU, MEMORY, ComputeContainer, compute_container
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, has_matchers
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.label_selector import SelectorError, read_selector, selects
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.quantity import Quantity
from renderer.model.run.work import spend

_QUOTA, _NAMESPACE = "ResourceQuota", "Namespace"
#: Quotas by group and kind; True for one of all namespaces that it selects.
_QUOTAS: Mapping[tuple[str, str], bool] = {
    ("", _QUOTA): False,
    ("quota.openshift.io", "ClusterResourceQuota"): True,
    ("aaq.kubevirt.io", "ApplicationAwareResourceQuota"): False,
    ("aaq.kubevirt.io", "ApplicationAwareClusterResourceQuota"): True,
}
#: What counts the pods of machines, and what each of these pods requests, be it little.
_COUNTED = (
    *("pods", "count/pods", "count/virtualmachineinstances.kubevirt.io"),
    *("requests.devices.kubevirt.io/kvm", "requests.instances/vmi"),
)
_REQUESTED = tuple(
    f"{prefix}{name}"
    for name in ("memory", "cpu", "ephemeral-storage")
    for prefix in ("", "requests.", *(("limits.",) if name != "ephemeral-storage" else ()))
)
#: The standards of pods from the mildest, and where a Namespace names one.
_STANDARDS = ("privileged", "baseline", "restricted")
_ENFORCED = "pod-security.kubernetes.io/enforce"
_NODE_SELECTORS = ("scheduler.alpha.kubernetes.io/node-selector", "openshift.io/node-selector")
_STANDARD_SOURCE = "kubernetes staging/src/k8s.io/pod-security-admission/admission/admission.go EvaluatePod"
_SELECTOR_SOURCE = "kubernetes plugin/pkg/admission/podnodeselector/admission.go Admit"
_JUDGED = (ChangeType.ADDED, ChangeType.CHANGED)
_MOST_NAMES = 5
_SOURCE = "kubernetes plugin/pkg/admission/resourcequota/controller.go CheckRequest"


class LauncherPods(NamedTuple):
    """The number of pods of a machine or pool, and what each requests; None if that is not known.

    ``standard`` is the strictest standard of pods that they meet.
    """

    number: int
    container: ComputeContainer | None
    standard: str = _STANDARDS[1]


def limits_pods(resource: Resource) -> bool:
    """Return True for what limits all pods of namespaces; a quota with scopes is for some of them."""
    if resource.kind in (LIMIT_RANGE, _NAMESPACE) and not resource.gvk.group:
        return True
    spec = _quota_spec(resource)
    return _is_quota(resource.current_id) and not (spec.get("scopes") or spec.get("scopeSelector"))


def may_keep_from_starting(change: ResourceChange) -> bool:
    """Return True for a new or changed object of these kinds whose change has no other impact."""
    is_limit = change.id.gvk.kind in (LIMIT_RANGE, _NAMESPACE) or _is_quota(change.id)
    return is_limit and change.type in _JUDGED and change.impact is None


def limited_namespaces(limits: Resource, namespaces: Iterable[Resource]) -> Iterator[str]:
    """Yield the namespaces whose pods an object limits; ``namespaces`` may have their labels."""
    if limits.kind == _NAMESPACE:
        yield limits.name
    elif not _QUOTAS.get((limits.gvk.group, limits.kind)):
        yield limits.namespace
    else:
        selector = object_at(limits.content, "spec", "selector")
        annotations = object_at(selector, "annotations")
        try:
            labels = read_selector(selector.get("labels"))
        except SelectorError:  # reported by the schema
            return
        for each in namespaces if labels or annotations else ():
            spend(1 + len(labels), "looking for what quotas select")
            metadata = object_at(each.content, "metadata")
            has_all = annotations.items() <= object_at(metadata, "annotations").items()
            if each.kind == _NAMESPACE and has_all and selects(labels, object_at(metadata, "labels")):
                yield each.name


def _is_quota(id_: ResId) -> bool:
    return (id_.gvk.group, id_.gvk.kind) in _QUOTAS


def _quota_spec(quota: Resource | None) -> JsonObject:
    """Return the part of a quota that has its limits; one of several namespaces has it in ``quota``."""
    spec = object_at(quota.content, "spec") if quota else EMPTY
    return object_at(spec, "quota") or spec


def running_pods(applied: Resource, config: ClusterConfig = DEFAULT_CONFIG) -> LauncherPods | None:
    """Return the pods of a running machine, or of a pool of machines; None for other objects.

    ``applied`` is the machine with its instance type.
    """
    machine = VirtualMachineView.of(applied)
    if machine is None or machine.is_halted or not machine.replicas:
        return None
    container = None if has_matchers(applied.content) else compute_container(machine, config)
    standard = _STANDARDS[2 if config.has_seccomp_profile else 1]
    is_privileged = any("hostDisk" in volume for _, volume in machine.volumes)
    return LauncherPods(machine.replicas, container, _STANDARDS[0] if is_privileged else standard)


def impact_of_limits(
    before: Resource | None,
    after: Resource,
    pods: Mapping[ResId, LauncherPods],
    others: Iterable[Resource],
) -> Impact | None:
    """Return the impact on the running machines of the namespaces that an object limits; None without one.

    ``pods`` are the pods that these need, ``others`` are all objects for which ``limits_pods`` is True.
    """
    if after.kind == _NAMESPACE:
        return _impact_of_namespace(before, after, pods) if pods else None
    if after.kind == LIMIT_RANGE:
        quotas = [each for each in others if each.kind == _QUOTA and each.namespace == after.namespace]
        limited = {name for each in quotas for name in object_at(each.content, "spec", "hard")}
        given = [name for name in (CPU, MEMORY) if f"limits.{name}" in limited]
        return _impact_of_range(before, after, pods, given)
    number = sum(each.number for each in pods.values())
    former, latter = _limits(before), _limits(after)
    keys = (key for key, limit in latter.items() if limit < number and limit < former.get(key, number))
    key = next(keys, None)
    if key is None:
        return None
    wait = "wait for room" if after.gvk.group.startswith("aaq.") else "are refused"
    reason = f"{_running(pods)}, and {key} is {latter[key]}: {_next_pods(pods)} {wait}"
    return Impact(Effect.NO_START, reason, _SOURCE)


def _impact_of_namespace(
    before: Resource | None, after: Resource, pods: Mapping[ResId, LauncherPods]
) -> Impact | None:
    old, new = (object_at(each.content, "metadata") if each else EMPTY for each in (before, after))
    former, latter = (_standard(each) for each in (old, new))
    refused = [id_ for id_, each in pods.items() if _STANDARDS.index(each.standard) < latter]
    if latter > former and refused:
        label = f"{_ENFORCED} is {_STANDARDS[latter]}"
        reason = f"{_running(refused)}, and {label}: {_next_pods(refused)} are refused"
        return Impact(Effect.NO_START, reason, _STANDARD_SOURCE)
    for key in _NODE_SELECTORS:
        nodes, others = (text_at(each, "annotations", key).replace(" ", "") for each in (new, old))
        if set(nodes.split(",")) - {"", *others.split(",")}:
            reason = f"{_running(pods)}, and {_next_pods(pods)} are made only for nodes with {nodes} ({key})"
            return Impact(Effect.PENDING, reason, _SELECTOR_SOURCE)
    return None


def _standard(metadata: JsonObject) -> int:
    """Return the standard that a Namespace asks of its pods, as its index; it is the mildest by default."""
    name = text_at(metadata, "labels", _ENFORCED)
    return _STANDARDS.index(name) if name in _STANDARDS else 0


def _running(ids: Iterable[ResId]) -> str:
    names = [f"{each.gvk.kind} {each.name}" for each in ids]
    return f"{listed(names, _MOST_NAMES)} {'runs' if len(names) == 1 else 'run'}"


def _next_pods(machines: Sized) -> str:
    return f"{'its' if len(machines) == 1 else 'their'} next pods"


def _impact_of_range(
    before: Resource | None, after: Resource, pods: Mapping[ResId, LauncherPods], given: Sequence[str]
) -> Impact | None:
    refused: dict[str, list[ResId]] = {}
    reasons: dict[int, str] = {}  # most machines have one and the same container
    for id_, each in pods.items():
        if not each.container:
            continue
        key = id(each.container)
        if key not in reasons:
            reason = limit_refusal(after, each.container, given)
            is_new = reason and not limit_refusal(before, each.container, given)
            reasons[key] = reason if is_new else ""
        if reasons[key]:
            refused.setdefault(reasons[key], []).append(id_)
    if not refused:
        return None
    reason, ids = max(refused.items(), key=lambda item: len(item[1]))
    text = f"{_running(ids)}, and {reason}: {_next_pods(ids)} are refused"
    return Impact(Effect.NO_START, text, LIMIT_RANGE_SOURCE)


def _limits(quota: Resource | None) -> Mapping[str, int]:
    """Return the limits of a quota on numbers of pods, and its limits of zero on memory and CPU."""
    hard = object_at(_quota_spec(quota), "hard")
    found: dict[str, int] = {}
    for key in (*_COUNTED, *_REQUESTED):
        try:
            limit = Quantity.of(hard[key]).value() if key in hard else None
        except DiagnosticError:  # reported by the schema
            continue
        if limit is not None and (key in _COUNTED or limit <= 0):
            found[key] = limit
    return found
