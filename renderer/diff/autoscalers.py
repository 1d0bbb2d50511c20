"""Autoscalers that may delete machines of a pool or replica set of the overlay.

A HorizontalPodAutoscaler writes the ``scale`` of its target. More replicas than ``maxReplicas`` are deleted
at once, whatever the metrics say; down to ``minReplicas``, the metrics decide (Kubernetes
``pkg/controller/podautoscaler/horizontal.go`` ``reconcileAutoscaler``). Pools and replica sets of instances
have a ``scale``, and delete machines by it as by their own ``replicas``. KEDA makes an autoscaler of a
ScaledObject, and scales to zero by itself (keda ``pkg/scaling/executor/scale_scaledobjects.go``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.kinds import VM_POOL, VMI_REPLICA_SET, is_kubevirt_group
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Effect, Impact, ResourceChange
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

_AUTOSCALER, _SCALED_OBJECT = "HorizontalPodAutoscaler", "ScaledObject"
_KEDA = "autoscaling.keda.sh/paused"
_MOST_OF_KEDA = 100
_SCALED = (VM_POOL, VMI_REPLICA_SET)
#: What can be scaled, by namespace, kind and name.
_Targets: TypeAlias = Mapping[tuple[str, str, str], Resource]
_SOURCE = "kubernetes pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler"


class _Scaling(NamedTuple):
    """The target of an autoscaler, and the limits of its replicas.

    ``lowest`` is None if metrics never make it scale down. ``field`` is the name of the field with the upper
    limit.
    """

    namespace: str
    kind: str
    name: str
    lowest: int | None
    highest: int
    field: str


def with_scaling(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with the machines that new and changed autoscalers may delete."""
    found = [
        each for each in changes if each.id.gvk.kind in (_AUTOSCALER, _SCALED_OBJECT) and each.impact is None
    ]
    if not found:
        return [*changes]
    old, new = ({each.current_id: each for each in side} for side in (before, after))
    targets = _targets(old.values()), _targets(new.values())
    impacts = {each.id: _impact(each, old, new, targets) for each in found}
    return [each.with_impact(impacts.get(each.id)) for each in changes]


def _impact(
    change: ResourceChange,
    before: Mapping[ResId, Resource],
    after: Mapping[ResId, Resource],
    targets: tuple[_Targets, _Targets],
) -> Impact | None:
    old = _scaling(before.get(change.before) if change.before else None)
    new = _scaling(after.get(change.after) if change.after else None)
    if new is None:
        return None
    target = targets[0].get(new[:3])
    if target is None and new[:3] in targets[1]:
        return None  # it is new as well
    label = f"{new.kind} {new.name}"
    if old is not None and old[:3] == new[:3]:
        if new.highest < old.highest:
            return _deletes(f"{new.field} {old.highest} -> {new.highest}: machines of {label} beyond that go")
        if new.lowest is None or (old.lowest is not None and new.lowest >= old.lowest):
            return None
        return _deletes(f"it may scale {label} down to {new.lowest}")
    view = None if target is None else VirtualMachineView.of(target)
    if view is None:
        return _deletes(f"it scales {label}: machines beyond {new.field} {new.highest} go")
    if view.replicas > new.highest:
        found = f"{label} has {view.replicas} replicas, and {new.field} is {new.highest}"
        return _deletes(f"{found}: the others go")
    if new.lowest is not None and view.replicas > new.lowest:
        return _deletes(f"it may scale {label} down, from {view.replicas} to {new.lowest}")
    return None


def _deletes(reason: str) -> Impact:
    return Impact(Effect.MAY_DELETE, reason, _SOURCE)


def _scaling(autoscaler: Resource | None) -> _Scaling | None:
    """Return the target and the limits of an autoscaler; None without one, or if it scales no machines."""
    if autoscaler is None:
        return None
    spec = object_at(autoscaler.content, "spec")
    target = object_at(spec, "scaleTargetRef")
    group, kind = text_at(target, "apiVersion").rpartition("/")[0], text_at(target, "kind")
    if not is_kubevirt_group(group) or kind not in _SCALED:
        return None
    name = text_at(target, "name")
    if autoscaler.kind == _SCALED_OBJECT:
        limits = _limits_of_keda(autoscaler)
        return limits and _Scaling(autoscaler.namespace, kind, name, *limits, "maxReplicaCount")
    highest, lowest = spec.get("maxReplicas"), spec.get("minReplicas")
    lowest = 1 if lowest is None else lowest
    if not isinstance(highest, int):
        return None
    is_disabled = text_at(spec, "behavior", "scaleDown", "selectPolicy") == "Disabled"
    least = lowest if isinstance(lowest, int) and not is_disabled else None
    return _Scaling(autoscaler.namespace, kind, name, least, highest, "maxReplicas")


def _limits_of_keda(scaled: Resource) -> tuple[int | None, int] | None:
    """Return the limits of a ScaledObject; None if it is paused (keda ``scaledobject_types.go``).

    One that is paused at a number of replicas scales to that number. The ``behavior`` of the autoscaler does
    not keep KEDA from scaling to zero, as KEDA does that by itself.
    """
    annotations, spec = (
        object_at(scaled.content, *keys) for keys in (("metadata", "annotations"), ("spec",))
    )
    replicas = annotations.get(f"{_KEDA}-replicas")
    if isinstance(replicas, str) and replicas.isdecimal():
        return int(replicas[:9]), int(replicas[:9])
    if annotations.get(_KEDA, "false") != "false":
        return None
    highest, lowest = spec.get("maxReplicaCount", _MOST_OF_KEDA), spec.get("minReplicaCount", 0)
    idle = spec.get("idleReplicaCount", lowest)
    if not isinstance(highest, int) or not isinstance(lowest, int) or not isinstance(idle, int):
        return None
    behavior = object_at(spec, "advanced", "horizontalPodAutoscalerConfig", "behavior")
    is_disabled = text_at(behavior, "scaleDown", "selectPolicy") == "Disabled" and lowest > 0
    if annotations.get(f"{_KEDA}-scale-down", "false") != "false" or is_disabled:
        return None, highest
    return min(lowest, idle), highest


def _targets(resources: Iterable[Resource]) -> _Targets:
    return {(each.namespace, each.kind, each.name): each for each in resources if each.kind in _SCALED}
