from __future__ import annotations

import pytest

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.yamlio import events
from renderer.yamlio.decode import decode_documents, decode_json, decode_yaml11
from renderer.yamlio.python_parser import PythonParser
from tests.yaml_readers import READERS, read_by

PATH = "base/vm.yaml"


@pytest.fixture(autouse=True, params=READERS)
def _reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    read_by(request.param, monkeypatch)


def documents(text: str) -> tuple[Json, ...]:
    return decode_documents(text.encode(), PATH)


def yaml11(text: str) -> Json:
    return decode_yaml11(text.encode(), PATH)


def problems(content: bytes | str) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticError) as raised:
        decode_documents(content if isinstance(content, bytes) else content.encode(), PATH)
    return raised.value.diagnostics


def problem(content: bytes | str) -> tuple[Code, str]:
    """Return code and location of the only problem."""
    (found,) = problems(content)
    return found.code, str(found.location)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (None,)),
        ("\n\n", (None,)),
        ("# nothing\n", (None,)),
        ("---\n", (None,)),
        ("a: 1", ({"a": 1},)),
        ("a: 1\n---\nb: 2\n", ({"a": 1}, {"b": 2})),
        ("---\na: 1\n---\nb: 2\n---\n", ({"a": 1}, {"b": 2}, None)),
        ("a: 1\n--- # why\nb: 2\n", ({"a": 1}, {"b": 2})),
        ("a: 1\n---  \nb: 2\n", ({"a": 1}, {"b": 2})),
        ("a: 1\n...\n---\nb: 2\n...\n", ({"a": 1}, {"b": 2})),
        ("# a\n---\n# b\n---\na: 1\n", (None, None, {"a": 1})),
        ("a: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\nc: 2\r\n", ({"a": 1, "b": "x\ny\n"}, {"c": 2})),
        ("\ufeffa: 1\n", ({"a": 1},)),
        ('{"a": [1, true, null], "b": {"c": "d"}}', ({"a": [1, True, None], "b": {"c": "d"}},)),
        ("a: |\n  x\n---\nb: 1\n", ({"a": "x\n"}, {"b": 1})),
        ("- 1\n- - 2\n", ([1, [2]],)),
        ("text\n", ("text",)),
        ("%YAML 1.1\n", None),
    ],
)
def test_documents_are_decoded(text: str, expected: tuple[Json, ...] | None) -> None:
    if expected is None:
        assert problem(text)[0] is Code.YAML_SYNTAX
    else:
        assert documents(text) == expected


