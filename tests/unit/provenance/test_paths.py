from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.model.difference import NoValue
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.json import Json
from renderer.provenance.paths import counterpart, field_value, indexed, leaves, named

ROOT_DISK = ElementName("name", "root")
DISKS = {"disks": [{"name": "root", "bus": "sata"}, {"name": "swap"}]}

names = st.sampled_from(["a", "b", "name", "key", "x.y"])
trees: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.text("ab", max_size=2),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(names, children, max_size=3),
    max_leaves=12,
)


@given(trees)
def test_every_leaf_is_found_at_its_path(tree: Json) -> None:
    for path, value in leaves(tree):
        assert field_value(tree, path) == value
        assert field_value(tree, indexed(tree, path)) == value
        assert named(tree, indexed(tree, path)) == path


@given(trees)
def test_a_field_is_its_own_counterpart(tree: Json) -> None:
    for path, value in leaves(tree):
        assert field_value(tree, counterpart(path, tree, tree)) == value


@pytest.mark.parametrize(
    ("path", "there", "expected"),
    [
        (("disks", ROOT_DISK, "bus"), {"disks": [{"name": "x"}, {"name": "root", "bus": 1}]}, 1),
        (("disks", ROOT_DISK, "bus"), {"disks": [{"name": "boot", "bus": 1}, {"name": "swap"}]}, 1),
        (
            ("disks", ROOT_DISK, "bus"),
            {"disks": [{"name": "swap"}, {"name": "boot", "bus": 1}]},
            NoValue.ABSENT,
        ),
        (("disks", ROOT_DISK, "bus"), {"disks": [{"name": "boot", "bus": 1}]}, NoValue.ABSENT),
        (("disks", ROOT_DISK, "bus"), {}, NoValue.ABSENT),
    ],
    ids=["moved", "renamed in its place", "another in its place", "one of fewer", "no list"],
)
def test_element_is_tracked_by_name(path: tuple[str, ...], there: Json, expected: object) -> None:
    assert field_value(there, counterpart(FieldPath(path), DISKS, there)) == expected


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        (["a", "b"], ["b", "a"], ["b", "a"]),
        (["a", "b"], ["a"], ["a", NoValue.ABSENT]),
        (["a", "b"], ["a", "c"], ["a", "c"]),
        (["a", "a"], ["a", "a"], ["a", "a"]),
    ],
    ids=["reordered", "added", "changed", "equal ones"],
)
def test_element_without_a_name_is_tracked_by_value(
    here: list[str], there: list[str], expected: list[object]
) -> None:
    paths = [counterpart(FieldPath((number,)), here, there) for number in range(len(here))]
    found = [field_value(there, path) for path in paths]
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_elements_of_one_name_are_counted() -> None:
    assert [path for path, _ in leaves([{"name": "a"}, {"name": "a"}])] == [
        FieldPath.of(0, "name"),
        FieldPath.of(1, "name"),
    ]
