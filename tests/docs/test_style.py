"""The list of words in ``docs/style.md`` is what ``make house`` looks for, in docstrings and in pages."""

from __future__ import annotations

import pytest

from tests.house import PAGES, ROOT, phrases, phrases_in


def test_the_list_is_read_from_the_page() -> None:
    assert phrases()["is no"] == phrases()["are no"] == "is not a, is invalid"
    assert len(phrases()) > 10


@pytest.mark.parametrize("phrase", phrases())
def test_every_phrase_is_found(phrase: str) -> None:
    assert list(phrases_in(f"first\nThe name {phrase} it")) == [(2, phrase)]


def test_phrases_are_found_across_lines_and_in_any_case() -> None:
    assert list(phrases_in("Those\nof the release")) == [(1, "those of")]


def test_allowed_phrases_are_not_found() -> None:
    assert list(phrases_in("There is no key, and it\nis no longer\nread. The island of this nomad.")) == []


def test_all_pages_are_checked() -> None:
    pages = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "docs/start.md", "docs/decisions/README.md", ".ci/release/README.md"} <= pages
    assert "renderer/explanations/conflict.md" in pages