def test_only_the_first_yaml_11_document_is_read() -> None:
    assert yaml11("a: 1\n---\nb: 2\n") == {"a": 1}
    assert yaml11("a: 1\n--- ]]\n") == {"a": 1}
    assert yaml11("# nothing\n") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\nb: *x\n", {"a": 1, "b": 1}),
        ("a: &x {k: 1}\nb: {<<: *x, l: 2}\n", {"a": {"k": 1}, "b": {"k": 1, "l": 2}}),
        ("a: &x {k: 1}\nb:\n  k: 0\n  <<: *x\n", {"a": {"k": 1}, "b": {"k": 0}}),
        (
            "a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc: {<<: [*x, *y]}\n",
            {"a": {"k": 1}, "b": {"k": 2, "l": 3}, "c": {"k": 1, "l": 3}},
        ),
        ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}),
        ("&k a: 1\nb: *k\n", {"a": 1, "b": "a"}),
        ("a: &k b\nc: {*k : 1}\n", {"a": "b", "c": {"b": 1}}),
        ("1: a\ntrue: {b: c}\n2020-01-02: d\n", {"1": "a", "true": {"b": "c"}, "2020-01-02": "d"}),
        ("a: {'1': b, \"\": c}\n", {"a": {"1": "b", "": "c"}}),
        ("a: {? b, ? c : d}\n", {"a": {"b": "", "c": "d"}}),
    ],
)
def test_keys_anchors_and_merges_are_resolved(text: str, expected: Json) -> None:
    assert documents(text) == (expected,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\na: 2\n", {"a": 2}),
        ("yes: 1\non: 2\nNo: 3\n", {"true": 2, "false": 3}),
        ("1: a\n0x10: b\n1.50: c\n1e6: d\n", {"1": "a", "16": "b", "1.5": "c", "1e+06": "d"}),
        ("0.1: a\n", {"0.1": "a"}),
        ("a: &x {k: 1}\nb:\n  k: 0\n  <<: *x\n", {"a": {"k": 1}, "b": {"k": 1}}),
        ("a: &x {k: 1}\nb:\n  <<: *x\n  k: 0\n", {"a": {"k": 1}, "b": {"k": 0}}),
        ("a:\n  <<: [{k: 1}, {k: 2, l: 3}]\n", {"a": {"k": 1, "l": 3}}),
        ("a: {b: , c}\n", {"a": {"b": None, "c": None}}),
    ],
)
def test_yaml_11_keys_and_merges_are_resolved(text: str, expected: Json) -> None:
    assert yaml11(text) == expected


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("a: 1\na: 2\n", True),
        ("a: {b: 1, b: 2}\n", True),
        ("- {b: 1}\n- {b: 1}\n", False),
        ("yes: 1\non: 2\n", True),  # both are true
        ("a: &x {k: 1}\nb:\n  <<: *x\n  k: 0\n", False),
        ("a: &x {k: 1}\nb:\n  k: 0\n  <<: *x\n", False),
        ("a: &x {k: 1}\nb:\n  <<: *x\n  k: 0\n  k: 2\n", True),
        ("a: &x {k: 1}\nb:\n  k: 0\n  <<: *x\n  k: 2\n", True),
    ],
)
def test_yaml_11_keys_must_be_unique_where_that_is_asked_for(text: str, *, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(DiagnosticError) as raised:
            decode_yaml11(text.encode(), PATH, unique_keys=True)
        assert {found.code for found in raised.value.diagnostics} == {Code.YAML_DUPLICATE_KEY}
    else:
        assert decode_yaml11(text.encode(), PATH, unique_keys=True) == yaml11(text)


def test_repeated_keys_of_json_are_located() -> None:
    assert decode_json(b'{"a": {"k": 1}, "b": {"k": 2}}', PATH) == {"a": {"k": 1}, "b": {"k": 2}}
    with pytest.raises(DiagnosticError) as raised:
        decode_json(b'{\n\t"a": 1,\n\t"b": {"c": 1, "c": 2}\n}', PATH)

    (found,) = raised.value.diagnostics
    assert (found.code, str(found.location)) == (Code.YAML_DUPLICATE_KEY, "base/vm.yaml:3:16")


def test_yaml_12_is_refused_as_in_kustomize() -> None:
    assert yaml11("%YAML 1.1\n---\na: 1\n") == {"a": 1}
    with pytest.raises(DiagnosticError):
        yaml11("%YAML 1.2\n---\na: 1\n")


def test_folded_text_gains_the_line_that_kustomize_adds() -> None:
    text = "a: >\n  one\n  two\n    three\n  four\nb: >+\n  x\n\nc: >-\n  y\n  z\n"

    assert documents(text) == ({"a": "one two\n\n  three\nfour\n", "b": "x\n\n\n", "c": "y z"},)
    assert yaml11(text) == {"a": "one two\n  three\nfour\n", "b": "x\n\n", "c": "y z"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: [1, 2\nb: 3\n", "base/vm.yaml:1:4"),
        ("a: 1\n b: 2\n", "base/vm.yaml:2:2"),
        ("a: {b: 1\n", "base/vm.yaml:1:4"),
        ("a: 'x\n", "base/vm.yaml:1:4"),
        ("metadata:\n\tname: x\n", "base/vm.yaml:2:1"),
        ("a: b: c\n", "base/vm.yaml:1:4"),
        ("a: 1\n---\nb: *x\n", "base/vm.yaml:3:4"),
        ("a: &x [*x]\n", "base/vm.yaml:1:8"),
        ("a: 1\n--- b\n", "base/vm.yaml:2:4"),
        ("spec:\n  a: .inf\n", "base/vm.yaml:2:6"),
        ("spec:\n  a: !!int x\n", "base/vm.yaml:2:6"),
        ("spec:\n  a: !!binary é\n", "base/vm.yaml:2:6"),
        ("spec:\n  a: !!binary a\n", "base/vm.yaml:2:6"),
        ("a: 1\na: 2\nb: %\n", "base/vm.yaml:3:4"),
        ("spec:\n  1: x\n", "base/vm.yaml:2:3"),
        ("~: x\n", "base/vm.yaml:1:1"),
        ("spec: {!foo a: x}\n", "base/vm.yaml:1:8"),
        ("? [a]\n: b\n", "base/vm.yaml:1:3"),
        ("a:\n  <<: 1\n", "base/vm.yaml:2:3"),
        ("a: {<<: {b: 1}, <<: {c: 1}}\n", "base/vm.yaml:1:17"),
        ("a: [b?c]\n", "base/vm.yaml:1:5"),
        ("a: {b?c: d}\n", "base/vm.yaml:1:5"),
        ("a: |2\n  \tx\n", "base/vm.yaml:1:4"),
        ("a: \x07\n", "base/vm.yaml:1:4"),
        ("a: 1\nb: \x00\n", "base/vm.yaml:2:4"),
        ("a: 1\nb: \ufffe\n", "base/vm.yaml:2:4"),
    ],
)
def test_malformed_text_is_located(text: str, place: str) -> None:
    code, found = problem(text)

    assert code is Code.YAML_SYNTAX
    assert found.rsplit(":", 1)[0] == place.rsplit(":", 1)[0]
    if events.BACKEND is not PythonParser:
        assert found == place


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff\xfea\x00:\x00", "base/vm.yaml:1:1"),
        (b"\xfe\xff\x00a", "base/vm.yaml:1:1"),
        ("a: é".encode("latin-1"), "base/vm.yaml:1:4"),
        (b"a: b\nc: \xc3\x28", "base/vm.yaml:2:4"),
    ],
)
def test_text_must_be_utf_8(content: bytes, place: str) -> None:
    assert problem(content) == (Code.YAML_SYNTAX, place)
    with pytest.raises(DiagnosticError):
        decode_yaml11(content, PATH)


