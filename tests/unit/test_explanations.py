"""Every code has a long form that can be read, and its examples are what they say they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from renderer.app.explanations import FOLDER, explanation_of
from renderer.model.codes import Code, Explanation
from renderer.rules.table import BY_CODE

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("code", Code)
def test_every_code_has_its_long_form(code: Code) -> None:
    explanation = explanation_of(code)
    assert explanation != Explanation.missing(code)
    assert explanation.markdown.startswith("# ")
    assert len(explanation.summary) <= 110


def test_no_file_is_left_over_and_no_rule_is_told_twice() -> None:
    documented = {Code(file.stem) for file in FILES}
    assert documented.isdisjoint(code for code, rule in BY_CODE.items() if rule.documentation)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_says_why_and_shows_what_is_wrong_and_what_is_right(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    heading, _, body = text.partition("\n\n")
    assert re.fullmatch(r"# [^\n]+[^.\n]", heading)
    assert not body.startswith(("Wrong", "```"))
    assert re.search(r"^(Wrong|Unchecked)", body, re.MULTILINE)
    assert re.search(r"^(Right|Checked)", body, re.MULTILINE)
    assert FENCE.search(body)
    assert max(map(len, text.splitlines())) <= 130


UNREADABLE = {"yaml-syntax"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_examples_are_yaml(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    examples = [content for language, content in FENCE.findall(text) if language == "yaml"]
    for example in examples[1:] if file.stem in UNREADABLE else examples:
        assert list(yaml.safe_load_all(example))
