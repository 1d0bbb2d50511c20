"""With ``mergeKeys: kubevirt``, names of other objects follow in every field of KubeVirt's kinds."""

from __future__ import annotations

import json

import pytest

from renderer.kubevirt.facts.name_references import NAME_FIELDS, NameField
from renderer.kustomize.compose import BuildOptions
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.res_id import Gvk
from renderer.model.render_config import MergeKeys
from tests.composing import built, outcome

KUBEVIRT = BuildOptions(merge_keys=MergeKeys.KUBEVIRT)
#: What a mapping needs to name a kind itself.
KINDS = {"source": ("kubevirt.io", "VirtualMachine"), "target": ("kubevirt.io", "VirtualMachine")}
VM = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: web}
    spec:
      template:
        spec:
          networks: [{name: a, multus: {networkName: %s}}]
          volumes:
          - name: ci
            cloudInitNoCloud: {secretRef: {name: %s}}
    """
NETWORK = """\
    apiVersion: k8s.cni.cncf.io/v1
    kind: NetworkAttachmentDefinition
    metadata: {name: lan%s}
    """
GENERATOR = "secretGenerator: [{name: ci, literals: [userdata=a]}]"


def mapping_of(field: NameField) -> dict[str, Json]:
    """Return the smallest mapping in which the field may name something."""
    if field.targets({}):
        return {}
    group, kind = KINDS.get(field.path[-1], ("snapshot.storage.k8s.io", "VolumeSnapshot"))
    if field.path[-1] == "sourceRef":
        return {"kind": "DataSource"}
    return {"apiGroup": group, "kind": kind}


def referrer(group: str, kind: str, field: NameField, *, is_list: bool) -> JsonObject:
    value: Json = {**mapping_of(field), field.name: ["other"] if is_list else "other"}
    for key in reversed(field.path):
        value = {key: [value] if key in ("volumes", "networks", "dataVolumeTemplates") else value}
    api_version = f"{group}/v1" if group else "v1"
    return {**object_at(value), "apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}}


FIELDS = [(group, kind, field) for (group, kind), fields in NAME_FIELDS.items() for field in fields]


@pytest.mark.parametrize(("group", "kind", "field"), FIELDS)
def test_every_field_follows_the_object_that_it_names(group: str, kind: str, field: NameField) -> None:
    is_list = field.name == "secretExtraHeaders"
    target: Gvk = field.targets(mapping_of(field))[0]
    named = {
        "apiVersion": f"{target.group}/v1" if target.group else "v1",
        "kind": target.kind,
        "metadata": {"name": "other"},
    }
    files = {
        "kustomization.yaml": "namePrefix: prod-\nresources: [a.yaml, b.yaml]",
        "a.yaml": json.dumps(named),
        "b.yaml": json.dumps(referrer(group, kind, field, is_list=is_list)),
    }
    text = built(files, options=KUBEVIRT)
    assert text.count("other") == text.count("prod-other") == 2
    if is_list:
        assert built(files).count("prod-other") == 1


def test_generated_secret_gets_its_hash_everywhere() -> None:
    files = {
        "kustomization.yaml": f"resources: [vm.yaml]\n{GENERATOR}",
        "vm.yaml": VM % ("lan", "ci"),
    }
    assert built(files, options=KUBEVIRT).count("name: ci-") == 2
    assert built(files).count("name: ci-") == 1


@pytest.mark.parametrize(
    ("written", "expected"), [("lan", "p-lan"), ("net/lan", "net/p-lan"), ("x/lan", "x/lan")]
)
def test_network_may_be_named_with_its_namespace(written: str, expected: str) -> None:
    other = ", namespace: net" if "/" in written else ""
    files = {
        "kustomization.yaml": "namePrefix: p-\nresources: [vm.yaml, net.yaml]",
        "vm.yaml": VM % (written, "x"),
        "net.yaml": NETWORK % other,
    }
    assert f"networkName: {expected}\n" in built(files, options=KUBEVIRT)


def test_name_of_an_object_that_is_not_there_stays() -> None:
    files = {"kustomization.yaml": "namePrefix: p-\nresources: [vm.yaml]", "vm.yaml": VM % ("lan", "ci")}
    text = built(files, options=KUBEVIRT)
    assert "networkName: lan\n" in text
    assert text.count("ci\n") == 2


def test_other_kinds_of_the_name_are_not_meant() -> None:
    files = {
        "kustomization.yaml": "namePrefix: p-\nresources: [vm.yaml, a.yaml]",
        "vm.yaml": VM % ("lan", "ci"),
        "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ci}",
    }
    assert built(files, options=KUBEVIRT).count("p-ci") == 1


def test_field_that_the_project_configures_is_left_to_kustomize() -> None:
    files = {
        "kustomization.yaml": "resources: [base]\nnamePrefix: p-\nconfigurations: [c.yaml]",
        "base/kustomization.yaml": "resources: [vm.yaml, a.yaml]",
        "base/vm.yaml": VM % ("lan", "ci"),
        "base/a.yaml": (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: ci}\n---\n"
            "apiVersion: v1\nkind: Secret\nmetadata: {name: p-ci}"
        ),
        "c.yaml": """\
            nameReference:
            - kind: Secret
              fieldSpecs:
              - {path: spec/template/spec/volumes/cloudInitNoCloud/secretRef/name, kind: VirtualMachine}
            """,
    }
    assert built(files, options=KUBEVIRT) == built(files)
    assert "p-p-ci" not in built(files, options=KUBEVIRT).split("kind: VirtualMachine")[1]


def test_two_objects_of_one_name_are_ambiguous() -> None:
    renamed = """\
        resources: [a.yaml]
        patches:
        - target: {kind: Secret}
          patch: |
            - {op: replace, path: /metadata/name, value: %s}
          options: {allowNameChange: true}
        """
    named = "{apiVersion: v1, kind: Secret, metadata: {name: ci}}"
    files = {
        "kustomization.yaml": "resources: [one, two, vm.yaml]",
        "vm.yaml": VM % ("lan", "ci"),
        **{f"{name}/kustomization.yaml": renamed % name for name in ("one", "two")},
        **{f"{name}/a.yaml": named for name in ("one", "two")},
    }
    (error,) = outcome(files, options=KUBEVIRT).diagnostics
    assert error.code == "name-ambiguous"
    assert "ci in spec/template/spec/volumes/cloudInitNoCloud/secretRef/name" in error.message


def test_each_variant_of_a_base_names_its_own() -> None:
    files = {
        "kustomization.yaml": "resources: [one, two]",
        "one/kustomization.yaml": "namePrefix: one-\nresources: [../base]",
        "two/kustomization.yaml": "namePrefix: two-\nresources: [../base]",
        "base/kustomization.yaml": "resources: [vm.yaml, a.yaml]",
        "base/vm.yaml": VM % ("lan", "ci"),
        "base/a.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: ci}}",
    }
    text = built(files, options=KUBEVIRT)
    assert text.count("one-ci") == text.count("two-ci") == 2


@pytest.mark.parametrize("value", ["12", "[a]", "{a: b}", "null"])
def test_value_that_is_not_a_name_is_left_to_the_schema(value: str) -> None:
    files = {
        "kustomization.yaml": "namePrefix: p-\nresources: [vm.yaml, net.yaml]",
        "vm.yaml": VM % (value, value),
        "net.yaml": NETWORK % "",
    }
    assert not outcome(files, options=KUBEVIRT).failed


@pytest.mark.parametrize(("option", "expected"), [("appendIndexToSecretRefs", "p-ci"), ("other", "ci")])
def test_pool_that_appends_indices_names_the_objects_without_them(option: str, expected: str) -> None:
    files = {
        "kustomization.yaml": "namePrefix: p-\nresources: [pool.yaml, a.yaml]",
        "pool.yaml": f"""\
            apiVersion: pool.kubevirt.io/v1beta1
            kind: VirtualMachinePool
            metadata: {{name: web}}
            spec:
              nameGeneration: {{{option}: true}}
              virtualMachineTemplate:
                spec:
                  template:
                    spec:
                      volumes:
                      - name: ci
                        cloudInitNoCloud: {{secretRef: {{name: ci}}}}
            """,
        "a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: ci-0}",
    }
    pool = built(files, options=KUBEVIRT).split("kind: VirtualMachinePool")[1]
    assert f"name: {expected}\n            name: ci\n" in pool
