"""ResourceQuotas that leave no room for the pods of running machines.

A quota is looked at when a pod is created (Kubernetes ``plugin/pkg/admission/resourcequota/controller.go``
``CheckRequest``): machines run on, and do not start again.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
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


def is_quota(resource: Resource) -> bool:
    """Return True for a quota of all pods in its namespace; one with scopes is for some of them."""
    spec = object_at(resource.content, "spec")
    return resource.kind == _QUOTA and not spec.get("scopes") and not spec.get("scopeSelector")


def may_keep_from_starting(change: ResourceChange) -> bool:
    """Return True for a new or changed quota whose change has no other impact."""
    return change.id.gvk.kind == _QUOTA and change.type in _JUDGED and change.impact is None


def running_pods(resource: Resource) -> int:
    """Return the number of pods of a running machine, or of a pool of machines; 0 for other objects."""
    machine = VirtualMachineView.of(resource)
    return machine.replicas if machine and not machine.is_halted else 0


def impact_of_quota(before: Resource | None, after: Resource, pods: Mapping[ResId, int]) -> Impact | None:
    """Return the impact of a quota on the running machines of its namespace; None without one.

    ``pods`` are the numbers of pods that these need.
    """
    number, former, latter = sum(pods.values()), _limits(before), _limits(after)
    keys = (key for key, limit in latter.items() if limit < number and limit < former.get(key, number))
    key = next(keys, None)
    if key is None:
        return None
    names = listed([f"{id_.gvk.kind} {id_.name}" for id_ in pods], _MOST_NAMES)
    verb = "runs" if number == 1 else "run"
    reason = f"{names} {verb}, and {key} is {latter[key]}: their next pods are refused"
    return Impact(Effect.NO_START, reason, _SOURCE)


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
