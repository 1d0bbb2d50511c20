from __future__ import annotations

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.yamlio.first_entry import add_first_entry


def added(text: str, value: str = "ours") -> str:
    return add_first_entry(text.encode(), "vmrender.yaml", "catalogs", {"path": value}).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "catalogs:\n- path: ours\n"),
        ("a: 1 # one\n", "a: 1 # one\ncatalogs:\n- path: ours\n"),
        ("a: 1", "a: 1\ncatalogs:\n- path: ours\n"),
        ("a: 1\r\n", "a: 1\r\ncatalogs:\r\n- path: ours\r\n"),
        (
            "catalogs:\n# first\n- path: x # x\nb: 1\n",
            "catalogs:\n# first\n- path: ours\n- path: x # x\nb: 1\n",
        ),
        ("catalogs:\n  - path: x\n    # y\n", "catalogs:\n  - path: ours\n  - path: x\n    # y\n"),
        ("catalogs: [{path: x}] # one\n", 'catalogs: [{path: "ours"}, {path: x}] # one\n'),
        ("catalogs:\n- path: ours\n", "catalogs:\n- path: ours\n"),
        ("catalogs:\n- path: x\n- path: ours\n", "catalogs:\n- path: x\n- path: ours\n"),
    ],
)
def test_the_entry_stands_first_and_all_else_as_it_was(before: str, after: str) -> None:
    assert added(before) == after


def test_what_yaml_would_read_otherwise_is_quoted() -> None:
    assert added("", "a: b") == 'catalogs:\n- path: "a: b"\n'


@pytest.mark.parametrize(
    "text",
    [
        "catalogs:\n",
        "catalogs: []\n",
        "catalogs: x\n",
        "catalogs: *a\nb: &a [{path: x}]\n",
        "{a: 1}\n",
        "- a\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\n",
        "a: [\n",
    ],
)
def test_what_cannot_be_edited_safely_is_left_to_its_author(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        added(text)
    assert error.value.diagnostics[0].code in {Code.EDIT_REFUSED, Code.YAML_SYNTAX}
