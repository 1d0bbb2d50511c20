from __future__ import annotations

import pytest

from renderer.golang.regexp import RegexpError, compile_regexp
from renderer.model.run.work import begin_run, spent


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
    assert expression.matches(matching)
    assert not expression.matches(other)


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
    assert not compile_regexp("(a+)+c").matches("a" * 5000 + "b")


def test_groups_that_nobody_reads_are_not_kept() -> None:
    assert compile_regexp("(a)|()" * 500).instructions == compile_regexp("(?:a)|(?:)" * 500).instructions
    [match] = compile_regexp("(a)(b)", captures=True).finditer("ab")
    assert match.groups() == ("a", "b")


@pytest.mark.parametrize("captures", [False, True])
def test_groups_that_would_fill_the_memory_are_refused(*, captures: bool) -> None:
    group = "()" if captures else "(?P<a{}>)"
    with pytest.raises(RegexpError, match=r"^it has 2000 groups, too many for its length$"):
        compile_regexp("".join(group.format(number) for number in range(2000)), captures=captures)


def test_text_that_costs_many_instructions_counts_as_work() -> None:
    expression = compile_regexp("|".join(f"[ab]*{end}[ab]{{900}}c" for end in ("a", "b", "ab", "aab")))
    begin_run()
    assert not expression.matches("ab" * 500)
    assert 1000 * expression.instructions // 64 == spent() > 50_000
    assert not compile_regexp("vm-[0-9]+").is_in("vm-x" * 20)
    assert spent() < 1000 * expression.instructions // 64 + 200
