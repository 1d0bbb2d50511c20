from __future__ import annotations

from renderer.model.kube.json import (
    EMPTY,
    Json,
    JsonObject,
    array_at,
    mappings_in,
    object_at,
    text_at,
    with_value,
    without,
)

DOCUMENT: JsonObject = {"metadata": {"name": "db", "labels": {"app": "db"}}, "items": [1, 2], "kind": 7}


def test_missing_or_mistyped_field_reads_as_an_empty_value() -> None:
    assert object_at(DOCUMENT, "metadata", "labels") == {"app": "db"}
    assert object_at(DOCUMENT, "metadata", "name", "deeper") is EMPTY
    assert array_at(DOCUMENT, "items") == [1, 2]
    assert array_at(DOCUMENT, "metadata") == ()
    assert text_at(DOCUMENT, "metadata", "name") == "db"
    assert text_at(DOCUMENT, "kind") == ""


def test_a_change_copies_its_path_and_shares_the_rest() -> None:
    changed = with_value(DOCUMENT, ("metadata", "annotations", "note"), "new")
    assert object_at(changed, "metadata", "annotations") == {"note": "new"}
    assert object_at(changed, "metadata", "labels") is object_at(DOCUMENT, "metadata", "labels")
    assert "annotations" not in object_at(DOCUMENT, "metadata")


def test_removing_a_missing_field_changes_nothing() -> None:
    assert without(DOCUMENT, "metadata", "annotations") is DOCUMENT
    assert without(DOCUMENT, "kind", "deeper") is DOCUMENT
    assert without(DOCUMENT, "metadata", "labels", "app")["metadata"] == {"name": "db", "labels": {}}


def test_mappings_are_yielded_in_the_order_of_the_file() -> None:
    tree: Json = {"a": {"b": 1}, "c": [{"d": 2}, [{"e": {}}]]}
    assert [[*each] for each in mappings_in(tree)] == [["a", "c"], ["b"], ["d"], ["e"], []]


def test_mapping_that_aliases_share_is_yielded_once() -> None:
    tree: Json = {"url": "x"}
    for _ in range(99):
        tree = {"left": tree, "right": [tree]}
    assert sum(1 for _ in mappings_in(tree)) == 100
