"""ResourceQuotas and LimitRanges that leave no room for the pods of running machines.

They are looked at when a pod is created (Kubernetes ``plugin/pkg/admission/resourcequota/controller.go``
``CheckRequest``): machines run on, and do not start again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from renderer.diff.limit_ranges import LIMIT_RANGE, LIMIT_RANGE_SOURCE, limit_refusal
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG, ClusterConfig
from renderer.kubevirt.facts.compute_container import CPU, MEMORY, ComputeContainer, compute_container
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, has_matchers
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.quantity import Quantity

_QUOTA = "ResourceQuota"
#: What counts the pods of machines, and what each of these pods requests.
_COUNTED = ("pods", "count/pods", "count/virtualmachineinstances.kubevirt.io")
_REQUESTED = ("memory", "requests.memory", "cpu", "requests.cpu")
_JUDGED = (ChangeType.ADDED, ChangeType.CHANGED)
_MOST_NAMES = 5
_SOURCE = "kubernetes plugin/pkg/admission/resourcequota/controller.go CheckRequest"


class LauncherPods(NamedTuple):
    """The number of pods of a machine or pool, and what each requests; None if that is not known."""

    number: int
    container: ComputeContainer | None


def limits_pods(resource: Resource) -> bool:
    """Return True for a LimitRange, or a quota of all pods in its namespace; one with scopes is for some."""
    spec = object_at(resource.content, "spec")
    has_scopes = bool(spec.get("scopes") or spec.get("scopeSelector"))
    return resource.kind == LIMIT_RANGE or (resource.kind == _QUOTA and not has_scopes)


def may_keep_from_starting(change: ResourceChange) -> bool:
    """Return True for a new or changed quota or LimitRange whose change has no other impact."""
    return change.id.gvk.kind in (_QUOTA, LIMIT_RANGE) and change.type in _JUDGED and change.impact is None


def running_pods(applied: Resource, config: ClusterConfig = DEFAULT_CONFIG) -> LauncherPods | None:
    """Return the pods of a running machine, or of a pool of machines; None for other objects.

    ``applied`` is the machine with its instance type.
    """
    machine = VirtualMachineView.of(applied)
    if machine is None or machine.is_halted or not machine.replicas:
        return None
    container = None if has_matchers(applied.content) else compute_container(machine, config)
    return LauncherPods(machine.replicas, container)


def impact_of_limits(
    before: Resource | None,
    after: Resource,
    pods: Mapping[ResId, LauncherPods],
    others: Iterable[Resource],
) -> Impact | None:
    """Return the impact of a quota or LimitRange on the running machines of its namespace; None without one.

    ``pods`` are the pods that these need, ``others`` are all quotas and LimitRanges.
    """
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
    names = listed([f"{id_.gvk.kind} {id_.name}" for id_ in pods], _MOST_NAMES)
    verb = "runs" if number == 1 else "run"
    reason = f"{names} {verb}, and {key} is {latter[key]}: their next pods are refused"
    return Impact(Effect.NO_START, reason, _SOURCE)


def _impact_of_range(
    before: Resource | None, after: Resource, pods: Mapping[ResId, LauncherPods], given: Sequence[str]
) -> Impact | None:
    refused: dict[str, list[str]] = {}
    for id_, each in pods.items():
        reason = limit_refusal(after, each.container, given) if each.container else ""
        if reason and each.container and not limit_refusal(before, each.container, given):
            refused.setdefault(reason, []).append(f"{id_.gvk.kind} {id_.name}")
    if not refused:
        return None
    reason, names = max(refused.items(), key=lambda item: len(item[1]))
    verb, whose = ("runs", "its") if len(names) == 1 else ("run", "their")
    text = f"{listed(names, _MOST_NAMES)} {verb}, and {reason}: {whose} next pods are refused"
    return Impact(Effect.NO_START, text, LIMIT_RANGE_SOURCE)


def _limits(quota: Resource | None) -> Mapping[str, int]:
    """Return the limits of a quota on numbers of pods, and its limits of zero on memory and CPU."""
    hard = object_at(quota.content, "spec", "hard") if quota else {}
    found: dict[str, int] = {}
    for key in (*_COUNTED, *_REQUESTED):
        try:
            limit = Quantity.of(hard[key]).value() if key in hard else None
        except DiagnosticError:  # reported by the schema
            continue
        if limit is not None and (key in _COUNTED or limit <= 0):
            found[key] = limit
    return found
