"""The operations of RFC 6902 and pointers of RFC 6901, and where kustomize's patches differ."""

from __future__ import annotations

from functools import reduce

import pytest

from renderer.golang.json_patch import OperationError, apply_operation
from renderer.model.kube.json import Json


def add(path: str, value: Json) -> Json:
    return {"op": "add", "path": path, "value": value}


def remove(path: str) -> Json:
    return {"op": "remove", "path": path}


def replace(path: str, value: Json) -> Json:
    return {"op": "replace", "path": path, "value": value}


def move(source: str, path: str) -> Json:
    return {"op": "move", "from": source, "path": path}


def copy(source: str, path: str) -> Json:
    return {"op": "copy", "from": source, "path": path}


def test(path: str, value: Json) -> Json:
    return {"op": "test", "path": path, "value": value}


test.__test__ = False  # type: ignore[attr-defined]  # it is an operation


def patched(document: Json, *operations: Json) -> Json:
    return reduce(apply_operation, operations, document)


@pytest.mark.parametrize(
    ("document", "operations", "expected"),
    [
        # 4.1: a new member, a member that is replaced, an element that shifts the others, the end of a list
        ({"disk": 1}, [add("/cpu", 2)], {"disk": 1, "cpu": 2}),
        ({"disk": 1}, [add("/disk", {"bus": "sata"})], {"disk": {"bus": "sata"}}),
        ({"l": ["a", "c"]}, [add("/l/1", "b")], {"l": ["a", "b", "c"]}),
        ({"l": ["a", "c"]}, [add("/l/0", "b")], {"l": ["b", "a", "c"]}),
        ({"l": ["a", "c"]}, [add("/l/2", "b")], {"l": ["a", "c", "b"]}),
        ({"l": []}, [add("/l/-", ["x", {}])], {"l": [["x", {}]]}),
        ({"l": [[1], [2]]}, [add("/l/1/-", 3)], {"l": [[1], [2, 3]]}),
        ({"a": None}, [add("/a", 1)], {"a": 1}),
        ({}, [add("/", 1)], {"": 1}),
        ({"": {}}, [add("//", 1)], {"": {"": 1}}),
        ([], [add("/0", {"a": 1}), add("/0/b", 2)], [{"a": 1, "b": 2}]),
        # 4.2, 4.3
        ({"a": 1, "b": 2}, [remove("/a")], {"b": 2}),
        ({"a": None}, [remove("/a")], {}),
        ({"l": [1, 2, 3]}, [remove("/l/1"), remove("/l/1")], {"l": [1]}),
        ({"a": [1]}, [replace("/a", None)], {"a": None}),
        ({"l": [1, {"x": 2}]}, [replace("/l/1/x", [3])], {"l": [1, {"x": [3]}]}),
        # 4.4: as a removal followed by an addition, so that indices are those after the removal
        ({"l": ["a", "b", "c"]}, [move("/l/0", "/l/2")], {"l": ["b", "c", "a"]}),
        ({"l": ["a", "b", "c"]}, [move("/l/2", "/l/0")], {"l": ["c", "a", "b"]}),
        ({"a": {"x": 1}, "b": {}}, [move("/a/x", "/b/y")], {"a": {}, "b": {"y": 1}}),
        ({"a": 1}, [move("/a", "/a")], {"a": 1}),
        # 4.5: two values afterwards, of which one can be changed
        ({"a": {"x": 1}}, [copy("/a", "/b"), add("/b/x", 2)], {"a": {"x": 1}, "b": {"x": 2}}),
        ({"l": [1, 2]}, [copy("/l/0", "/l/-")], {"l": [1, 2, 1]}),
        # 4.6: members in any order, elements in theirs
        ({"n": 1}, [test("/n", 1)], {"n": 1}),
        ({"a": {"x": 1, "y": [1]}}, [test("/a", {"y": [1], "x": 1})], {"a": {"x": 1, "y": [1]}}),
        ({"a": ""}, [test("/a", "")], {"a": ""}),
        ({"a": [], "b": {}}, [test("/a", []), test("/b", {})], {"a": [], "b": {}}),
        # RFC 6901: ~1 is unescaped before ~0; other characters are literal
        ({}, [add("/a~1b", 1)], {"a/b": 1}),
        ({}, [add("/a~0b", 1)], {"a~b": 1}),
        ({}, [add("/~01", 1)], {"~1": 1}),
        ({}, [add("/a%2Fb", 1)], {"a%2Fb": 1}),
        ({}, [add('/k"l', 1), add("/ ", 2), add("/é😀", 3)], {'k"l': 1, " ": 2, "é😀": 3}),
        ({"0": 1}, [replace("/0", 2)], {"0": 2}),
        ({"-": 1}, [replace("/-", 2)], {"-": 2}),
    ],
)
def test_examples_of_the_standard_are_applied(document: Json, operations: list[Json], expected: Json) -> None:
    assert patched(document, *operations) == expected


@pytest.mark.parametrize(
    ("document", "operation"),
    [
        ({"l": [1]}, add("/l/2", 1)),
        ({"l": [1]}, add("/l/x", 1)),
        ({"l": [1]}, add("/l/1.0", 1)),
        ({"l": [1]}, add("/l/1e0", 1)),
        ({}, add("/a/b", 1)),
        ({"a": 1}, add("/a/b", 1)),
        ({"a": "text"}, add("/a/0", 1)),
        ({}, remove("/a")),
        ({"l": []}, remove("/l/0")),
        ({"l": [1]}, remove("/l/-")),
        ({"l": [1]}, replace("/l/1", 2)),
        ({}, move("/a", "/b")),
        ({"a": {"b": 1}}, move("/a", "/a/b/c")),
        ({"a": 1}, test("/a", "1")),
        ({"a": 1}, test("/a", None)),
        ({"a": [1]}, test("/a", [True])),
        ({"a": [1, 2]}, test("/a", [2, 1])),
        ({"a": {"x": 1}}, test("/a", {})),
        ({"a": "é"}, test("/a", "e\u0301")),
        ({"a": 1}, {"op": "ADD", "path": "/b", "value": 1}),
        ({"a": 1}, {"path": "/b", "value": 1}),
        ({"a": 1}, {"op": "add", "value": 1}),
        ({"a": 1}, {"op": "move", "path": "/b"}),
        ({"a": 1}, {"op": "copy", "path": "/b"}),
    ],
)
def test_operations_refused_by_the_standard_are_errors(document: Json, operation: Json) -> None:
    with pytest.raises(OperationError):
        patched(document, operation)


@pytest.mark.parametrize(
    ("document", "operation", "expected"),
    [
        ({}, replace("/a", 1), {"a": 1}),
        ({}, {"op": "add", "path": "/a"}, {"a": None}),
        ({"l": [1, 2]}, remove("/l/-1"), {"l": [1]}),
        ({"l": [1, 2]}, replace("/l/01", 3), {"l": [1, 3]}),
        ({}, add("x/a", 1), {"a": 1}),
        ({}, copy("/a", "/b"), {"b": None}),
        ({}, test("/a", None), {}),
    ],
)
def test_lenient_operations_of_kustomize_are_applied(document: Json, operation: Json, expected: Json) -> None:
    assert patched(document, operation) == expected
