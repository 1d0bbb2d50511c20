"""Only equal parts of trees become one object."""

from __future__ import annotations

from collections.abc import Iterator
from sys import getsizeof

import pytest

from renderer.kustomize.reader.resources import read_resources
from renderer.model.kube import sharing
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.sharing import forget_shared, once_for_same, share, share_keys, share_part


@pytest.fixture(autouse=True)
def _empty_table() -> Iterator[None]:
    forget_shared()
    yield
    forget_shared()


def _tree(name: str) -> dict[str, Json]:
    return {"name": name, "devices": {"disks": [{"name": "root", "disk": {}}]}, "args": ["a", "b"]}


def test_equal_parts_become_one_object_with_equal_content() -> None:
    first, second = [share(_tree(name)) for name in ("a", "b", "c", "d", "one", "two")][-2:]

    assert first["devices"] is second["devices"]
    assert first["args"] is second["args"]
    assert (first, second) == (_tree("one"), _tree("two"))


def test_repeated_tree_is_shared_as_a_whole() -> None:
    *_, first, second = [share(_tree("one")) for _ in range(6)]

    assert second is first


@pytest.mark.parametrize("other", [True, 1.0, "1", None, [], {}])
def test_equal_values_of_different_types_are_not_shared(other: Json) -> None:
    number: Json = 1

    share({"cpu": {"cores": number}})
    found = share({"cpu": {"cores": other}})

    assert repr(found) == repr({"cpu": {"cores": other}})


def test_keys_keep_their_order() -> None:
    share({"labels": {"a": "x", "b": "y"}})

    assert list(share({"labels": {"b": "y", "a": "x"}})["labels"]) == ["b", "a"]


def test_list_and_mapping_are_not_shared() -> None:
    share({"args": []})

    assert share({"args": {}}) == {"args": {}}


def test_parts_are_shared_by_the_content_of_their_texts() -> None:
    first = share_part({"guest": f"{int('4')}Gi"})

    assert share_part({"guest": f"{int('4')}Gi"}) is first
    assert share_part({"guest": "8Gi"}) == {"guest": "8Gi"}


def test_released_parts_are_not_found() -> None:
    first = share({"name": "one"})
    forget_shared()

    assert share({"name": "one"}) is not first


def test_large_parts_are_not_stored() -> None:
    large = {f"key-{number}": "x" for number in range(100)}
    first = share({"data": dict(large)})

    assert share({"data": dict(large)})["data"] is not first["data"]


def test_texts_of_scalars_belong_to_each_document() -> None:
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


def test_arguments_are_kept_alive_so_that_their_ids_are_not_reused() -> None:
    @once_for_same
    def first_of(part: list[Json]) -> Json:
        return part[0]

    assert [first_of([number]) for number in range(5000)] == [*range(5000)]


@pytest.fixture
def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process: the number of tables is bounded, and other tests have made some."""
    monkeypatch.setattr(sharing, "_tables", {})
    monkeypatch.setattr(sharing, "_seen", {})


@pytest.mark.usefixtures("no_tables")
def test_mappings_with_equal_keys_share_a_key_table_even_after_changes() -> None:
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
def test_shared_part_has_the_key_table() -> None:
    """It would be stored twice: the one with the table by its tree, and the other by later finds."""
    names = [f"vm-{number}" for number in range(100)]
    *_, tree = [share({"made": {"name": name}, "used": {"name": name}}) for name in names]

    assert tree["used"] is tree["made"]
    assert getsizeof(tree["used"]) < getsizeof({"name": "vm"})
