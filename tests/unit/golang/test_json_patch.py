from __future__ import annotations

import pytest

from renderer.golang.json_patch import OperationError, apply_operation, apply_operation_v5
from renderer.model.kube.json import Json
from tests.composing import built, only_error, warnings

DOCUMENT: Json = {"a": {"b": [1, 2], "c/d": {"e~f": 1}, "n": None}, "l": []}


def applied(op: str, path: str, value: Json = None, source: str = "") -> Json:
    return apply_operation(DOCUMENT, {"op": op, "path": path, "value": value, "from": source})


@pytest.mark.parametrize(
    ("op", "path", "value", "at", "expected"),
    [
        ("add", "/a/b/-", 3, "b", [1, 2, 3]),
        ("add", "/a/b/1", 9, "b", [1, 9, 2]),
        ("add", "/a/b/-1", 9, "b", [1, 2, 9]),
        ("add", "/a/b/-3", 9, "b", [9, 1, 2]),
        ("add", "/a/b", 9, "b", 9),
        ("replace", "/a/b/-1", 9, "b", [1, 9]),
        ("replace", "/a/new", 9, "new", 9),
        ("add", "/a/x", None, "x", None),
        ("remove", "/a/b/0", None, "b", [2]),
        ("remove", "/a/b/-1", None, "b", [1]),
        ("add", "/a/c~1d/e~0f", 2, "c/d", {"e~f": 2}),
        ("add", "no-slash/a/y", 1, "y", 1),
    ],
)
def test_operations_are_applied(op: str, path: str, value: Json, at: str, expected: Json) -> None:
    result = applied(op, path, value)
    assert isinstance(result, dict)
    assert isinstance(result["a"], dict)
    assert result["a"][at] == expected


def test_copy_and_move_are_applied() -> None:
    assert applied("copy", "/l/-", source="/a/b") == {**_document(), "l": [[1, 2]]}
    assert applied("move", "/b", source="/a/b") == {
        "a": {"c/d": {"e~f": 1}, "n": None},
        "l": [],
        "b": [1, 2],
    }


def test_the_whole_document_can_be_replaced() -> None:
    assert applied("replace", "", {"x": 1}) == {"x": 1}


@pytest.mark.parametrize(
    ("op", "path", "value"),
    [
        ("remove", "/a/missing", None),
        ("remove", "/a/b/2", None),
        ("remove", "/a/b/-3", None),
        ("add", "/missing/b", 1),
        ("add", "/a/n/b", 1),
        ("add", "/a/b/4", 1),
        ("add", "/a/b/x", 1),
        ("add", "/a/b/" + "9" * 5000, 1),
        ("replace", "/a/b/2", 1),
        ("replace", "", 1),
        ("remove", "", None),
        ("test", "/a/b/0", 2),
        ("test", "/a/b/0", True),
        ("test", "/a/b", [1]),
        ("test", "/a/missing", 1),
        ("frobnicate", "/a", 1),
        ("", "/a", 1),
    ],
)
def test_inapplicable_operation_is_an_error(op: str, path: str, value: Json) -> None:
    with pytest.raises(OperationError):
        applied(op, path, value)


@pytest.mark.parametrize(
    ("path", "value"),
    [("/a/b", [1, 2]), ("/a/n", None), ("/a/missing", None), ("/a/b/0", 1.0), ("", DOCUMENT)],
)
def test_passing_test_operation_changes_nothing(path: str, value: Json) -> None:
    assert applied("test", path, value) is DOCUMENT


@pytest.mark.parametrize(
    "operation", [None, {}, {"op": "add"}, {"op": "add", "path": 1}, {"op": "move", "path": "/a"}]
)
def test_incomplete_operation_is_an_error(operation: Json) -> None:
    with pytest.raises(OperationError):
        apply_operation(DOCUMENT, operation)


def test_untouched_parts_are_shared_and_the_document_is_unchanged() -> None:
    before = repr(DOCUMENT)
    result = applied("add", "/a/b/-", 3)
    assert repr(DOCUMENT) == before
    assert isinstance(result, dict)
    assert result["l"] is _document()["l"]


def _document() -> dict[str, Json]:
    assert isinstance(DOCUMENT, dict)
    return DOCUMENT


@pytest.mark.parametrize(
    ("path", "hint"),
    [("spec", "write /spec"), ("spec.replicas", "write /spec/replicas"), ("a/b/c", "write /a/b/c")],
)
def test_path_without_its_first_slash_gets_one(path: str, hint: str) -> None:
    files = {
        "kustomization.yaml": (
            "resources: [a.yaml]\n"
            f"patches: [{{target: {{kind: Thing}}, patch: '- {{op: remove, path: {path}}}'}}]"
        ),
        "a.yaml": "{apiVersion: x.io/v1, kind: Thing, metadata: {name: a}}",
    }
    assert only_error(files).hint == hint


def test_path_without_its_first_slash_that_applies_is_said_with_a_fix() -> None:
    files = {
        "kustomization.yaml": (
            "resources: [a.yaml]\npatches: [{target: {kind: Thing},"
            ' patch: \'[{"op": "add", "path": "spec/size", "value": 1}]\'}]'
        ),
        "a.yaml": "{apiVersion: x.io/v1, kind: Thing, metadata: {name: a}}",
    }
    (warning,) = warnings(files)
    assert warning.hint == "write /spec/size"
    assert warning.fix is not None
    assert "size: 1\n" in built(files)  # at the top, as in kustomize


@pytest.mark.parametrize(
    ("op", "path", "source"),
    [("replace", "/a/new", ""), ("replace", "/a/c~1d/new", ""), ("copy", "/a/x", "/a/new")],
)
def test_version_5_needs_what_is_replaced_or_copied(op: str, path: str, source: str) -> None:
    operation: Json = {"op": op, "path": path, "value": 1, "from": source}

    apply_operation(DOCUMENT, operation)
    with pytest.raises(OperationError, match="there is no new"):
        apply_operation_v5(DOCUMENT, operation)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/a/n", "value": 1},
        {"op": "replace", "path": "/a/b/0", "value": 1},
        {"op": "copy", "from": "/a/n", "path": "/a/m"},
        {"op": "add", "path": "/a/new", "value": 1},
        {"op": "move", "from": "/a/b/0", "path": "/l/-"},
    ],
)
def test_versions_agree_on_what_exists(operation: Json) -> None:
    assert apply_operation_v5(DOCUMENT, operation) == apply_operation(DOCUMENT, operation)
