"""A Secret with a word of the API does not mask the kinds and the values that fields have by name."""

from __future__ import annotations

from renderer.checks.schemas.known_values import KNOWN_VALUES
from renderer.kubevirt.facts import kinds
from renderer.model.api_words import is_api_word
from renderer.model.release import LATEST
from renderer.model.run.readings import SHORTEST, readings


def test_kinds_and_known_values_are_words_of_the_api() -> None:
    values = {value for each in KNOWN_VALUES for value in each.at(LATEST)}
    known = {text for name, text in vars(kinds).items() if name.isupper() and isinstance(text, str)}
    words = {
        each for each in values | {text for text in known if text[:1].isupper()} if len(each) >= SHORTEST
    }
    assert {"RerunOnFailure", "VirtualMachine"} <= words
    assert [each for each in sorted(words) if each.isidentifier() and not is_api_word(each)] == []


def test_word_of_the_api_is_no_confidential_value() -> None:
    found = set(readings("kind: VirtualMachine\npassword: RerunOnFailure\ntoken: canary-is-a-bird\n"))
    assert "canary-is-a-bird" in found
    assert found.isdisjoint({"VirtualMachine", "virtualmachine", "RerunOnFailure"})
