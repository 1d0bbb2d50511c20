"""``ignoreDifferences`` of Argo CD and ``spec.ignore`` of Flux, applied as their normalisers do."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.adopt.live.ignored_differences import (
    IgnoreRule,
    IgnoreRules,
    rules_of_application,
    rules_of_kustomization,
    rules_of_settings,
)
from renderer.adopt.live.managed_fields import FieldOwners
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource

LIVE: dict[str, Any] = {
    "metadata": {"annotations": {"a/b": "live", "c": "live"}},
    "spec": {
        "replicas": 5,
        "disks": [{"name": "root", "bus": "sata"}, {"name": "data", "bus": "sata"}, {"name": "hot"}],
        "node": {"zone": "a"},
    },
}
GIT: dict[str, Any] = {
    "metadata": {"annotations": {"a/b": "git"}},
    "spec": {"replicas": 3, "disks": [{"name": "root", "bus": "virtio"}, {"name": "data", "bus": "virtio"}]},
}


def application(**rule: Any) -> IgnoreRule:  # noqa: ANN401 - any JSON
    spec = {"ignoreDifferences": [{"group": "kubevirt.io", "kind": "VirtualMachine", **rule}]}
    content: dict[str, Any] = {"kind": "Application", "metadata": {"name": "shop"}, "spec": spec}
    return next(rules_of_application(Resource(content, Site(""))))


def ignoring(rule: IgnoreRule) -> Any:  # noqa: ANN401 - any JSON
    return rule.without_ignored(GIT, LIVE, FieldOwners(LIVE))


@pytest.mark.parametrize(
    ("pointer", "expression"),
    [
        ("/spec/replicas", ".spec.replicas"),
        ("/spec/replicas", '.spec["replicas"]?'),
        ("/metadata/annotations/a~1b", '.metadata.annotations["a/b"]'),
        ("/metadata/annotations/c", ".metadata.annotations.c"),
        ("/spec/disks", ".spec.disks"),
        ("/spec/disks/0/bus", ".spec.disks[0].bus"),
        ("/spec/disks/0/bus", '.spec.disks[] | select(.name == "root") | .bus'),
        ("/spec/node", ".spec.node"),
        ("/spec/node/zone", ".spec.node.zone"),
        ("/spec/nothing/there", ".spec.nothing.there"),
    ],
)
def test_a_pointer_and_a_jq_path_ignore_the_same(pointer: str, expression: str) -> None:
    by_pointer = ignoring(application(jsonPointers=[pointer]))
    by_expression = ignoring(application(jqPathExpressions=[expression]))
    assert by_pointer == by_expression
    assert (by_pointer == GIT) is ("nothing" in pointer)


def test_rule_covers_every_element_of_a_list() -> None:
    found = ignoring(application(jqPathExpressions=[".spec.disks[].bus"]))
    assert found["spec"]["disks"] == LIVE["spec"]["disks"][:2]
    whole = ignoring(application(jqPathExpressions=['.spec.disks[] | select(.name == "hot")']))
    assert whole["spec"]["disks"] == [*GIT["spec"]["disks"], {"name": "hot"}]


@pytest.mark.parametrize(
    "expression",
    [
        '.a[] | select(.n | startswith("x"))',
        "..",
        "",
        "paths",
        ".a // .b",
        ".[$x]",
        "." * 10_000,
        "[" * 10_000,
    ],
)
def test_unsupported_jq_is_reported(expression: str) -> None:
    rule = application(jqPathExpressions=[expression])
    assert rule.not_evaluated == (expression,)
    assert ignoring(rule) == GIT


def test_fields_of_a_manager_are_ignored() -> None:
    fields: dict[str, Any] = {"f:spec": {"f:replicas": {}, "f:node": {".": {}, "f:zone": {}}}}
    managed = {
        **LIVE,
        "metadata": {**LIVE["metadata"], "managedFields": [{"manager": "hpa", "fieldsV1": fields}]},
    }
    rule = application(managedFieldsManagers=["hpa"])
    found = rule.without_ignored(GIT, LIVE, FieldOwners(managed))
    assert found["spec"] == {**GIT["spec"], "replicas": 5, "node": {"zone": "a"}}


def test_rule_is_limited_to_kinds_and_names() -> None:
    gvk = Gvk("kubevirt.io", "v1", "VirtualMachine")
    every, one = application(), application(name="db", namespace="shop")
    anything = next(
        rules_of_settings(
            Resource({"metadata": {"name": "argocd-cm"}}, Site("")),
            {"resource.customizations.ignoreDifferences.all": {"jsonPointers": ["/spec/replicas"]}},
        )
    )
    rules = IgnoreRules((every, one, anything, every))
    assert rules.about(ResId(gvk, "web", "shop")) == [every, anything]
    assert rules.about(ResId(gvk, "db", "shop")) == [every, one, anything]
    assert rules.about(ResId(Gvk("", "v1", "Secret"), "web", "shop")) == [anything]
    assert ignoring(anything)["spec"]["replicas"] == 5


def test_rules_of_flux_are_read() -> None:
    ignore = [
        {"paths": ["/spec/replicas"], "target": {"kind": "VirtualMachine"}},
        {"paths": ["/spec/replicas"], "target": {"labelSelector": "app=db"}},
    ]
    content: dict[str, Any] = {
        "kind": "Kustomization",
        "metadata": {"name": "shop"},
        "spec": {"ignore": ignore},
    }
    plain, selecting = rules_of_kustomization(Resource(content, Site("")))
    assert ignoring(plain)["spec"]["replicas"] == 5
    assert (selecting.paths, selecting.not_evaluated) == ((), ("app=db",))


@pytest.mark.parametrize("pointer", ["", "spec"])
def test_pointer_without_a_slash_does_not_ignore_the_whole_object(pointer: str) -> None:
    rule = application(jsonPointers=[pointer, "/spec/replicas"])
    assert rule.not_evaluated == (pointer,)
    assert ignoring(rule) == ignoring(application(jsonPointers=["/spec/replicas"]))

    content: dict[str, Any] = {"kind": "Kustomization", "metadata": {"name": "shop"}}
    content["spec"] = {"ignore": [{"paths": [pointer]}]}
    flux = next(rules_of_kustomization(Resource(content, Site(""))))
    assert (flux.paths, flux.not_evaluated) == ((), (pointer,))
