"""Only fields that the cluster writes are removed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.facts.server_fields import (
    SERVER_FIELDS,
    SERVER_FINALIZERS,
    strip_server_fields,
    strip_status,
    without_server_fields,
)
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet

VM: JsonObject = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {
        "name": "web",
        "labels": {"app": "web"},
        "annotations": {"example.com/status": "x", "kubevirt.io/pci-topology-version": "v3"},
        "finalizers": ["example.com/backup"],
        "ownerReferences": [{"kind": "ConfigMap", "name": "a", "uid": "1"}],
    },
    "spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"status": "the guest's"}}},
}
EMPTY_VALUES: tuple[Json, ...] = (None, "", {}, [], {"conditions": [], "acceptedNames": {"kind": ""}})


def test_fields_written_by_the_user_are_kept() -> None:
    content, removed = without_server_fields(VM)

    assert content is VM
    assert removed == ()


@given(st.sets(st.sampled_from(range(len(SERVER_FIELDS))), min_size=1))
def test_server_fields_are_removed_and_named(rows: set[int]) -> None:
    paths = [
        (*path[:-1], path[-1].replace("*", "some")) for path in (SERVER_FIELDS[row].path for row in rows)
    ]
    content = VM
    for path in paths:
        content = with_value(content, path, {"written": "by the cluster"})

    stripped, removed = without_server_fields(content)

    assert stripped == VM
    assert {field.segments for field in removed} == set(paths)
    assert without_server_fields(stripped) == (stripped, ())


def test_emptied_mapping_is_removed() -> None:
    content: JsonObject = {
        "metadata": {"name": "a", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    }

    assert without_server_fields(content)[0] == {"metadata": {"name": "a"}}


def test_empty_values_are_kept() -> None:
    for value in EMPTY_VALUES:
        content = with_value(with_value(VM, ("status",), value), ("metadata", "creationTimestamp"), value)
        assert without_server_fields(content) == (content, ())


def test_finalizers_and_owners_of_controllers_are_removed() -> None:
    owner: JsonObject = {"kind": "DataVolume", "name": "root", "uid": "2", "controller": True}
    metadata = object_at(VM, "metadata")
    mine = {key: metadata[key] for key in ("finalizers", "ownerReferences")}
    live = with_value(VM, ("metadata", "finalizers"), [*SERVER_FINALIZERS, "example.com/backup"])
    live = with_value(
        live, ("metadata", "ownerReferences"), [owner, {"kind": "ConfigMap", "name": "a", "uid": "1"}]
    )

    stripped, removed = without_server_fields(live)

    assert {key: object_at(stripped, "metadata")[key] for key in mine} == mine
    assert [str(field) for field in removed] == ["metadata.finalizers", "metadata.ownerReferences"]


def test_one_warning_for_each_file() -> None:
    live = with_value(with_value(VM, ("status",), {"ready": True}), ("metadata", "uid"), "1")
    resources = ResourceSet(
        (Resource(live, Site("a.yaml")), Resource(live, Site("a.yaml", 1)), Resource(live, Site("b.yaml")))
    )

    stripped = strip_server_fields(resources)

    assert [resource.content for resource in stripped.value] == [VM] * 3
    assert [warning.sites[0].path for warning in stripped.diagnostics] == ["a.yaml", "b.yaml"]
    assert {warning.message for warning in stripped.diagnostics} == {
        "status and metadata.uid are written by the cluster, and left out of the rendered manifests"
    }


def test_status_of_kubevirt_is_used_by_the_expansion_before_removal() -> None:
    kubevirt: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "uid": "1"},
        "status": {"defaultArchitecture": "arm64"},
    }
    stripped = strip_server_fields(ResourceSet((Resource(kubevirt, Site("a.yaml")),)))

    [resource] = stripped.value
    assert resource.content == {**kubevirt, "metadata": {"name": "kubevirt"}}
    [written] = strip_status(stripped.value)
    assert written.content.get("status", EMPTY) is EMPTY
    assert len(stripped.diagnostics) == 1
