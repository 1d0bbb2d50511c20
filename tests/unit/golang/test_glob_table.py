"""Values found by texts, as if each of their globs were tried."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product

import pytest

from renderer.golang.glob_table import GlobTable
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run, spent

GLOBS = (None, "", "a", "b*", "*", "[ab]", "[", "?", "[!a]*")
TEXTS = ("", "a", "b", "bc", "[", "x")


def test_values_are_those_whose_globs_match_in_their_order() -> None:
    entries = [*enumerate(product(GLOBS, GLOBS))]
    table = GlobTable(((globs, number) for number, globs in entries), "matching")
    for texts in product(TEXTS, TEXTS):
        assert table.matching(texts) == [
            number
            for number, globs in entries
            if all(glob is None or fnmatchcase(text, glob) for glob, text in zip(globs, texts, strict=True))
        ]


def test_texts_without_wildcards_are_not_tried_one_by_one() -> None:
    begin_run()
    table = GlobTable((((f"n{number}", None), number) for number in range(10_000)), "matching")
    for number in range(10_000):
        assert table.matching((f"n{number}", "x")) == [number]
    assert spent() == 0


def test_globs_that_are_tried_count_as_work() -> None:
    begin_run()
    table = GlobTable((((f"*{number}", None), number) for number in range(100)), "matching")
    with lowered({"work": 4000}), pytest.raises(WorkLimitError, match="matching"):
        [table.matching((f"n{number}", "x")) for number in range(100)]