def test_duplicate_keys_are_all_named_with_both_lines() -> None:
    first, second = problems("x: 0\n---\na: 1\nb:\n  c: 1\n  'c': 2\na: 3\n")

    assert first.code is second.code is Code.YAML_DUPLICATE_KEY
    assert [str(found.location) for found in (first, second)] == ["base/vm.yaml:7:1", "base/vm.yaml:6:3"]
    assert "3 and 7" in first.message
    assert "c " in second.message
    assert [str(related.location) for related in first.related] == ["base/vm.yaml:3:1"]
    assert first.hint


def test_text_accepted_only_by_go_yaml_is_read() -> None:
    assert documents('a: "it\\\'s"\nb: [x:, y]\n') == ({"a": "it's", "b": ["x:", "y"]},)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:\tb\n", "b"),
        ("a: b\t# why\n", "b"),
        ("a: [b\t,\tc]\t\n", ["b", "c"]),
        ("a: b\tc\n", "b\tc"),
        ("a: |\t\n  b\n", "b\n"),
        ("a: 'b\t\n\tc'\n", "b c"),
    ],
)
def test_tabs_are_allowed_like_blanks(text: str, value: Json) -> None:
    assert documents(text) == ({"a": value},)


@pytest.mark.parametrize("depth", [1, 60])
@pytest.mark.parametrize(("shape", "end"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_usual_nesting_is_allowed(shape: str, end: str, depth: int) -> None:
    assert documents(shape * depth + "x" + end * depth)


@pytest.mark.parametrize("shape", ["[", "{a: ", "- ", "? ", "[{a: ", "!t [", "&a ["])
def test_deep_nesting_is_refused(shape: str) -> None:
    assert problem(shape * 50_000)[0] is Code.YAML_LIMIT


def test_deep_nesting_by_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} {'[' * 60}*a{n - 1}{']' * 60}" for n in range(1, 5)]

    assert problem("\n".join(lines)) == (Code.YAML_LIMIT, "base/vm.yaml:3:69")


@pytest.mark.parametrize("shape", ["[{}]", "{{a: {}}}", "{{<<: [{}]}}"])
def test_alias_bombs_are_refused(shape: str) -> None:
    lines = ["a0: &a0 {k: [lol, lol]}"]
    lines += [f"a{n}: &a{n} " + _bomb(shape, n) for n in range(1, 30)]

    assert problem("\n".join(lines))[0] is Code.YAML_LIMIT


def _bomb(shape: str, level: int) -> str:
    aliases = [f"*a{level - 1}"] * 10
    if shape == "[{}]":
        return f"[{', '.join(aliases)}]"
    if shape == "{{a: {}}}":
        return "{" + ", ".join(f"k{index}: {alias}" for index, alias in enumerate(aliases)) + "}"
    entries = ", ".join(f"{{m{index}: {alias}}}" for index, alias in enumerate(aliases))
    return f"{{<<: [{entries}]}}"


def test_moderate_aliases_are_allowed() -> None:
    text = "base: &base {a: [1, 2, 3]}\nlist:\n" + "- *base\n" * 5000

    (document,) = documents(text)

    assert isinstance(document, dict)
    assert document["list"] == [{"a": [1, 2, 3]}] * 5000


@pytest.mark.parametrize("text", ["*hunter2", "!!int hunter2", "!!bool hunter2", "x\n--- hunter2\ny: x"])
def test_a_password_that_breaks_yaml_is_not_repeated(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        decode_documents(f"password: {text}\n".encode(), "x")

    assert "hunter2" not in repr(error.value.diagnostics)


def test_too_many_documents_are_refused() -> None:
    assert problem("---\n" * 100_000)[0] is Code.YAML_LIMIT


def test_a_file_that_is_too_large_is_refused() -> None:
    assert problem(b"#" * (32 * 1024 * 1024 + 1)) == (Code.YAML_LIMIT, "base/vm.yaml:1:1")


def test_long_scalars_and_keys_are_read() -> None:
    long = "x" * 5000
    number = "1" * 5000

    assert documents(f"? {long}\n: {long}\n") == ({long: long},)
    assert documents(f"a: {number}\n") == ({"a": number},)
    assert problem(f"{long}: 1\n")[0] is Code.YAML_SYNTAX
