from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from renderer.authoring.catalogs.difference_summary import as_summary
from renderer.authoring.catalogs.differences import (
    as_json,
    as_text,
    differences,
)
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource


def changed(before: Json, after: Json) -> list[str]:
    def shown(value: Value) -> str:
        return "ABSENT" if value is NoValue.ABSENT else repr(value)

    return [
        f"{each.field}: {shown(each.before)} -> {shown(each.after)}" for each in field_changes(before, after)
    ]


def resource(name: str, spec: Any, *, kind: str = "VirtualMachineInstancetype", **metadata: Any) -> Resource:  # noqa: ANN401 - any manifest
    content = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }
    return Resource(content, Site("a.yaml"))


def size(vcpus: int, memory: str) -> dict[str, Any]:
    return {"cpu": {"guest": vcpus}, "memory": {"guest": memory}}


def test_deepest_field_is_reported() -> None:
    assert changed({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "d": 2}}) == [
        "a.c: 2 -> ABSENT",
        "a.d: ABSENT -> 2",
    ]
    assert changed({"a": None}, {}) == []
    assert changed({"a": {}}, {"a": []}) == ["a: {} -> []"]
    assert changed({"a": 1}, {"a": True}) == ["a: 1 -> True"]
    assert changed({"a": "1"}, {"a": 1}) == ["a: '1' -> 1"]


def test_quantities_are_compared_by_amount() -> None:
    assert changed({"spec": size(1, "1Gi")}, {"spec": size(1, "1024Mi")}) == []
    assert changed({"spec": size(1, "1Gi")}, {"spec": size(1, "1G")}) == ["spec.memory.guest: '1Gi' -> '1G'"]
    assert changed({"spec": size(1, "1Gi")}, {"spec": size(1, "?")}) == ["spec.memory.guest: '1Gi' -> '?'"]
    assert changed({"labels": {"memory": "1Gi"}}, {"labels": {"memory": "1024Mi"}}) != []


def test_elements_are_matched_by_name() -> None:
    gpus = [{"name": "a", "deviceName": "x"}, {"name": "b", "deviceName": "y"}]

    assert changed({"gpus": gpus}, {"gpus": [*reversed(gpus)]}) == ["gpus: ['a', 'b'] -> ['b', 'a']"]
    assert changed({"gpus": gpus}, {"gpus": gpus[1:]}) == [
        "gpus[name=a]: {'name': 'a', 'deviceName': 'x'} -> ABSENT"
    ]
    assert changed({"gpus": ["a", "b"]}, {"gpus": ["a"]}) == ["gpus[1]: 'b' -> ABSENT"]


trees = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "1Gi", "1024Mi"]),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "name", "memory"]), children, max_size=3)
    ),
    max_leaves=8,
)


@given(trees)
def test_value_does_not_differ_from_itself(tree: Json) -> None:
    assert [*field_changes(tree, deepcopy(tree))] == []


@given(trees, trees)
def test_differences_are_symmetric(one: Json, other: Json) -> None:
    there = {str(change.field) for change in field_changes(one, other)}
    back = {str(change.field) for change in field_changes(other, one)}

    assert there == back


def test_catalogs_are_compared_by_resource() -> None:
    before = [
        resource("gone", size(1, "1Gi")),
        resource("same", size(1, "1Gi")),
        resource("grows", size(2, "4Gi"), labels={"memory": "4Gi"}),
        resource("grows", size(2, "4Gi"), kind="VirtualMachineClusterInstancetype"),
    ]
    after = [
        resource("grows", size(2, "8Gi"), labels={"memory": "8Gi"}),
        resource("grows", size(2, "8Gi"), kind="VirtualMachineClusterInstancetype"),
        resource("same", size(1, "1024Mi"), namespace=""),
        resource("new", size(3, "1Gi"), namespace="dev"),
        resource("new", {"requirements": size(3, "1Gi")}, kind="VirtualMachineClusterPreference"),
    ]

    found = differences(before, after, spec_only=True)

    assert as_text(found) == (
        "removed instance type gone (1 vCPU, 1Gi; namespaced)\n"
        "added preference new (requires 3 vCPUs, 1Gi; cluster-wide)\n"
        "added instance type new (3 vCPUs, 1Gi; in dev)\n"
        "changed instance type grows (cluster-wide and namespaced)\n"
        '  spec.memory.guest: "4Gi" -> "8Gi"\n'
        "2 added, 1 removed, 2 changed, 1 equal\n"
    )
    assert len(differences(before, after, spec_only=False).changed) == 3


def test_machine_readable_values_omit_missing_fields() -> None:
    found = differences([resource("a", {})], [resource("a", size(1, "1Gi"))], spec_only=True)

    assert as_json(found) == {
        "added": [],
        "removed": [],
        "changed": [
            {
                "apiVersion": "instancetype.kubevirt.io/v1beta1",
                "kind": "VirtualMachineInstancetype",
                "name": "a",
                "fields": [
                    {"field": "spec.cpu", "after": {"guest": 1}},
                    {"field": "spec.memory", "after": {"guest": "1Gi"}},
                ],
            }
        ],
        "equal": 0,
    }


def test_long_value_is_cut_in_text() -> None:
    change = FieldChange(FieldPath.of("a"), NoValue.ABSENT, "x" * 200)
    before, after = resource("a", {}), resource("a", {"a": change.after})

    text = as_text(differences([before], [after], spec_only=True))

    assert max(map(len, text.splitlines())) < 120


def test_summary_merges_equal_changes() -> None:
    before = [
        *(resource(f"u1.{number}", size(1, "1Gi")) for number in range(12)),
        *(resource(f"d1.{number}", size(1, "1Gi")) for number in range(12)),
        resource("gone", size(1, "1Gi")),
        resource("gone", {}, kind="VirtualMachinePreference"),
    ]
    after = [
        *(resource(f"u1.{number}", size(1, "2Gi")) for number in range(12)),
        *(resource(f"d1.{number}", size(1 + number % 4, "1Gi")) for number in range(12)),
        resource("new.a", size(1, "1Gi")),
        resource("new.b", size(1, "1Gi")),
    ]

    found = differences(before, after, spec_only=True)

    assert as_summary(found, (*before, *after)).splitlines() == [
        "removed 1 instance type: gone",
        "added 2 instance types: new.*",
        "removed 1 preference: gone",
        "changed 21 instance types: d1.1, d1.10, d1.11, d1.2, d1.3, d1.5, d1.6, d1.7 and 2 more",
        (
            "  spec.cpu.guest: 3 different changes in 9 instance types:"
            " d1.1, d1.5, d1.9, d1.10, d1.2, d1.6, d1.11, d1.3 and 1 more"
        ),
        '  spec.memory.guest: "1Gi" -> "2Gi" in 12 instance types: u1.*',
        "2 added, 2 removed, 21 changed, 3 equal",
    ]
