"""Autoscalers of pools and replica sets of instances."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

TARGET = "apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool"
POOL = f"{{{TARGET}, metadata: {{name: web}}, spec: {{replicas: 3}}}}"
SCALER = (
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a},"
    f" spec: {{%s, scaleTargetRef: {{{TARGET}, name: web}}}}}}"
)
FIXED = "behavior: {scaleDown: {selectPolicy: Disabled}}"


def side(*texts: str) -> OverlaySide:
    return OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("", "maxReplicas: 1", "has 3 replicas, and maxReplicas is 1"),
        ("", "maxReplicas: 9", "down, from 3 to 1"),
        ("", "minReplicas: null, maxReplicas: 9", "down, from 3 to 1"),
        ("", "minReplicas: 3, maxReplicas: 9", ""),
        ("", f"maxReplicas: 9, {FIXED}", ""),
        ("", f"maxReplicas: 2, {FIXED}", "maxReplicas is 2"),
        ("maxReplicas: 9", "maxReplicas: 5", "maxReplicas 9 -> 5"),
        ("maxReplicas: 5", "maxReplicas: 9", ""),
        ("minReplicas: 5, maxReplicas: 9", "minReplicas: 2, maxReplicas: 9", "down to 2"),
        (f"maxReplicas: 9, {FIXED}", "maxReplicas: 9", "down to 1"),
    ],
)
def test_autoscaler_may_delete_machines(before: str, after: str, words: str) -> None:
    old = side(POOL, *([SCALER % before] if before else []))
    [change] = compare_overlay("a", "a", old, side(POOL, SCALER % after)).changes
    assert (change.effects == (Effect.MAY_DELETE,)) is bool(words)
    assert words in (change.impact.reason if change.impact else "")


def test_autoscaler_of_a_pool_elsewhere_may_delete_and_of_a_new_one_does_not() -> None:
    [change] = compare_overlay("a", "a", side(), side(SCALER % "maxReplicas: 4")).changes
    assert change.effects == (Effect.MAY_DELETE,)
    changes = compare_overlay("a", "a", side(), side(POOL, SCALER % "maxReplicas: 1")).changes
    assert not any(each.effects for each in changes)


def test_autoscaler_of_a_deployment_is_not_judged() -> None:
    other = (SCALER % "maxReplicas: 1").replace("pool.kubevirt.io/v1beta1", "apps/v1")
    [change] = compare_overlay("a", "a", side(), side(other)).changes
    assert change.impact is None


SCALED = (
    "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: a, annotations: {%s}},"
    f" spec: {{%s, scaleTargetRef: {{{TARGET}, name: web}}}}}}"
)
PAUSED = "autoscaling.keda.sh/paused"


@pytest.mark.parametrize(
    ("annotations", "before", "after", "words"),
    [
        ("", "", "maxReplicaCount: 9", "down, from 3 to 0"),
        ("", "", "minReplicaCount: 3, maxReplicaCount: 2", "has 3 replicas, and maxReplicaCount is 2"),
        ("", "", "minReplicaCount: 3", ""),
        ("", "", "minReplicaCount: 3, idleReplicaCount: 0", "down, from 3 to 0"),
        ("", "minReplicaCount: 3", "minReplicaCount: 0", "down to 0"),
        ("", "minReplicaCount: 3", "minReplicaCount: 3, maxReplicaCount: 5", "maxReplicaCount 100 -> 5"),
        ("", "", f"minReplicaCount: 1, advanced: {{horizontalPodAutoscalerConfig: {{{FIXED}}}}}", ""),
        (f"{PAUSED}-replicas: '0'", "", "minReplicaCount: 3", "maxReplicaCount is 0"),
        (f"{PAUSED}: 'true'", "", "minReplicaCount: 0", ""),
        (f"{PAUSED}-scale-down: 'true'", "", "minReplicaCount: 0", ""),
    ],
)
def test_scaled_object_may_delete_machines(annotations: str, before: str, after: str, words: str) -> None:
    old = side(POOL, *([SCALED % ("", before)] if before else []))
    [change] = compare_overlay("a", "a", old, side(POOL, SCALED % (annotations, after))).changes
    assert (change.effects == (Effect.MAY_DELETE,)) is bool(words)
    assert words in (change.impact.reason if change.impact else "")
