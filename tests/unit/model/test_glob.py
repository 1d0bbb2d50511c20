"""Patterns of names, against Python's own translation and Go's documentation."""

from __future__ import annotations

import re
import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from renderer.golang.glob import file_name_match, file_path_match, literal_start, pathspec_match


@given(st.text(alphabet="ab*?[]!-^c", max_size=9), st.text(alphabet="abc-!]", max_size=7))
def test_names_match_as_in_python(pattern: str, name: str) -> None:
    try:
        expected = fnmatchcase(name, pattern)
    except re.error:  # Python before 3.12 does not support some of them
        assume(False)  # noqa: FBT003 - hypothesis' way to leave an example out
    assert file_name_match(pattern, name) is expected


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [  # path/filepath/match_test.go has these and more
        ("abc", "abc", True),
        ("*c", "abc", True),
        ("a*", "ab/c", False),
        ("a*/b", "a/c/b", False),
        ("a*b*c*d*e*/f", "axbxcxdxexxx/f", True),
        ("ab[c]", "abc", True),
        ("ab[e-g]", "abc", False),
        ("ab[^c]", "abc", False),
        ("a\\*b", "a*b", True),
        ("a\\*b", "ab", False),
        ("a?b", "a☺b", True),
        ("[a-é]*", "ä", True),
        ("a[", "a", False),
        ("[]a]", "]", False),
        ("[\\]a]", "]", True),
        ("[-x]", "x", False),
        ("[a-b-c]", "a", False),
        ("", "", True),
        ("*", "", True),
    ],
)
def test_paths_match_as_in_go(pattern: str, name: str, matches: bool) -> None:  # noqa: FBT001 - a table
    assert file_path_match(pattern, name) is matches


def test_the_time_of_a_pattern_is_bounded() -> None:
    assert not file_path_match("*a" * 2000 + "b", "a" * 2000)
    assert not file_name_match("*a" * 2000 + "b", "a" * 2000)


PARTS = st.sampled_from(["a", "b", "/", "*", "?", "[ab]", "[^a]", "\\*", "é"])


@given(st.lists(PARTS, max_size=8).map("".join), st.text(alphabet="ab/*é", max_size=8))
def test_path_patterns_match_as_a_backtracking_search_does(pattern: str, name: str) -> None:
    """Against the definition: a star is any number of characters that are not slashes."""
    translated = {"*": "[^/]*", "?": "[^/]", "[^a]": "[^a]", "[ab]": "[ab]", "\\*": r"\*"}
    parts = re.findall(r"\\\*|\[[^\]]*\]|.", pattern)
    expected = re.fullmatch("".join(translated.get(part, re.escape(part)) for part in parts), name)
    assert file_path_match(pattern, name) is (expected is not None)
    assert name.startswith(literal_start(pattern)) or expected is None


@pytest.mark.parametrize("part", ["*a", "*?a", "*[ab]a", "*" + "a" * 200, "*[ab]" * 3 + "a" * 100])
def test_the_time_of_stars_is_linear(part: str) -> None:
    start = time.process_time()
    for pattern in (part * 200 + "b", part * 2000 + "b"):
        assert not file_path_match(pattern, "a" * 4000)
        assert not file_name_match(pattern, "a" * 4000)
        assert not pathspec_match(pattern, "a" * 4000)
    assert time.process_time() - start < 4
