from __future__ import annotations

import difflib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.emit.unified_diff import first_difference, unified_diff

NUMBERS = "".join(f"{number}\n" for number in range(1, 31))


def test_equal_files_have_no_diff() -> None:
    assert unified_diff("a.yaml", b"a\n", b"a\n") == ""


def test_hunks_have_context_and_line_numbers() -> None:
    changed = NUMBERS.replace("\n10\n", "\nten\n").replace("\n25\n", "\n25\nhalf\n")

    assert (
        unified_diff("rendered/a.yaml", NUMBERS.encode(), changed.encode())
        == """\
--- rendered/a.yaml
+++ rendered/a.yaml
@@ -7,7 +7,7 @@
 7
 8
 9
-10
+ten
 11
 12
 13
@@ -23,6 +23,7 @@
 23
 24
 25
+half
 26
 27
 28
"""
    )


def test_new_and_removed_files_have_diffs() -> None:
    assert unified_diff("a", None, b"x\n") == "--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+x\n"
    assert unified_diff("a", b"x\n", None) == "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"


def test_missing_final_newline_is_marked() -> None:
    assert unified_diff("a", b"x", b"x\n") == (
        "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
    )


def test_control_characters_are_escaped() -> None:
    diff = unified_diff("a", None, "\x1b[2J\r\u202ea\u00e4\u2603\ttab\x85\n".encode() + b"\xff\n")

    assert diff.split("\n")[3:5] == ["+\\x1b[2J\\r\\u202eaä☃\ttab\\x85", "+\\xff"]


def test_a_long_diff_is_cut() -> None:
    diff = unified_diff("a", None, b"x\n" * 1000)

    assert diff.count("\n") == 303
    assert diff.endswith("+x\n(the rest is left out)\n")


def test_large_files_are_compared_quickly() -> None:
    before = "".join(f"{number % 7}\n" for number in range(60_000))
    after = "".join(f"{number % 11}\n" for number in range(60_000))
    start = time.process_time()

    assert unified_diff("a", before.encode(), after.encode()).endswith("(the rest is left out)\n")
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [("a\n", "b\n", 1), ("a\nb\n", "a\nc\n", 2), ("a\n", "a\nb\n", 2), ("a\nb", "a\nb\n", 2), ("", "", 1)],
)
def test_first_difference_is_found(before: str, after: str, line: int) -> None:
    assert first_difference(before.encode(), after.encode()) == line


LINES = st.lists(st.sampled_from("abc"), max_size=25).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(LINES, LINES)
def test_matches_the_standard_library(before: str, after: str) -> None:
    hunks = unified_diff("x", before.encode(), after.encode()).split("\n")[2:]
    removed, added = ([line[1:] for line in hunks if line[:1] == sign] for sign in "-+")
    reference = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=99))[3:]

    assert len(before.split()) - len(removed) == len(after.split()) - len(added)
    assert (bool(removed or added)) == (before != after) == bool(reference)
    assert patched(before.split(), hunks) == after.split()


def patched(lines: list[str], hunks: list[str]) -> list[str]:
    """Return the result of applying the diff to ``lines``."""
    result: list[str] = []
    position = 0
    for line in hunks:
        if line.startswith("@@"):
            start, _, length = line.split()[1].removeprefix("-").partition(",")
            begin = int(start) - (length != "0")
            result += lines[position:begin]
            position = begin
        elif line.startswith("+"):
            result.append(line[1:])
        elif line:
            assert lines[position] == line[1:]
            result += [line[1:]] if line.startswith(" ") else []
            position += 1
    return result + lines[position:]


@pytest.mark.parametrize("command", ["::add-mask::x", "##[group]x", "##vso[task.setvariable]x"])
@pytest.mark.parametrize("indent", ["", "    ", "\t"])
def test_no_line_is_a_workflow_command(command: str, indent: str) -> None:
    text = f"a: |\n  b\n{indent}{command}\n  c: "
    diff = unified_diff("a.yaml", f"{text}1\n".encode(), f"{text}2\n".encode())
    broken = f"\\{command}" if command.startswith("::") else command.replace("##", "##\\")
    assert f"{indent}{broken}" in diff
    assert [
        line for line in diff.splitlines() if line.strip().startswith("::") or "##[" in line or "##v" in line
    ] == []


def test_lines_are_compared_as_they_are_and_shown_without_marks() -> None:
    before, after = b"a: mark-1\nb: 1\nc: 1\n", b"a: mark-2\nb: 1\nc: 1\n"

    diff = unified_diff("a.yaml", before, after, lambda line: re.sub(r"mark-\d", "***", line))

    assert diff.splitlines()[3:] == ["-a: ***", "+a: ***", " b: 1", " c: 1"]


def test_of_lines_that_change_with_a_masked_one_only_common_keys_are_shown() -> None:
    before, after = b"a: ***\nold: canary\nb: canary\n", b"a: 1\nnew: canary\nb: other\n"

    diff = unified_diff("a.yaml", before, after)

    assert diff.splitlines()[3:] == ["-a: ***", "-***", "-b: ***", "+a: ***", "+***", "+b: ***"]
