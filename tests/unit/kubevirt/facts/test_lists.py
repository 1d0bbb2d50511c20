from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.facts.lists import field_changes, is_equal, is_same
from renderer.model.difference import NoValue
from renderer.model.kube.json import Json


def changes(before: Any, after: Any) -> dict[str, tuple[Any, Any]]:  # noqa: ANN401 - JSON of any kind
    found = field_changes(before, after)
    return {str(change.field): (change.before, change.after) for change in found}


ABSENT = NoValue.ABSENT


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": None}, {}, {}),
        ({"a": None}, {"a": "x"}, {"a": (ABSENT, "x")}),
        ({"a": 1}, {"a": True}, {"a": (1, True)}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a.b": (1, 2)}),
        ({"a": {"b": 1}}, {"a": [1]}, {"a": ({"b": 1}, [1])}),
        ({"__a": 1}, {"__a": 2}, {"__a": (1, 2)}),
        ({"a": {}}, {}, {"a": ({}, ABSENT)}),
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, {"a[1]": (2, ABSENT)}),
        ({"a": [False, 0]}, {"a": [False, False]}, {"a[1]": (0, False)}),
        ({"a": [1, True]}, {"a": [True]}, {"a[0]": (1, ABSENT)}),
        ({}, {"a": [{"name": "x"}]}, {"a[name=x]": (ABSENT, {"name": "x"})}),
        ({"a": [{"name": "x"}]}, {}, {"a[name=x]": ({"name": "x"}, ABSENT)}),
        ({}, {"a": [1]}, {"a": (ABSENT, [1])}),
        ({}, {"a": []}, {"a": (ABSENT, [])}),
        ({"a.b": 1}, {"a.b": 2}, {'["a.b"]': (1, 2)}),
        ({"0": 1}, {"0": 2}, {"0": (1, 2)}),
        (
            {"a": {"x": 1, "y": 1}},
            {"a": {"z": 2}},
            {"a.x": (1, ABSENT), "a.y": (1, ABSENT), "a.z": (ABSENT, 2)},
        ),
    ],
)
def test_fields_are_compared(before: Json, after: Json, expected: dict[str, tuple[Json, Json]]) -> None:
    assert changes(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "is_change"),
    [
        ({"memory": {"guest": "1Gi"}}, {"memory": {"guest": "1024Mi"}}, False),
        ({"requests": {"cpu": "500m"}}, {"requests": {"cpu": 0.5}}, False),
        ({"storage": {"resources": {"requests": {"storage": "1Ti"}}}}, {}, True),
        ({"memory": {"guest": "1Gi"}}, {"memory": {"guest": "1G"}}, True),
        ({"args": "1Gi"}, {"args": "1024Mi"}, True),
        ({"guest": "x"}, {"guest": "y"}, True),
    ],
)
def test_quantities_are_compared_by_amount(before: Json, after: Json, *, is_change: bool) -> None:
    assert bool(changes(before, after)) is is_change


def test_elements_are_matched_by_name() -> None:
    before = {"disks": [{"name": "a", "x": 1}, {"name": "b", "x": 1}]}
    after = {"disks": [{"name": "c", "x": 1}, {"name": "b", "x": 2}]}
    assert changes(before, after) == {
        "disks[name=a]": ({"name": "a", "x": 1}, ABSENT),
        "disks[name=b].x": (1, 2),
        "disks[name=c]": (ABSENT, {"name": "c", "x": 1}),
    }


def test_elements_of_one_name_are_counted() -> None:
    before = {"env": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]}
    after = {"env": [{"name": "a", "x": 1}, {"name": "a", "x": 3}]}
    assert changes(before, after) == {"env[1].x": (2, 3)}


def test_different_order_is_reported() -> None:
    sides: list[dict[str, Json]] = [
        {"disks": [{"name": name} for name in names]} for names in ("abc", "cxab")
    ]
    before, after = sides
    found = field_changes(before, after)
    assert [(str(change.field), change.before, change.after, change.reordered) for change in found] == [
        ("disks", ["a", "b", "c"], ["c", "a", "b"], True),
        ("disks[name=x]", ABSENT, {"name": "x"}, False),
    ]


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "guest", "__x", "a"]), children, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "name", "limits"]), TREES, max_size=3)


def without_nulls(value: Any) -> Any:  # noqa: ANN401 - JSON of any kind
    if isinstance(value, dict):
        return {key: without_nulls(child) for key, child in value.items() if child is not None}
    return [without_nulls(child) for child in value] if isinstance(value, list) else value


@given(OBJECTS, OBJECTS)
def test_changed_if_something_differs(before: dict[str, Json], after: dict[str, Json]) -> None:
    if not changes(before, after):
        texts = [json.dumps(without_nulls(side), sort_keys=True) for side in (before, after)]
        amounts = {"guest", "limits"}
        assert texts[0] == texts[1] or any(name in text for name in amounts for text in texts)
    assert changes(before, before) == {}


@given(OBJECTS, OBJECTS)
def test_changes_are_symmetric(before: dict[str, Json], after: dict[str, Json]) -> None:
    forth, back = changes(before, after), changes(after, before)
    if not any(isinstance(value, list) for tree in (before, after) for value in tree.values()):
        assert {field: (new, old) for field, (old, new) in back.items()} == forth


@given(OBJECTS, OBJECTS)
def test_fast_comparison_agrees(before: dict[str, Json], after: dict[str, Json]) -> None:
    assert is_same(before, after) == is_equal(before, after)
