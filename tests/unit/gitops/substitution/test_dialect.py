"""Flux's dialect of envsubst: as in its README and source, and where it differs from bash."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.golang.envsubst import SubstitutionError, evaluate, parse

VALUES = {
    "host": "node-7.rack2.Example",
    "path": "images/fedora/41.qcow2",
    "empty": "",
    "ch": "é1",
    "n": "3",
    "braces": "${host}",
    "_under": "u",
    "sep": ".",
}


def expanded(text: str) -> str:
    return evaluate(parse(text), VALUES).text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        # plain
        ("a ${n} b", "a 3 b"),
        ("${n}${n}", "33"),
        ("${_under}", "u"),
        ("${empty}", ""),
        ("$n and $ and $", "$n and $ and $"),
        ("}{ ${n}", "}{ 3"),
        ("${braces}", "${host}"),  # values are not looked at again
        # a second dollar
        ("$${n}", "${n}"),
        ("$$${n}", "$3"),
        ("$$$${n}", "$${n}"),
        ("a$$b", "a$b"),
        ("a$$$b", "a$$b"),
        # a backslash is nothing special out here
        (r"\${n} \\", r"\3 \\"),
        # defaults
        ("${unset:-d}", "d"),
        ("${unset:=d}", "d"),
        ("${unset=d}", "d"),
        ("${empty:-d}", "d"),
        ("${empty=d}", "d"),  # unlike bash
        ("${n:-d}", "3"),
        ("${unset:?d}", "d"),  # unlike bash
        ("${unset:+d}", "d"),  # unlike bash
        ("${n:+d}", "3"),  # unlike bash
        ("${unset:-}", ""),
        ("${unset:-a b: c}", "a b: c"),
        ("${unset:-<${n}>${empty}.}", "<3>."),
        ("${unset:-${other:-x}}", "x"),
        ("${unset:-$$x}", "$$x"),  # only text out here loses a dollar
        # case
        ("${host^}", "Node-7.rack2.Example"),
        ("${host^^}", "NODE-7.RACK2.EXAMPLE"),
        ("${path^}", "Images/fedora/41.qcow2"),
        ("${host,,}", "node-7.rack2.example"),
        ("${host,}", "node-7.rack2.Example"),
        ("${ch^}", "É1"),
        # length and parts, in bytes
        ("${#host}", "20"),
        ("${#ch}", "3"),
        ("${#empty}", "0"),
        ("${host:5}", "7.rack2.Example"),
        ("${host:5:1}", "7"),
        ("${host:-1}", "node-7.rack2.Example"),  # a default, not an offset
        ("${host:0:0}", ""),
        ("${host:99}", ""),
        ("${host:99:1}", ""),
        ("${host:5:99}", "7.rack2.Example"),
        ("${host:x}", "node-7.rack2.Example"),
        ("${host:1:x}", "node-7.rack2.Example"),
        ("${host: 5}", "node-7.rack2.Example"),  # a blank makes it no number
        ("${host:${n}}", "e-7.rack2.Example"),
        ("${host:${n}:${n}}", "e-7"),
        ("${host:1::2}", "od"),
        # replacing
        ("${path/images/i}", "i/fedora/41.qcow2"),
        ("${path/a/A}", "imAges/fedora/41.qcow2"),
        ("${path//a/A}", "imAges/fedorA/41.qcow2"),
        ("${path//a/}", "imges/fedor/41.qcow2"),
        (r"${path//\//-}", "images-fedora-41.qcow2"),
        (r"${path/\/fedora/\\}", r"images\/41.qcow2"),
        ("${path/#images/i}", "i/fedora/41.qcow2"),
        ("${path/#fedora/i}", "images/fedora/41.qcow2"),
        ("${path/%qcow2/raw}", "images/fedora/41.raw"),
        ("${path/%images/raw}", "images/fedora/41.qcow2"),
        ("${path/#images/}", "images/fedora/41.qcow2"),  # without a text nothing happens, unlike bash
        ("${path/fedora//x}", "images/x/41.qcow2"),  # slashes in a row are one
        ("${path/a}b/x}", "images/fedora/41.qcow2"),  # a pattern may hold a brace
        ("${host/${sep}/_}", "node-7_rack2.Example"),
        ("${host//${empty}/-}", "-n-o-d-e---7-.-r-a-c-k-2-.-E-x-a-m-p-l-e-"),
        # trimming
        ("${host#*.}", "rack2.Example"),
        ("${host##*.}", "Example"),
        ("${host%.*}", "node-7.rack2"),
        ("${host%%.*}", "node-7"),
        ("${path##*/}", "41.qcow2"),
        ("${path#images}", "/fedora/41.qcow2"),
        ("${path#x}", "images/fedora/41.qcow2"),
        ("${path#????}", "es/fedora/41.qcow2"),
        ("${path#[a-z]}", "mages/fedora/41.qcow2"),
        ("${path#[^a-z]}", "images/fedora/41.qcow2"),
        ("${path##[hi]*[0-9].}", "qcow2"),
        ("${path#[}", "images/fedora/41.qcow2"),  # a malformed pattern matches nothing
        ("${path#[]a]}", "images/fedora/41.qcow2"),
        ("${path#[a-]}", "images/fedora/41.qcow2"),
        (r"${path#imag\es}", "/fedora/41.qcow2"),
        ("${host#${unset:-node}}", "-7.rack2.Example"),
        ("${host,^}", "node-7.rack2.Example"),
    ],
)
def test_expressions_are_evaluated(text: str, result: str) -> None:
    assert expanded(text) == result


@pytest.mark.parametrize(
    "text",
    [
        "${",
        "${}",
        "${ n}",
        "${{ n }}",
        "${-x}",
        "${n",
        "${n }",
        "${n.x}",
        "${n-x}",
        "${n+x}",
        "${n?x}",
        "${n:",
        "${n:}",
        "${n::1}",
        "${n:1:}",
        "${n:é}",
        "${n:-x",
        "${n:-${x}",
        "${n^^^}",
        "${n^x}",
        "${#}",
        "${#n",
        "${#n^}",
        "${n#}",
        "${n%}",
        "${n/}",
        "${n/a}",
        "${n//a",
        "${n/a/b",
        "${n/a/b${n}}",
        "${n:1:2${n}}",
        "${host:2:-1}",
        "${n:-" * 60 + "}" * 60,
    ],
)
def test_expressions_that_flux_refuses_are_errors(text: str) -> None:
    with pytest.raises(SubstitutionError):
        expanded(text)


@pytest.mark.parametrize(
    ("text", "unset"),
    [
        ("${a}", ("a",)),
        ("${a} ${b} ${a}", ("a", "b")),
        ("${#a}", ("a",)),
        ("${a^^}", ("a",)),
        ("${a/x/y}", ("a",)),
        ("${a:1}", ("a",)),
        ("${a%x}", ("a",)),
        ("${a:-x} ${a:=x} ${a=x} ${a:+x} ${a:?x}", ()),
        ("${n:-${a}}", ("a",)),  # a default is looked at even when it is not used
        ("${empty}", ()),
        ("$${a} $a", ()),
    ],
)
def test_missing_variables_are_named(text: str, unset: tuple[str, ...]) -> None:
    assert tuple(evaluate(parse(text), VALUES).unset) == unset


@pytest.mark.parametrize(
    ("text", "operators"),
    [
        ("${a}", {"a": ""}),
        ("${a%%:*}", {"a": "%%"}),
        ("${#a}", {"a": "#"}),
        ("${a^^} ${a}", {"a": ""}),  # an expansion without an operator counts, in any order
        ("${a} ${a^^}", {"a": ""}),
        ("${a^^} ${a,,}", {"a": "^^"}),
    ],
)
def test_missing_variables_have_the_operator_of_their_expansion(text: str, operators: dict[str, str]) -> None:
    assert evaluate(parse(text), VALUES).unset == operators


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        result = expanded(text)
    except SubstitutionError:
        return
    if "$" not in text:
        assert result == text


@given(st.text(alphabet="${}:/#%^,-=?+*[]\\ aé1"))
def test_any_expression_is_read_or_refused(text: str) -> None:
    with suppress(SubstitutionError):
        evaluate(parse("${x" + text), {"x": "a/é1a", "a": "1"})


@given(st.text(alphabet="{}:/#%^-=", min_size=1))
def test_error_contains_no_value_or_default(text: str) -> None:
    try:
        evaluate(parse("${x" + text + "hunter2"), {"x": "hunter2"})
    except SubstitutionError as error:
        text_of_error = error.message + (error.hint or "")
    else:
        text_of_error = ""
    assert "hunter2" not in text_of_error


@given(st.text(alphabet="ab*?", max_size=6), st.text(alphabet="abc", max_size=8))
def test_patterns_match_like_a_regular_expression(pattern: str, value: str) -> None:
    expression = re.compile("".join({"*": ".*", "?": "."}.get(c, c) for c in pattern), re.DOTALL)
    lengths = [n for n in range(1, len(value) + 1) if expression.fullmatch(value[:n])]
    values = {"v": value, "p": pattern}

    assert evaluate(parse("${v#${p}}"), values).text == value[min(lengths, default=0) :]
    assert evaluate(parse("${v##${p}}"), values).text == value[max(lengths, default=0) :]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("${a}" * 40_000, {"a": "x" * 10_000}),
        ("${#a}" * 40_000, {"a": "x" * 10_000}),
        ("${a//x/${b}}", {"a": "x" * 100_000, "b": "y" * 100_000}),
        ("${a//${none}/${b}}", {"a": "x" * 100_000, "b": "y" * 100_000, "none": ""}),
        ("${a#${b}}", {"a": "a" * 100_000, "b": "*a" * 50_000}),
        ("${a:-" * 5_000, {}),
    ],
)
def test_hostile_text_is_refused_quickly(text: str, values: dict[str, str]) -> None:
    begin = time.process_time()
    with pytest.raises(SubstitutionError):
        evaluate(parse(text), values)
    assert time.process_time() - begin < 10
