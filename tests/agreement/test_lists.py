"""List elements have the same names in sites, histories and differences, and are paired alike."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from renderer.authoring.catalogs.differences import differences
from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST
from renderer.provenance.paths import named

LISTS: tuple[tuple[str, Sequence[Json]], ...] = (
    ("name", [{"name": "a", "id": "1"}, {"name": "b", "id": "2"}]),
    ("metadata.name", [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]),
    ("id", [{"id": "a"}, {"id": "b"}]),
    ("deviceName", [{"deviceName": "a"}, {"deviceName": "b"}]),
    ("mountPath", [{"mountPath": "/a"}, {"mountPath": "/b"}]),
    ("key", [{"key": "a", "value": "1"}, {"key": "b", "value": "1"}]),
    ("containerPort", [{"containerPort": 80}, {"containerPort": 443}]),
    ("port", [{"port": 80}, {"port": 443}]),
    ("", [{"name": "a"}, {"name": "a"}]),
    ("", ["a", "b"]),
    ("", [{"x": 1}, {"x": 2}]),
)


def changed_last(elements: Sequence[Json]) -> Sequence[Json]:
    last = elements[-1]
    return [*elements[:-1], {**last, "new": 1} if isinstance(last, dict) else "new"]


def instancetype(elements: Sequence[Json]) -> Resource:
    content: JsonObject = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "u1"},
        "spec": {"things": elements},
    }
    return Resource(content, Site("a.yaml"))


def names(fields: Sequence[FieldPath]) -> set[Segment]:
    return {field.segments[2] for field in fields}


def compared(one: Resource, other: Resource) -> Sequence[FieldPath]:
    before, after = (OverlaySide(LATEST, (each,)) for each in (one, other))
    changes = compare_overlay("overlays/prod", "prod", before, after).changes
    return [field.field for change in changes for field in change.fields]


@pytest.mark.parametrize(("key", "elements"), LISTS)
def test_element_name_is_the_same_everywhere(key: str, elements: Sequence[Json]) -> None:
    one, other = instancetype(elements), instancetype(changed_last(elements))
    field = FieldPath.of("spec", "things", len(elements) - 1)
    (site,) = one.sites(field)
    catalog = differences([one], [other], spec_only=True).changed[0].changes
    owners = {
        "sites": names([site.field]),
        "explain": names([named(one.content, field)]),
        "lists": names([change.field for change in field_changes(one.content, other.content)]),
        "catalog diff": names([change.field for change in catalog]),
        "diff": names(compared(one, other)),
    }
    assert all(segments == owners["lists"] for segments in owners.values()), owners
    keys = {name.key for name in owners["lists"] if isinstance(name, ElementName)}
    assert keys == ({key} if key else set())


#: Both sides, and the fields that differ.
PAIRS: tuple[tuple[JsonObject, JsonObject, Sequence[str]], ...] = (
    ({"a": [{"name": "x"}, {"name": "y"}]}, {"a": [{"name": "y"}, {"name": "x"}]}, ["a"]),
    ({"a": ["x", "y", "z"]}, {"a": ["y", "z"]}, ["a[0]"]),
    ({"a": ["x", "y"]}, {"a": ["x", "new", "y"]}, ["a[1]"]),
    ({"a": None}, {}, []),
    ({"a": [{"id": "x"}]}, {"a": [{"id": "y"}]}, ["a[id=x]", "a[id=y]"]),
    ({"requests": {"memory": "1Gi"}}, {"requests": {"memory": "1024Mi"}}, []),
    ({"memory": {"guest": "1Gi"}}, {"memory": {"guest": "1024Mi"}}, []),
    ({"a": 1}, {"a": True}, ["a"]),
    ({"a": 1}, {"a": 1.0}, []),
    ({}, {"a": [{"name": "x", "b": [{"name": "y"}]}]}, ["a[name=x]"]),
    ({"a": {"b": 1}}, {"a": [1]}, ["a"]),
)


@pytest.mark.parametrize(("before", "after", "fields"), PAIRS)
def test_differing_fields_are_the_same_everywhere(
    before: JsonObject, after: JsonObject, fields: Sequence[str]
) -> None:
    one, other = instancetype([]), instancetype([])
    one = one.with_content({**one.content, "spec": before})
    other = other.with_content({**other.content, "spec": after})
    catalog = [
        change for each in differences([one], [other], spec_only=True).changed for change in each.changes
    ]
    assert [str(change.field) for change in field_changes(before, after)] == fields
    assert [str(change.field) for change in catalog] == [f"spec.{field}" for field in fields]
    assert list(map(str, compared(one, other))) == [f"spec.{field}" for field in fields]
