"""``metadata.managedFields`` as API servers write it, and as a hostile dump may."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.adopt.live.managed_fields import FieldOwners, last_applied
from renderer.model.kube.field_path import ElementName, FieldPath

SERVICE: dict[str, Any] = {
    "metadata": {"finalizers": ["a", "b"], "labels": {"app": "db"}},
    "spec": {
        "ports": [{"name": "http", "port": 80, "protocol": "TCP"}, {"name": "dns", "port": 53}],
        "selector": {"app": "db"},
        "externalIPs": ["10.0.0.1"],
    },
}


def owners(content: dict[str, Any], *segments: Any, **fields: Any) -> list[tuple[str, bool]]:  # noqa: ANN401 - any segment, any JSON
    managed = [
        {"manager": manager.replace("_", "-"), "operation": "Update", "fieldsV1": tree}
        for manager, tree in fields.items()
    ]
    metadata = {**content.get("metadata", {}), "managedFields": managed}
    found = FieldOwners({**content, "metadata": metadata}).of(FieldPath(segments))
    return [(owner.manager, owner.is_exact) for owner in found]


def test_an_element_of_a_list_is_found_by_its_keys() -> None:
    ports: dict[str, Any] = {
        'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}},
        'k:{"port":53}': {".": {}, "f:name": {}},
    }
    tree: dict[str, Any] = {"f:spec": {"f:ports": {".": {}, **ports}}}
    http, dns = ElementName("name", "http"), ElementName("name", "dns")
    assert owners(SERVICE, "spec", "ports", http, "port", edit=tree) == [("edit", True)]
    assert owners(SERVICE, "spec", "ports", http, "name", edit=tree) == []
    assert owners(SERVICE, "spec", "ports", dns, "name", edit=tree) == [("edit", True)]
    assert owners(SERVICE, "spec", "ports", 1, "name", edit=tree) == [("edit", True)]


def test_set_elements_and_indexes_are_found() -> None:
    by_value: dict[str, Any] = {"f:metadata": {"f:finalizers": {".": {}, 'v:"a"': {}}}}
    assert owners(SERVICE, "metadata", "finalizers", 0, one=by_value) == [("one", True)]
    assert owners(SERVICE, "metadata", "finalizers", 1, one=by_value) == []
    by_index: dict[str, Any] = {"f:spec": {"f:externalIPs": {"i:0": {}}}}
    assert owners(SERVICE, "spec", "externalIPs", 0, one=by_index) == [("one", True)]


def test_fields_in_an_atomic_value_belong_to_its_owner() -> None:
    tree: dict[str, Any] = {"f:spec": {"f:selector": {}, "f:ports": {}}}
    assert owners(SERVICE, "spec", "selector", "app", edit=tree) == [("edit", False)]
    assert owners(SERVICE, "spec", "ports", ElementName("name", "http"), "port", edit=tree) == [
        ("edit", False)
    ]


def test_nearest_owner_wins() -> None:
    empty_once: dict[str, Any] = {"f:metadata": {"f:labels": {}}}
    exact: dict[str, Any] = {"f:metadata": {"f:labels": {"f:app": {}}}}
    assert owners(SERVICE, "metadata", "labels", "app", argo=empty_once, edit=exact) == [("edit", True)]


def test_field_may_have_two_owners_or_none() -> None:
    tree: dict[str, Any] = {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}
    assert owners(SERVICE, "metadata", "labels", "app", one=tree, two=tree) == [("one", True), ("two", True)]
    assert owners(SERVICE, "spec", "selector", one=tree) == []


@pytest.mark.parametrize(
    "tree",
    [
        None,
        "text",
        [],
        {"f:spec": "text"},
        {"f:spec": {"f:ports": {"k:{broken": {}, "k:[]": {}, "k:{}": {}, "v:": {}, "i:x": {}, "": {}}}},
        {"f:spec": {"f:ports": {"k:" + "[" * 100_000: {}}}},
    ],
)
def test_broken_trees_own_nothing(tree: object) -> None:
    assert owners(SERVICE, "spec", "ports", ElementName("name", "http"), "port", edit=tree) in (
        [],
        [("edit", False)],
    )


def test_broken_annotation_is_ignored() -> None:
    name = "kubectl.kubernetes.io/last-applied-configuration"
    for text in ("", "{", "[]", "[" * 100_000, 7):
        assert last_applied({"metadata": {"annotations": {name: text}}}) is None
    assert last_applied({"metadata": {"annotations": {name: '{"kind":"Service"}'}}}) == {"kind": "Service"}
