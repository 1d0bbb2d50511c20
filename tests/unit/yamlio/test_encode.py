"""The rows of strings.json, keys.json and key_orders.json are what kustomize printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode, encode_source


def rows(name: str) -> list[dict[str, str]]:
    table: list[dict[str, str]] = json.loads(Path(__file__).with_name(name).read_text())
    return table


KEY_ORDERS: list[list[str]] = json.loads(Path(__file__).with_name("key_orders.json").read_text())


def test_strings_are_quoted_as_in_kustomize() -> None:
    table = rows("strings.json")
    assert len(table) > 200
    for row in table:
        assert encode([{"spec": {"v": row["string"]}}]) == "spec:\n" + row["value"]
        assert encode([{"spec": [row["string"]]}]) == "spec:\n" + row["item"]


def test_keys_are_quoted_as_in_kustomize() -> None:
    table = rows("keys.json")
    assert len(table) > 200
    for row in table:
        assert encode([{"spec": {row["key"]: 1}}]) == "spec:\n" + row["entry"]


@pytest.mark.parametrize("keys", KEY_ORDERS, ids=" ".join)
def test_keys_are_in_natural_order(keys: list[str]) -> None:
    for given in (keys, keys[::-1]):
        lines = encode([dict.fromkeys(given, 1)]).splitlines()

        assert [line.removesuffix(": 1").strip("\"'") for line in lines if ": 1" in line] == [
            encode([key]).strip().strip("\"'") for key in keys
        ]


def test_circular_key_order_does_not_depend_on_the_source() -> None:
    keys = ["0x", "08", "1.", "2:", "03ne", "0o17"]

    assert encode([dict.fromkeys(keys, 1)]) == encode([dict.fromkeys(reversed(keys), 1)])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-7, "-7"),
        (2**53 + 1, "9007199254740993"),
        (2**64 - 1, "18446744073709551615"),
        (1.5, "1.5"),
        (-0.0, "0"),
        (100000.5, "100000.5"),
        (1000000.5, "1.0000005e+06"),
        (1e3, "1000"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (2.0**63, "9223372036854776000"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (1.25e-7, "1.25e-07"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
    ],
)
def test_numbers_are_written_as_in_kustomize(number: float, text: str) -> None:
    assert encode([{"a": number}]) == f"a: {text}\n"


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (None, "null\n"),
        ({}, "{}\n"),
        ([], "[]\n"),
        ("a", "a\n"),
        ("a\nb", "|-\n  a\n  b\n"),
        ([1, True, False, None], "- 1\n- true\n- false\n- null\n"),
        ({"a": {}, "b": []}, "a: {}\nb: []\n"),
        ({"a": [{"b": 1, "c": 2}, {"b": 3}]}, "a:\n- b: 1\n  c: 2\n- b: 3\n"),
        ({"a": [[1, [2]], []]}, "a:\n- - 1\n  - - 2\n- []\n"),
        ([{"a": [{"b": ["c"]}]}], "- a:\n  - b:\n    - c\n"),
        ({"a": {"b": {"c": "x\ny\n"}}}, "a:\n  b:\n    c: |\n      x\n      y\n"),
        ([{"a": "x\ny"}], "- a: |-\n    x\n    y\n"),
        ({"a\nb": 1}, "? |-\n  a\n  b\n: 1\n"),
        ({"a\nb": {"c": 1, "d": 2}}, "? |-\n  a\n  b\n: c: 1\n  d: 2\n"),
        ({"a\nb": [1, {"c": 2}]}, "? |-\n  a\n  b\n: - 1\n  - c: 2\n"),
        ([{"a\nb": []}], "- ? |-\n    a\n    b\n  : []\n"),
    ],
)
def test_tree_is_written_as_in_kustomize(tree: Json, text: str) -> None:
    assert encode([tree]) == text


def test_documents_are_separated() -> None:
    assert encode([]) == ""
    assert encode([{"a": 1}]) == "a: 1\n"
    assert encode([{"a": 1}, None, {"b": 2}]) == "a: 1\n---\nnull\n---\nb: 2\n"


@pytest.mark.parametrize("character", ["\x7f", "\x80", "\x9f", "\ufffe", "\uffff", "\ud800"])
def test_character_that_kustomize_cannot_print_is_refused(character: str) -> None:
    for tree in ({"a": character}, {"a": f"b {character}\n"}, {f"a{character}": 1}):
        with pytest.raises(DiagnosticError) as raised:
            encode([tree])

        (problem,) = raised.value.diagnostics
        assert problem.code is Code.OUTPUT_INVALID
        assert f"U+{ord(character):04X}" in problem.message


@pytest.mark.parametrize("key", ["\x85", "a\x85", "a\x85b"])
def test_key_that_kustomize_cannot_print_is_refused(key: str) -> None:
    with pytest.raises(DiagnosticError, match=r"a key with the line break U\+0085"):
        encode([{"a": {key: "b"}}])


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_number_outside_json_is_refused(number: float) -> None:
    with pytest.raises(DiagnosticError):
        encode([{"a": number}])


def test_the_tree_is_not_changed() -> None:
    tree: Json = {"b": [{"d": 1, "c": "x  y" * 40}], "a": "z"}
    before = json.dumps(tree)

    encode([tree])

    assert json.dumps(tree) == before


#: Characters that reorder text, have no width, are shown at line ends alone, or have no meaning.
INVISIBLE = "\u202e\u2066\u200b\u200d\xad\u2060\ufeff\U000e0041\u2028\x85\x7f\ue000"


@pytest.mark.parametrize("character", INVISIBLE)
def test_sources_show_what_nobody_sees(character: str) -> None:
    key = "a" if character in "\x85\x7f" else f"a{character}b"  # these are refused in keys
    tree: Json = {key: f"x{character}y", "script": f"one\n{character}two\n"}
    text = encode_source(tree)
    assert text.replace("\n", "").isprintable()
    assert decode_documents(text.encode(), "") == (tree,)


def test_spaces_of_other_widths_stay_readable() -> None:
    assert encode_source({"a": "1\xa0000\u3000\nb\n"}) == "a: |\n  1\xa0000\u3000\n  b\n"
