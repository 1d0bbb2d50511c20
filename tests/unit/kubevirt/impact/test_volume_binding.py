"""A PersistentVolume whose ``claimRef`` names another claim."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

DB, OTHER = "claimRef: {namespace: prod, name: db}", "claimRef: {namespace: prod, name: other}"


def resource(kind: str, name: str, spec: str, namespace: str | None = None) -> Resource:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    content: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    return Resource({**content, "spec": yaml.safe_load(f"{{{spec}}}")}, Site("a.yaml"))


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        (DB, OTHER, False),
        (DB, DB.replace("prod", "dev"), False),
        (DB, "", False),
        (f"{DB[:-1]}, uid: a}}", f"{DB[:-1]}, uid: b}}", False),
        ("", OTHER, False),
        ("", DB, True),
        (DB, f"{DB[:-1]}, uid: a}}", True),
    ],
)
def test_volume_that_leaves_its_claim_is_released(before: str, after: str, *, is_kept: bool) -> None:
    claim = resource("PersistentVolumeClaim", "db", "volumeName: pv", "prod")
    for policy, effect in (("Delete", Effect.AT_RISK), ("Retain", Effect.NO_START)):
        volumes = (
            resource("PersistentVolume", "pv", f"persistentVolumeReclaimPolicy: {policy}, {each}")
            for each in (before, after)
        )
        old, new = (OverlaySide(LATEST, (claim, each)) for each in volumes)
        [change] = compare_overlay("a", "a", old, new).changes
        assert (change.impact and change.impact.effect) is (None if is_kept else effect)


def test_volume_of_an_unknown_claim_is_not_judged() -> None:
    old, new = (OverlaySide(LATEST, (resource("PersistentVolume", "pv", each),)) for each in ("a: b", DB))
    [change] = compare_overlay("a", "a", old, new).changes
    assert change.impact is None
