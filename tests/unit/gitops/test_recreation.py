"""Which switches of Flux and Argo CD delete an object and create it again."""

from __future__ import annotations

import pytest
import yaml

from renderer.gitops.recreation import recreator_of
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

FLUX = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {%s}}"
ARGOCD = (
    "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a},"
    " spec: {syncPolicy: {syncOptions: [%s]}}}"
)
OBJECT = "{apiVersion: v1, kind: %s, metadata: {name: a, annotations: {%s}}}"
OPTIONS = "argocd.argoproj.io/sync-options: '%s'"


def resource(text: str) -> Resource:
    return Resource(yaml.safe_load(text), Site("a.yaml"))


@pytest.mark.parametrize(
    ("owner", "annotation", "recreator"),
    [
        ("", "", ""),
        (
            "",
            "kustomize.toolkit.fluxcd.io/force: Enabled",
            "Flux (kustomize.toolkit.fluxcd.io/force: enabled)",
        ),
        ("", OPTIONS % "Prune=false, Force=true", "Argo CD (argocd.argoproj.io/sync-options: Force=true)"),
        (FLUX % "force: true", "", "Flux (spec.force)"),
        (FLUX % "force: false", OPTIONS % "Force=true", ""),
        (ARGOCD % "Force=true", "", "Argo CD (Force=true)"),
        (ARGOCD % "Replace=true", "", ""),
        (ARGOCD % "Force=true, ServerSideApply=true", "", ""),
        (
            ARGOCD % "Force=true, ServerSideApply=true",
            OPTIONS % "ServerSideApply=false",
            "Argo CD (Force=true)",
        ),
        (ARGOCD % "Force=true", OPTIONS % "Replace=true", "Argo CD (Force=true, Replace=true)"),
    ],
)
def test_refused_object_is_recreated(owner: str, annotation: str, recreator: str) -> None:
    found = recreator_of(
        resource(owner) if owner else None, resource(OBJECT % ("Secret", annotation)), is_refused=True
    )
    assert found == recreator


@pytest.mark.parametrize(
    ("kind", "options", "recreator"),
    [
        ("Secret", "Force=true", ""),
        ("Secret", "Force=true, Replace=true", "Argo CD (Force=true, Replace=true)"),
        ("Secret", "Force=true, Replace=true, ServerSideApply=true", "Argo CD (Force=true, Replace=true)"),
        ("Namespace", "Force=true, Replace=true", ""),
    ],
)
def test_object_that_may_be_updated_is_recreated_by_replace(kind: str, options: str, recreator: str) -> None:
    changed = resource(OBJECT % (kind, ""))
    assert recreator_of(resource(ARGOCD % options), changed, is_refused=False) == recreator
