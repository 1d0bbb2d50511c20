"""Bases and patches made of similar VirtualMachines compose to the originals."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.adopt.fit.grouping import grouped
from renderer.model.kube.json import Json, JsonObject
from renderer.yamlio.encode import encode
from tests.composing import built

LABEL = "app.kubernetes.io/part-of"
_KEYS = st.sampled_from(["cpu", "disks", "name", "$patch", "a/b", "~", "bus"])
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(0, 3), st.sampled_from(["", "virtio", "yes", "1.0"])
)
_VALUES: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=8,
)


def _vm(name: str, spec: Json, group: str = "shop") -> JsonObject:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "prod", "labels": {LABEL: group}},
        "spec": spec,
    }


def _composed(vms: list[JsonObject]) -> str:
    groups = grouped(vms, LABEL)
    files = {path: text for group in groups for path, text in group.files.items()}
    listed = [group.folder for group in groups]
    return built({**files, "kustomization.yaml": f"resources: {listed}\n"})


@given(st.lists(st.dictionaries(_KEYS, _VALUES, max_size=4), min_size=2, max_size=4))
def test_a_group_composes_to_the_same_bytes_as_its_machines(specs: list[JsonObject]) -> None:
    vms = [_vm(f"vm-{index}", spec) for index, spec in enumerate(specs)]
    manifests = {f"vm-{index}.yaml": encode([vm]) for index, vm in enumerate(vms)}
    alone = built({**manifests, "kustomization.yaml": f"resources: {sorted(manifests)}\n"})
    assert _composed(vms) == alone


def test_base_has_the_common_fields_and_patches_add_the_rest() -> None:
    shared: JsonObject = {"domain": {"cpu": {"cores": 2}}, "networks": [{"name": "default"}]}
    vms = [
        _vm(name, {"template": {"spec": {**shared, "volumes": [{"name": name}]}}})
        for name in ("db-1", "db-2")
    ]
    group = grouped(vms, LABEL)[0]
    assert group.members == (0, 1)
    assert sorted(group.files) == [
        "shop/_base/kustomization.yaml",
        "shop/_base/virtualmachine.yaml",
        "shop/db-1/kustomization.yaml",
        "shop/db-1/patch.yaml",
        "shop/db-2/kustomization.yaml",
        "shop/db-2/patch.yaml",
        "shop/kustomization.yaml",
    ]
    assert group.base["spec"] == {"template": {"spec": shared}}
    assert group.files["shop/db-2/patch.yaml"] == encode(
        [
            {
                "apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine",
                "metadata": {"name": "db-2"},
                "spec": {"template": {"spec": {"volumes": [{"name": "db-2"}]}}},
            }
        ]
    )


def test_single_machines_and_other_namespaces_form_no_group() -> None:
    other = _vm("b", {})
    elsewhere: JsonObject = {
        **other,
        "metadata": {"name": "b", "namespace": "test", "labels": {LABEL: "shop"}},
    }
    assert grouped([_vm("a", {}), elsewhere, _vm("c", {}, "web")], LABEL) == ()


def test_label_values_with_the_same_folder_name_get_two_folders() -> None:
    vms = [_vm(f"{index}", {}, group) for index, group in enumerate(["a.b", "a.b", "a_b", "a_b"])]
    folders = [group.folder for group in grouped(vms, LABEL)]
    assert folders[0] == "a-b"
    assert folders[1].startswith("a-b-")


def test_machines_with_names_that_no_cluster_accepts_are_in_no_group() -> None:
    names = ["_base", "..", "A", "a", "a/b", "b", "c:", ""]
    (group,) = grouped([_vm(name, {"running": True}) for name in names], LABEL)
    assert [names[position] for position in group.members] == ["a", "b"]
