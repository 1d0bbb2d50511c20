"""kustomize, Argo CD's destinations and KubeVirt's kinds agree with the table of cluster-wide kinds."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import CLUSTER_KINDS, INSTANCETYPE_API_VERSION
from renderer.kustomize.identity import _CLUSTER_SCOPED
from renderer.model.kube.cluster_wide import (
    _KINDS,
    ClusterWideKinds,
    with_default_namespace,
    without_needless_namespaces,
)
from renderer.model.kube.json import JsonObject
from tests.kubevirt_objects import resources

#: In kustomize's table, and not a kind that can be applied.
_NO_OBJECTS = frozenset({"NodeProxyOptions"})


def _object(api_version: str, kind: str, **metadata: str) -> JsonObject:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", **metadata}}


def test_table_has_kinds_that_kustomize_knows() -> None:
    for api_version, kinds in _CLUSTER_SCOPED.items():
        for kind in kinds:
            (resource,) = resources(_object(api_version, kind))
            assert resource in ClusterWideKinds() or kind in _NO_OBJECTS, (api_version, kind)


def test_table_has_cluster_wide_kinds_of_instancetypes() -> None:
    for kind in CLUSTER_KINDS:
        (resource,) = resources(_object(INSTANCETYPE_API_VERSION, kind))
        assert resource in ClusterWideKinds()


def test_trees_and_argocd_leave_out_same_namespaces() -> None:
    written = resources(
        *(
            _object(f"{group}/v1".removeprefix("/"), kind, namespace="x")
            for group, kinds in sorted(_KINDS.items())
            for kind in sorted(kinds)
        ),
        _object("v1", "ConfigMap", namespace="x"),
        _object("example.com/v1", "Node", namespace="x"),
    )

    found = without_needless_namespaces(written)
    assert found == with_default_namespace(written, "y")
    assert {each.kind for each in found if each.namespace} == {"ConfigMap", "Node"}
    assert without_needless_namespaces(found) is found


def test_definition_counts_before_table() -> None:
    definition: JsonObject = {
        **_object("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        "spec": {"group": "cdi.kubevirt.io", "scope": "Namespaced", "names": {"kind": "CDI"}},
    }
    written = resources(definition, _object("cdi.kubevirt.io/v1beta1", "CDI", namespace="x"))

    assert without_needless_namespaces(written) is written


def test_objects_that_become_equal_are_one() -> None:
    policies = [_object("migrations.kubevirt.io/v1alpha1", "MigrationPolicy", namespace=x) for x in "ab"]
    other = {**policies[0], "spec": {"completionTimeoutPerGiB": 1}}

    found = without_needless_namespaces(resources(*policies, other))
    assert [each.content.get("spec") for each in found] == [None, {"completionTimeoutPerGiB": 1}]
