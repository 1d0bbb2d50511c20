"""Fields that objects of Argo CD do not have."""

from __future__ import annotations

import pytest

from renderer.gitops.argocd.known_fields import unknown_fields
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

_SOURCE: JsonObject = {"repoURL": "https://git.example.org/a/b.git", "path": "vms", "targetRevision": "HEAD"}
_TEMPLATE: JsonObject = {
    "metadata": {"name": "{{ .name }}"},
    "spec": {"project": "default", "source": _SOURCE},
}


def hints(kind: str, spec: JsonObject) -> dict[str, str]:
    content: JsonObject = {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "spec": spec}
    found = unknown_fields(Resource(content, Site("app.yaml")))
    return {str(each.field): (each.hint or "").partition(" kubectl and Flux")[0] for each in found}


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("Application", {"wave": 3}, {"spec.wave": "remove it:"}),
        (
            "Application",
            {"source": {**_SOURCE, "kustomise": {}}},
            {"spec.source.kustomise": "did you mean kustomize?"},
        ),
        (
            "Application",
            {"source": {**_SOURCE, "valueFiles": ["a.yaml"]}},
            {"spec.source.valueFiles": "it is a field of spec.source.helm:"},
        ),
        (
            "Application",
            {"sources": [_SOURCE, {**_SOURCE, "directory": {"recursive": True}}]},
            {"spec.sources[1].directory.recursive": "did you mean recurse?"},
        ),
        (
            "Application",
            {"syncPolicy": {"prune": True, "automated": {"selfheal": True}}},
            {
                "spec.syncPolicy.prune": "it is a field of spec.syncPolicy.automated:",
                "spec.syncPolicy.automated.selfheal": "did you mean selfHeal?",
            },
        ),
        ("Application", {"source": _SOURCE, "syncPolicy": None, "info": [{"name": "a", "value": "b"}]}, {}),
        (
            "ApplicationSet",
            {
                "generators": [
                    {
                        "matrix": {
                            "generators": [{"git": {"directory": []}}, {"list": {"elements": [{"any": 1}]}}]
                        }
                    }
                ]
            },
            {"spec.generators[0].matrix.generators[0].git.directory": "did you mean directories?"},
        ),
        (
            "ApplicationSet",
            {"template": {**_TEMPLATE, "spec": {"project": "default", "sauce": _SOURCE}}},
            {"spec.template.spec.sauce": "did you mean source?"},
        ),
        (
            "ApplicationSet",
            {
                "goTemplate": True,
                "generators": [{"scmProvider": {"github": {"any": 1}}}],
                "template": _TEMPLATE,
            },
            {},
        ),
        (
            "AppProject",
            {"sourceRepo": ["*"], "destinations": [{"server": "*", "namespace": "*"}]},
            {"spec.sourceRepo": "did you mean sourceRepos?"},
        ),
        ("AppProject", {"sourceRepos": ["*"], "roles": [{"name": "a", "policies": []}]}, {}),
    ],
)
def test_fields_that_do_not_exist_are_named(kind: str, spec: JsonObject, expected: dict[str, str]) -> None:
    assert hints(kind, spec) == expected
