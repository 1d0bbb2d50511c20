from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from renderer.checks.schemas.nulls import without_nulls
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST

SCHEMAS = SchemaRegistry()


def written(content: JsonObject) -> JsonObject:
    """Return the object as it is written."""
    (resource,) = without_nulls(ResourceSet((Resource(content, Site("a.yaml")),)), LATEST, SCHEMAS)
    return resource.content


def vm(template_spec: Mapping[str, Any], **template: Any) -> JsonObject:  # noqa: ANN401 - any field
    head: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web"}}
    return {**head, "spec": {"template": {**template, "spec": template_spec}}}


def test_nulls_of_known_fields_are_left_out_at_any_depth() -> None:
    machine = vm({"nodeSelector": None, "domain": {"firmware": None, "devices": {"disks": [{"disk": None}]}}})
    assert written(machine) == vm({"domain": {"devices": {"disks": [{}]}}})


def test_keys_of_maps_are_left_out_as_the_api_server_drops_them() -> None:
    assert written(vm({"nodeSelector": {"zone": None, "rack": "a"}})) == vm({"nodeSelector": {"rack": "a"}})


@pytest.mark.parametrize(
    "machine",
    [
        vm({"domain": {"devices": {"disks": [None]}}}),
        vm({"domain": {"frimware": None}}),
        vm({}, metadata={"creationTimestamp": None}),
    ],
    ids=["element", "unknown-field", "template-metadata"],
)
def test_other_nulls_stay(machine: JsonObject) -> None:
    assert written(machine) == machine


def test_nullable_fields_stay() -> None:
    kubevirt: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt"},
        "spec": {"configuration": {"vmRolloutStrategy": None}},
    }
    assert written(kubevirt) == kubevirt


def test_kinds_of_kubernetes_keep_nulls_of_maps_alone() -> None:
    """A null in a map is decoded as the empty text, elsewhere as no value."""
    secret: JsonObject = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "login", "labels": None, "annotations": {"note": None}},
        "stringData": {"password": None},
        "type": None,
    }
    kept = {"name": "login", "annotations": {"note": None}}
    expected = {key: value for key, value in secret.items() if key != "type"}
    assert written(secret) == {**expected, "metadata": kept}


def test_kinds_without_a_schema_are_left_alone() -> None:
    widget: JsonObject = {
        "apiVersion": "example.org/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "labels": None},
        "spec": {"size": None},
    }
    assert written(widget) is widget
