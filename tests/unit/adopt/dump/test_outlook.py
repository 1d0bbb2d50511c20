"""Who deploys an object, scales it or is about to change it, by what the dump says."""

from __future__ import annotations

import pytest

from renderer.adopt.dump.outlook import autoscaled, engine_of, in_progress
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.location import Location


def live(kind: str, api_version: str, metadata: JsonObject, **fields: Json) -> LiveObject:
    content: JsonObject = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "a", "namespace": "b", **metadata},
        **fields,
    }
    return LiveObject(content, Location("dump.yaml", 1))


def managed(manager: str, fields: JsonObject, **entry: Json) -> JsonObject:
    return {"managedFields": [{"manager": manager, "operation": "Update", "fieldsV1": fields, **entry}]}


LABEL: JsonObject = {"f:metadata": {"f:labels": {"f:app.kubernetes.io/instance": {}}}}
REPLICAS: JsonObject = {"f:spec": {"f:replicas": {}}}


@pytest.mark.parametrize(
    ("metadata", "engine"),
    [
        ({}, ""),
        (
            {"annotations": {"argocd.argoproj.io/tracking-id": "shop:/ConfigMap:b/a"}},
            "the Argo CD Application shop",
        ),
        ({"labels": {"argocd.argoproj.io/instance": "shop"}}, "the Argo CD Application shop"),
        ({"labels": {"app.kubernetes.io/instance": "shop"}}, ""),
        (
            {
                "labels": {"app.kubernetes.io/instance": "shop"},
                **managed("argocd-application-controller", LABEL),
            },
            "the Argo CD Application shop",
        ),
        (
            {
                "labels": {
                    "kustomize.toolkit.fluxcd.io/name": "vms",
                    "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
                }
            },
            "the Flux Kustomization flux-system/vms",
        ),
        (
            {
                "labels": {
                    "helm.toolkit.fluxcd.io/name": "vms",
                    "helm.toolkit.fluxcd.io/namespace": "apps",
                    "app.kubernetes.io/managed-by": "Helm",
                }
            },
            "the Flux HelmRelease apps/vms",
        ),
        ({"annotations": {"meta.helm.sh/release-name": "vms"}}, "the Helm release b/vms"),
        ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, "Helm"),
        ({"labels": {"app.kubernetes.io/managed-by": "a-person"}}, ""),
    ],
)
def test_engine_of_an_object(metadata: JsonObject, engine: str) -> None:
    assert engine_of(live("ConfigMap", "v1", metadata)) == engine


def test_autoscaler_names_its_pool() -> None:
    target: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "name": "workers",
    }
    scaler = live("HorizontalPodAutoscaler", "autoscaling/v2", {}, spec={"scaleTargetRef": target})
    assert autoscaled(scaler) == ("VirtualMachinePool b/workers", "HorizontalPodAutoscaler b/a")
    other: JsonObject = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "workers"}
    assert autoscaled(live("ScaledObject", "keda.sh/v1alpha1", {}, spec={"scaleTargetRef": other})) is None


@pytest.mark.parametrize(("subresource", "is_scaled"), [("scale", True), ("", False)])
def test_replicas_that_were_scaled_are_an_autoscalers(subresource: str, *, is_scaled: bool) -> None:
    metadata = managed("kube-controller-manager", REPLICAS, subresource=subresource)
    pool = live("VirtualMachinePool", "pool.kubevirt.io/v1beta1", metadata, spec={"replicas": 7})
    assert (autoscaled(pool) is not None) is is_scaled


@pytest.mark.parametrize(
    ("kind", "spec", "status", "found"),
    [
        ("VirtualMachineRestore", {"target": {"name": "db"}}, {"complete": False}, ("b/db", "restore", "a")),
        ("VirtualMachineRestore", {"target": {"name": "db"}}, {"complete": True}, None),
        ("VirtualMachineSnapshot", {"source": {"name": "db"}}, {}, ("b/db", "snapshot", "a")),
        ("VirtualMachineSnapshot", {"source": {"name": "db"}}, {"readyToUse": True}, None),
        ("VirtualMachineSnapshot", {"source": {"name": "db"}}, {"phase": "Failed"}, None),
    ],
)
def test_operations_that_are_not_complete(
    kind: str, spec: JsonObject, status: JsonObject, found: tuple[str, str, str] | None
) -> None:
    operation = live(kind, "snapshot.kubevirt.io/v1beta1", {}, spec=spec, status=status)
    assert list(in_progress(operation)) == ([found] if found else [])


def test_operation_that_a_machine_notes() -> None:
    machine = live("VirtualMachine", "kubevirt.io/v1", {}, status={"snapshotInProgress": "nightly"})
    assert list(in_progress(machine)) == [("b/a", "snapshot", "nightly")]
