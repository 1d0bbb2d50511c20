"""Removed objects that deploy others: what their engines delete with them."""

from __future__ import annotations

import pytest

from renderer.gitops.cascade import removal_impact
from renderer.model.difference import Effect
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

CASCADE = "resources-finalizer.argocd.argoproj.io"
HELM_RELEASE = "helm.toolkit.fluxcd.io/v2/HelmRelease"
KUSTOMIZATION = "kustomize.toolkit.fluxcd.io/v1/Kustomization"
RESOURCE_SET = "fluxcd.controlplane.io/v1/ResourceSet"
APPLICATION = "argoproj.io/v1alpha1/Application"
APPLICATION_SET = "argoproj.io/v1alpha1/ApplicationSet"


def reason_of(kind: str, spec: JsonObject, metadata: JsonObject) -> str:
    api_version, _, kind = kind.rpartition("/")
    content: JsonObject = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "a", "namespace": "b", **metadata},
        "spec": spec,
    }
    impact = removal_impact(Resource(content, Site("a.yaml")))
    assert impact is None or (impact.effect is Effect.MAY_DELETE and impact.source)
    return impact.reason if impact else ""


@pytest.mark.parametrize(
    ("kind", "spec", "metadata", "reason"),
    [
        (HELM_RELEASE, {}, {}, "Flux uninstalls the release, with all that the chart has made"),
        (
            HELM_RELEASE,
            {"suspend": False},
            {},
            "Flux uninstalls the release, with all that the chart has made",
        ),
        (
            "helm.cattle.io/v1/HelmChart",
            {},
            {},
            "the chart is uninstalled, with all that it has made",
        ),
        (KUSTOMIZATION, {"prune": True}, {}, "Flux deletes what it has deployed"),
        (KUSTOMIZATION, {"deletionPolicy": "Delete"}, {}, "Flux deletes what it has deployed"),
        (RESOURCE_SET, {}, {}, "the Flux operator deletes what it has deployed"),
        (APPLICATION, {}, {"finalizers": [CASCADE]}, f"Argo CD deletes what it has deployed ({CASCADE})"),
        (
            APPLICATION,
            {},
            {"finalizers": [f"{CASCADE}/background"]},
            f"Argo CD deletes what it has deployed ({CASCADE})",
        ),
        (APPLICATION_SET, {}, {}, "Argo CD deletes its Applications, with what they have deployed"),
        (
            APPLICATION_SET,
            {
                "template": {"metadata": {"finalizers": [CASCADE]}},
                "syncPolicy": {"preserveResourcesOnDeletion": True},
            },
            {},
            "Argo CD deletes its Applications, with what they have deployed",
        ),
    ],
)
def test_removed_deployer_takes_along_what_it_deployed(
    kind: str, spec: JsonObject, metadata: JsonObject, reason: str
) -> None:
    assert reason_of(kind, spec, metadata) == reason


@pytest.mark.parametrize(
    ("kind", "spec", "metadata"),
    [
        (HELM_RELEASE, {"suspend": True}, {}),
        (KUSTOMIZATION, {}, {}),
        (KUSTOMIZATION, {"prune": True, "suspend": True}, {}),
        (KUSTOMIZATION, {"prune": True, "deletionPolicy": "Orphan"}, {}),
        (RESOURCE_SET, {}, {"annotations": {"fluxcd.controlplane.io/reconcile": "disabled"}}),
        (APPLICATION, {}, {}),
        (APPLICATION_SET, {"syncPolicy": {"preserveResourcesOnDeletion": True}}, {}),
        (APPLICATION_SET, {"syncPolicy": {"applicationsSync": "create-update"}}, {}),
        (APPLICATION_SET, {"template": {"metadata": {"finalizers": ["example.org/other"]}}}, {}),
        ("argoproj.io/v1alpha1/AppProject", {}, {}),
        ("example.org/v1/HelmRelease", {}, {}),
    ],
)
def test_deployed_objects_stay(kind: str, spec: JsonObject, metadata: JsonObject) -> None:
    assert reason_of(kind, spec, metadata) == ""
