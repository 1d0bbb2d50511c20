"""Every promise of SECURITY.md names its test, and the test is there."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
CASES = re.compile(r"`tests/test_cases\.py::test_case` \(([^)]*)\)")


def test_named_tests_exist() -> None:
    named: dict[str, set[str]] = defaultdict(set)
    for file, name in NAMED.findall(TEXT):
        named[file].add(name)
    assert named
    for file, names in named.items():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert names - {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} == set(), file


def test_named_cases_exist() -> None:
    cases = [case for group in CASES.findall(TEXT) for case in re.findall(r"`([^`]+)`", group)]
    assert cases
    assert [case for case in cases if not (ROOT / "tests/cases" / case / "case.yaml").is_file()] == []


def test_every_promise_names_a_test() -> None:
    promised = TEXT.partition("\n## What is promised\n")[2].partition("\n## ")[0]
    promises = re.split(r"\n(?=- |### |\| [a-z])", promised)
    items = [text for text in promises if text.startswith(("- ", "| ")) and not text.startswith("| limit")]
    assert items
    assert [item for item in items if not NAMED.search(item)] == []
