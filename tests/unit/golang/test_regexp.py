from __future__ import annotations

import pytest

from renderer.golang.regexp import RegexpError, compile_regexp


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("vm-[0-9]+", "vm-12", "vm-a"),
        ("(?i)vm-.*", "VM-x", "xVM-"),
        ("x|(?i)y|z", "Z", "X"),
        ("(?i:a)b", "Ab", "AB"),
        ("vm-[[:digit:][:alpha:]]", "vm-1", "vm--"),
        (r"a\z", "a", "a\n"),
        ("a$", "a", "a\n"),
        (r"\Qa.b\E+", "a.bb", "axb"),
        ("a{,2}", "a{,2}", "aa"),
        ("(?P<n>a)|(?<m>b)", "b", "c"),
        (r"\d", "1", "\u0661"),
        ("[a&&b]", "&", "c"),
        (r"\x{41}\x42", "AB", "ab"),
        (r"\pL", "\u00e9", "1"),
    ],
)
def test_expressions_match_like_go(pattern: str, matching: str, other: str) -> None:
    expression = compile_regexp(pattern)
    assert expression.fullmatch(matching)
    assert not expression.fullmatch(other)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(?=a)", "(?!a)", "(?<=a)b", "(?#c)", "(?x)a", r"(a)\1", "(?P<n>a)(?P=n)", r"\Z"),
        *("a**", "a++", "*a", "|*", "a{3}{2}", "a{2000}"),
        *("(", ")", "[a", "[[:foo:]]"),
    ],
)
def test_expressions_refused_by_go_are_refused(pattern: str) -> None:
    with pytest.raises(RegexpError):
        compile_regexp(pattern)


def test_catastrophic_expression_is_matched_in_linear_time() -> None:
    assert not compile_regexp("(a+)+c").fullmatch("a" * 5000 + "b")
