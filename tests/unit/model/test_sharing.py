"""Equal parts of trees are one object, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from sys import getsizeof

import pytest

from renderer.kustomize.reader.resources import read_resources
from renderer.model import sharing
from renderer.model.json import Json, JsonObject, with_value
from renderer.model.location import Site
from renderer.model.sharing import forget_shared, once_for_same, share, share_keys, share_part


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    forget_shared()
    yield
    forget_shared()


def _tree(name: str) -> dict[str, Json]:
    return {"name": name, "devices": {"disks": [{"name": "root", "disk": {}}]}, "args": ["a", "b"]}


def test_equal_parts_are_one_object_and_the_content_stays() -> None:
    first, second = [share(_tree(name)) for name in ("a", "b", "c", "d", "one", "two")][-2:]

    assert first["devices"] is second["devices"]
    assert first["args"] is second["args"]
    assert (first, second) == (_tree("one"), _tree("two"))


def test_a_tree_is_known_as_a_whole_when_its_parts_are() -> None:
    *_, first, second = [share(_tree("one")) for _ in range(6)]

    assert second is first


@pytest.mark.parametrize("other", [True, 1.0, "1", None, [], {}])
def test_values_that_only_compare_equal_stay_apart(other: Json) -> None:
    number: Json = 1

    share({"cpu": {"cores": number}})
    found = share({"cpu": {"cores": other}})

    assert repr(found) == repr({"cpu": {"cores": other}})


def test_keys_keep_their_order() -> None:
    share({"labels": {"a": "x", "b": "y"}})

    assert list(share({"labels": {"b": "y", "a": "x"}})["labels"]) == ["b", "a"]


def test_a_list_is_no_mapping() -> None:
    share({"args": []})

    assert share({"args": {}}) == {"args": {}}


def test_a_part_with_new_texts_is_known_by_what_they_say() -> None:
    first = share_part({"guest": f"{int('4')}Gi"})

    assert share_part({"guest": f"{int('4')}Gi"}) is first
    assert share_part({"guest": "8Gi"}) == {"guest": "8Gi"}


def test_what_was_forgotten_is_not_found() -> None:
    first = share({"name": "one"})
    forget_shared()

    assert share({"name": "one"}) is not first


def test_large_parts_are_not_kept() -> None:
    large = {f"key-{number}": "x" for number in range(100)}
    first = share({"data": dict(large)})

    assert share({"data": dict(large)})["data"] is not first["data"]


def test_texts_of_scalars_are_those_of_each_document() -> None:
    text = b"kind: A\nmetadata: {name: a}\nspec: {x: {cores: 1.0}}\n---\nkind: A\nmetadata: {name: b}\n"
    with_text, without = b"spec: {x: {cores: 1.0}}\n", b"spec: {x: {cores: 1}}\n"

    first, second = read_resources(text + with_text, Site("a.yaml"))
    (third,) = read_resources(b"kind: A\nmetadata: {name: c}\n" + without, Site("b.yaml"))

    assert [each.written_text("spec", "x", "cores") for each in (first, second, third)] == ["1.0", "1.0", "1"]


def test_a_function_is_called_once_for_the_same_parts() -> None:
    asked: list[tuple[Json, Json]] = []

    @once_for_same
    def both(first: Json, second: Json) -> Json:
        asked.append((first, second))
        return [first, second]

    disks: Json = ["root"]
    made = both(disks, None)

    assert both(disks, None) is made
    assert both(["root"], None) is not made, "an equal part may be another one tomorrow"
    assert both(None, disks) == [None, ["root"]]
    assert len(asked) == 3
    forget_shared()
    assert both(disks, None) is not made


def test_an_error_is_raised_each_time() -> None:
    @once_for_same
    def failing(part: Json) -> Json:
        raise ValueError(str(part))

    for _ in range(2):
        with pytest.raises(ValueError, match="root"):
            failing("root")


def test_arguments_are_held_so_that_no_other_object_gets_their_identity() -> None:
    @once_for_same
    def first_of(part: list[Json]) -> Json:
        return part[0]

    assert [first_of([number]) for number in range(5000)] == [*range(5000)]


@pytest.fixture
def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just begun: the number of tables is bounded, and other tests made some."""
    monkeypatch.setattr(sharing, "_tables", {})
    monkeypatch.setattr(sharing, "_seen", {})


@pytest.mark.usefixtures("no_tables")
def test_mappings_with_the_same_keys_share_a_table_of_them_also_when_they_are_changed() -> None:
    own: dict[str, Json] = {"name": "vm", "__class__": "b", "c/d": "e"}
    last: JsonObject = own
    for number in range(100):
        last = share_keys({**own, "name": f"vm-{number}"})
    changed = with_value(last, ("name",), "other")

    assert last == {**own, "name": "vm-99"}
    assert changed == {**own, "name": "other"}
    assert getsizeof(last) < getsizeof(own)
    assert getsizeof(changed) < getsizeof(own)


@pytest.mark.usefixtures("no_tables")
def test_a_part_that_is_found_again_is_the_one_with_the_table() -> None:
    """It would be held twice: the one with the table by its tree, and the other by those that find it."""
    names = [f"vm-{number}" for number in range(100)]
    *_, tree = [share({"made": {"name": name}, "used": {"name": name}}) for name in names]

    assert tree["used"] is tree["made"]
    assert getsizeof(tree["used"]) < getsizeof({"name": "vm"})
