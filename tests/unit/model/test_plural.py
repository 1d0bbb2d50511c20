"""Counts in words."""

from __future__ import annotations

import pytest

from renderer.model.plural import listed, plural


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [
        (1, "overlay", "1 overlay"),
        (0, "overlay", "0 overlays"),
        (2, "overlay", "2 overlays"),
        (1, "Argo CD entry", "1 Argo CD entry"),
        (2, "Argo CD entry", "2 Argo CD entries"),
        (3, "StorageClass", "3 StorageClasses"),
        (2, "virtual machine", "2 virtual machines"),
    ],
)
def test_nouns_follow_their_count(count: int, noun: str, words: str) -> None:
    assert plural(count, noun) == words


def test_a_few_names_are_listed_and_the_others_counted() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(["a"] * 15_000).endswith("a, a and 14980 more")
    assert listed(["a", "b", "c"], 2, "; ") == "a; b and 1 more"
