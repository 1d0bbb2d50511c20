"""The claims that a StatefulSet takes with it, or with the pods that it no longer has.

Kubernetes makes a claim of each template for each pod, and keeps it unless
``persistentVolumeClaimRetentionPolicy`` says otherwise (``kubernetes pkg/controller/statefulset``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from renderer.kubevirt.facts.kinds import APPS_GROUP
from renderer.kubevirt.impact.storage_objects import StorageObjects, indexes, named
from renderer.model.difference import DataChange, DataEffect
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource

_KIND = "StatefulSet"
SOURCE = "kubernetes pkg/controller/statefulset/stateful_set_utils.go updateClaimOwnerRefForSetAndPod"


def deletes_claims(resource: Resource, event: Literal["whenDeleted", "whenScaled"]) -> bool:
    """Return True for a StatefulSet whose claims are deleted with it, or with the pods that leave it."""
    policy = object_at(resource.content, "spec", "persistentVolumeClaimRetentionPolicy")
    is_stateful_set = resource.kind == _KIND and resource.gvk.group == APPS_GROUP
    return is_stateful_set and policy.get(event) == "Delete"


def claims_lost_with(removed: Resource, storage: StorageObjects) -> Iterator[DataChange]:
    """Yield the claims that are deleted with a StatefulSet."""
    if deletes_claims(removed, "whenDeleted"):
        first = _first_ordinal(removed)
        text = "deleted with the StatefulSet (persistentVolumeClaimRetentionPolicy.whenDeleted: Delete)"
        yield from _claims(removed, (first, first + _replicas(removed)), text, storage)


def claims_lost_by_scaling(
    before: Resource, after: Resource, storage: StorageObjects
) -> tuple[DataChange, ...]:
    """Return the claims of the pods that a changed StatefulSet no longer has."""
    if before.kind != _KIND or not deletes_claims(after, "whenScaled"):
        return ()
    old, new = (
        range(_first_ordinal(each), _first_ordinal(each) + _replicas(each)) for each in (before, after)
    )
    below = old.start, min(old.stop, new.start)
    above = max(old.start, new.stop), old.stop
    text = "deleted with its pod (persistentVolumeClaimRetentionPolicy.whenScaled: Delete)"
    return tuple(
        each
        for ordinals in dict.fromkeys((below, above))
        if ordinals[0] < ordinals[1]
        for each in _claims(before, ordinals, text, storage)
    )


def _claims(
    stateful_set: Resource, ordinals: tuple[int, int], text: str, storage: StorageObjects
) -> Iterator[DataChange]:
    namespace = stateful_set.namespace
    for template in map(object_at, array_at(stateful_set.content, "spec", "volumeClaimTemplates")):
        name = f"{text_at(template, 'metadata', 'name')}-{stateful_set.name}"
        for suffix in indexes(*ordinals):
            claim = f"{name}{suffix}"
            keeper = storage.kept_volume(namespace, claim, template)
            kept = f"; its PersistentVolume stays ({keeper})" if keeper else ""
            label = named("claim", claim, template)
            yield DataChange(DataEffect.LOST, claim, f"{text}{kept}", label, "", SOURCE)


def _replicas(stateful_set: Resource) -> int:
    return _integer(object_at(stateful_set.content, "spec").get("replicas"), 1)


def _first_ordinal(stateful_set: Resource) -> int:
    return _integer(object_at(stateful_set.content, "spec", "ordinals").get("start"), 0)


def _integer(value: object, default: int) -> int:
    """Return a field, or its default if it is absent or invalid, which the schema stage reports."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
