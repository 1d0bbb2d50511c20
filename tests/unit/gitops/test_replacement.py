"""A changed set of which it is not known what it makes."""

from __future__ import annotations

import pytest
import yaml

from renderer.gitops.replacement import may_make_less, unknown_set_impact
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

SET = """
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps, namespace: argocd}
spec:
  generators: [{matrix: {generators: [{clusterDecisionResource: {name: a, requeueAfterSeconds: 30}}]}}]
  strategy: {type: AllAtOnce}
  template:
    metadata: {name: "apps-{{name}}", labels: {team: a}}
    spec:
      destination: {name: "{{name}}", namespace: web}
      source: {repoURL: https://example.org/a, path: apps, targetRevision: main}
      syncPolicy: {automated: {prune: true}}
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("name: a,", "name: b,", "another spec.generators: Argo CD deletes its Applications"),
        (
            "apps-{{name}}",
            "{{name}}",
            "another spec.template.metadata.name: Argo CD deletes its Applications",
        ),
        ("path: apps", "path: others", "another source: Argo CD deletes what this has deployed"),
        ("namespace: web", "namespace: shop", "another destination: Argo CD deletes what this has deployed"),
        ("Seconds: 30", "Seconds: 60", ""),
        ("Revision: main", "Revision: v1", ""),
        ("team: a", "team: b", ""),
        ("AllAtOnce", "RollingSync", ""),
    ],
)
def test_change_of_a_set(old: str, new: str, reason: str) -> None:
    sides = [Resource(yaml.safe_load(each), Site("a.yaml")) for each in (SET, SET.replace(old, new))]
    impact = unknown_set_impact(*sides)
    assert (impact.reason if impact else "").startswith(reason)
    assert bool(impact) is bool(reason)
    assert may_make_less(*sides) == ("generators" if old == "name: a," else "")
