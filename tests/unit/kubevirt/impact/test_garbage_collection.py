"""An object that gets an owner."""

from __future__ import annotations

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

GONE: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "1-1"}
OTHER: JsonObject = {**GONE, "uid": "2-2"}
RISK = "it gets the owner ConfigMap gone: it is deleted as soon as that does not exist with this uid"


def claim(*owners: JsonObject, kind: str = "PersistentVolumeClaim") -> Resource:
    metadata: JsonObject = {"name": "data", "namespace": "a", "ownerReferences": [*owners]}
    content: JsonObject = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    return Resource(content, Site("a.yaml"))


@pytest.mark.parametrize(
    ("before", "after", "is_at_risk"),
    [
        ((), (GONE,), True),
        ((OTHER,), (OTHER, GONE), True),
        ((OTHER,), (GONE,), True),
        ((GONE,), (GONE,), False),
        ((GONE,), (), False),
        ((GONE,), ({**GONE, "blockOwnerDeletion": True},), False),
    ],
)
def test_object_with_a_new_owner_may_be_deleted(
    before: tuple[JsonObject, ...], after: tuple[JsonObject, ...], *, is_at_risk: bool
) -> None:
    for kind in ("PersistentVolumeClaim", "Secret", "Service"):
        old, new = (OverlaySide(Release(1, 9), (claim(*owners, kind=kind),)) for owners in (before, after))
        changes = compare_overlay("", "", old, new).changes
        impacts = [each.impact for each in changes if each.impact]
        assert [each.reason for each in impacts if each.effect is Effect.AT_RISK] == [RISK] * is_at_risk
