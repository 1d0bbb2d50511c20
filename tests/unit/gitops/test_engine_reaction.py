"""What a changed object of an engine does from then on."""

from __future__ import annotations

import pytest
import yaml

from renderer.gitops.engine_reaction import impact_of, redirections
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

PROJECT = (
    "{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: vms, namespace: argocd},"
    " spec: {syncWindows: [%s]}}"
)
DENY, ALLOW, LATER = (
    f"{{kind: {kind}, schedule: '{hour} * * * *', duration: 1h}}"
    for kind, hour in (("deny", 1), ("allow", 2), ("allow", 3))
)


@pytest.mark.parametrize(
    ("before", "after", "opens"),
    [
        (DENY, "", True),
        (ALLOW, "", True),
        (DENY, ALLOW, True),
        (ALLOW, f"{ALLOW}, {LATER}", True),
        (ALLOW, f"{ALLOW}, {DENY}", False),
        (f"{ALLOW}, {LATER}", ALLOW, False),
        ("", DENY, False),
        ("", ALLOW, False),
    ],
)
def test_window_of_syncs(before: str, after: str, *, opens: bool) -> None:
    old, new = (Resource(yaml.safe_load(PROJECT % each), Site("a.yaml")) for each in (before, after))
    impact = impact_of(old, new)
    assert (impact is not None and impact.effect is Effect.MAY_DELETE) is opens


@pytest.mark.parametrize(
    ("destination", "is_other"),
    [("name: in-cluster", False), ("name: prod", True), ("server: 'https://a'", True)],
)
def test_destination_of_an_application(destination: str, *, is_other: bool) -> None:
    text = "{apiVersion: argoproj.io/v1alpha1, kind: Application, spec: {destination: {%s}}}"
    sides = ("server: 'https://kubernetes.default.svc'", destination)
    old, new = (Resource(yaml.safe_load(text % each), Site("a.yaml")) for each in sides)
    assert any("another destination" in each for each in redirections(old, new)) is is_other
