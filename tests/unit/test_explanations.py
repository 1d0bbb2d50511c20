"""Every code has a readable explanation, and its examples are valid."""

from __future__ import annotations

import re

import yaml

from renderer.app.explanations import FOLDER, explanation_of
from renderer.checks.rules.table import BY_CODE
from renderer.model.codes import Code, Explanation

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = sorted(FOLDER.glob("*.md"))


def test_every_code_has_an_explanation() -> None:
    explanations = {code: explanation_of(code) for code in Code}
    assert [code for code, found in explanations.items() if found == Explanation.missing(code)] == []
    assert [code for code, found in explanations.items() if not found.markdown.startswith("# ")] == []
    assert [code for code, found in explanations.items() if len(found.summary) > 110] == []


def test_no_explanation_is_unused_or_repeats_a_rule() -> None:
    documented = {Code(file.stem) for file in FILES}
    assert documented.isdisjoint(code for code, rule in BY_CODE.items() if rule.documentation)


def faults(text: str) -> list[str]:
    heading, _, body = text.partition("\n\n")
    rules = {
        "the heading is one line without a full stop": re.fullmatch(r"# [^\n]+[^.\n]", heading),
        "the reason comes first": not body.startswith(("Wrong", "```")),
        "it shows what is wrong": re.search(r"^(Wrong|Unchecked)", body, re.MULTILINE),
        "it shows what is right": re.search(r"^(Right|Checked)", body, re.MULTILINE),
        "it has an example": FENCE.search(body),
        "its lines are short": max(map(len, text.splitlines())) <= 130,
    }
    return [rule for rule, holds in rules.items() if not holds]


def test_explanation_gives_a_reason_and_a_wrong_and_right_example() -> None:
    found = {file.stem: faults(file.read_text(encoding="utf-8")) for file in FILES}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


UNREADABLE = {"yaml-syntax"}


def test_the_examples_are_yaml() -> None:
    broken = []
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        examples = [content for language, content in FENCE.findall(text) if language == "yaml"]
        for example in examples[1:] if file.stem in UNREADABLE else examples:
            try:
                empty = not list(yaml.safe_load_all(example))
            except yaml.YAMLError as error:
                broken.append(f"{file.stem}: {error}")
            else:
                broken += [f"{file.stem}: an example is empty"] * empty
    assert broken == []
