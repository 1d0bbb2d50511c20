from __future__ import annotations

import pytest

from renderer.model.codes import Code
from tests.composing import built, only_error, outcome, warnings

DEPLOYMENT = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          serviceAccountName: web
          containers:
          - name: web
            envFrom: [{configMapRef: {name: web}}, {secretRef: {name: other}}]
          volumes: [{name: v, configMap: {name: web}}]
"""
CONFIG_MAP = "    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: web}\n"
BINDING = """\
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleBinding
    metadata: {name: b}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
    subjects:
    - {kind: ServiceAccount, name: default}
    - {kind: ServiceAccount, name: known}
    - {kind: ServiceAccount, name: unknown, namespace: x}
"""


def objects(files: dict[str, str], path: str = ".") -> dict[str, object]:
    return {f"{r.kind} {r.name}": r.content for r in outcome(files, path).value}


def test_prefix_and_suffix_reach_names_and_the_references_to_them() -> None:
    files = {
        "kustomization.yaml": "resources: [r]\nnamePrefix: p-\nnameSuffix: -s\n",
        "r": DEPLOYMENT + "    ---\n" + CONFIG_MAP,
    }
    text = built(files)
    assert text.count("name: p-web-s") == 4
    assert "name: other" in text
    assert "serviceAccountName: web\n" in text


def test_some_kinds_keep_their_names() -> None:
    crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n"
    service = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: b}\n"
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: c}\n"
    files = {
        "kustomization.yaml": "resources: [r]\nnamePrefix: p-\n",
        "r": f"{crd}---\n{service}---\n{namespace}",
    }
    assert "p-" not in built(files)


def test_each_of_two_overlays_refers_to_its_own_copy() -> None:
    files = {
        "base/kustomization.yaml": "resources: [r]",
        "base/r": DEPLOYMENT + "    ---\n" + CONFIG_MAP,
        "a/kustomization.yaml": "resources: [../base]\nnamePrefix: a-\n",
        "b/kustomization.yaml": "resources: [../base]\nnamePrefix: b-\n",
        "kustomization.yaml": "resources: [a, b]\nnamePrefix: all-\n",
    }
    text = built(files)
    assert text.count("name: all-a-web") == text.count("name: all-b-web") == 4


def test_ambiguous_name_is_an_error_that_names_both_resources() -> None:
    renamed = "resources: [r]\npatches:\n- target: {name: web}\n  patch: |\n"
    renamed += "    - {op: replace, path: /metadata/name, value: %s}\n"
    files = {
        "kustomization.yaml": "resources: [a, b, d.yaml]",
        "a/kustomization.yaml": renamed % "one",
        "a/r": CONFIG_MAP,
        "b/kustomization.yaml": renamed % "two",
        "b/r": CONFIG_MAP,
        "d.yaml": DEPLOYMENT,
    }
    error = only_error(files)
    assert error.code is Code.NAME_AMBIGUOUS
    assert [related.message for related in error.related] == ["ConfigMap one", "ConfigMap two"]


def test_unrelated_name_is_unchanged() -> None:
    files = {
        "kustomization.yaml": "resources: [a, b, d.yaml]",
        "a/kustomization.yaml": "resources: [r]\nnamePrefix: a-\n",
        "a/r": CONFIG_MAP,
        "b/kustomization.yaml": "resources: [r]\nnamePrefix: b-\n",
        "b/r": CONFIG_MAP,
        "d.yaml": DEPLOYMENT,
    }
    assert built(files).count("name: web\n") == 4


def test_namespace_is_set_except_on_cluster_wide_kinds_of_kubernetes() -> None:
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\n"
    kind = "VirtualMachineClusterInstancetype"
    instancetype = f"apiVersion: instancetype.kubevirt.io/v1beta1\nkind: {kind}\nmetadata: {{name: i}}\n"
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: old}\n"
    files = {
        "kustomization.yaml": "resources: [r, c]\nnamespace: prod\n",
        "r": f"{role}---\n{instancetype}---\n{space}",
        "c": CONFIG_MAP,
    }
    found = {f"{r.kind} {r.name}": r.namespace for r in outcome(files).value}
    assert found == {
        "Namespace prod": "",
        "ClusterRole r": "",
        "ConfigMap web": "prod",
        "VirtualMachineClusterInstancetype i": "prod",
    }


def test_namespace_on_a_cluster_wide_kind_of_kubevirt_is_a_warning() -> None:
    kind = "VirtualMachineClusterPreference"
    files = {
        "kustomization.yaml": "resources: [r]\nnamespace: prod\n",
        "r": f"apiVersion: instancetype.kubevirt.io/v1beta1\nkind: {kind}\nmetadata: {{name: p}}\n",
    }
    (warning,) = warnings(files)
    assert warning.code is Code.CLUSTER_SCOPED
    assert warning.sites[0].field.segments == ("namespace",)


def test_namespace_of_default_and_known_accounts_in_bindings_is_updated() -> None:
    account = "    ---\n    apiVersion: v1\n    kind: ServiceAccount\n    metadata: {name: known}\n"
    files = {"kustomization.yaml": "resources: [r]\nnamespace: prod\n", "r": BINDING + account}
    binding = objects(files)["RoleBinding b"]
    assert isinstance(binding, dict)
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "default", "namespace": "prod"},
        {"kind": "ServiceAccount", "name": "known", "namespace": "prod"},
        {"kind": "ServiceAccount", "name": "unknown", "namespace": "x"},
    ]


def test_a_blank_namespace_of_a_subject_is_an_error() -> None:
    files = {"kustomization.yaml": "resources: [r]", "r": BINDING.replace("namespace: x", "namespace: null")}
    assert only_error(files).code is Code.RESOURCE_INVALID


def test_namespace_that_makes_two_ids_equal_is_an_error() -> None:
    first = CONFIG_MAP.replace("web}", "web, namespace: a}")
    files = {"kustomization.yaml": "resources: [r]\nnamespace: c\n", "r": f"{first}    ---\n{CONFIG_MAP}"}
    assert only_error(files).code is Code.DUPLICATE_ID


@pytest.mark.parametrize("field", ["namePrefix: p-", "namespace: prod"])
def test_non_scalar_name_is_an_error(field: str) -> None:
    files = {
        "kustomization.yaml": f"resources: [r]\n{field}\n",
        "r": "apiVersion: v1\nkind: FooList\nmetadata: {name: [], namespace: {}}\n",
    }
    assert only_error(files).code is Code.RESOURCE_INVALID
