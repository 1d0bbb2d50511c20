"""A share of ``python -m tests.security.canaries``, which says what a trial is."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from renderer.model.masking import Masking
from tests.command_surface import LINES
from tests.security.canaries.forms import FORMS, NUMBERS, WORDS
from tests.security.canaries.repositories import CREDENTIALS, ENGINES, STYLES, WAYS
from tests.security.canaries.search import has_canary
from tests.security.canaries.trials import COMMANDS, Trial, commands, leaks, repository, stdin_of, trials
from tests.security.test_secrets import invoked

SEED = 1
PLAIN = (
    Trial("stringData", "plain", "copied", "ConfigMap", "block"),
    Trial("userData", "number", "copied", "annotation", "flow"),
    Trial("Flux", "anchor and alias", "", "alone", "block"),
    Trial("Template", "hexadecimal", "", "alone", "block"),
)
#: Leaks that longer runs have found.
FOUND = {
    "init --editor vscode": Trial(
        "merged generator", "plain", "copied", "name of a size of the project", "flow"
    ),
    "migrate --diff": Trial("patch in a file", "plain", "repeated", "name of a size", "flow"),
    "fix --diff": Trial("patch in a file", "plain", "repeated", "name of a size", "flow"),
    "validate --strict --format json": Trial(
        "patch in a file", "mapping with a key", "copied", "image", "flow"
    ),
    "diff --live cluster --format json": Trial("answer file", "octal", "copied", "image", "flow"),
    "diff --live cluster --format markdown": Trial(
        "networkData", "pairs", "part after a space", "image", "JSON"
    ),
    "fix --diff --format github": Trial(
        "envs", "workflow command", "repeated", "host name", "flow", "a bad line"
    ),
    "fix --diff --format sarif": Trial("any header of a download", "plain", "", "", "flow"),
    "render --check --format text": Trial("parameter of a plugin", "list", "copied", "annotation", "block"),
    "render --check --no-cache": Trial(
        "literal among files", "exponent", "copied into a text", "refused", "JSON on lines"
    ),
    "diff --format json": Trial("literal among files", "Markdown and HTML", "copied", "namespace", "JSON"),
    "catalog show sized": Trial("stringData", "plain", "repeated", "title of a size", "block"),
    "diff --format text": Trial(
        "inputs of a ResourceSet", "anchor and alias", "", "in double quotes", "JSON"
    ),
}


@pytest.mark.parametrize("trial", [*islice(trials(SEED), 12)], ids=str)
def test_no_output_and_no_file_has_the_canary(trial: Trial) -> None:
    assert leaks(trial, commands(trial, SEED, count=3)) == []


@pytest.mark.parametrize("command", FOUND)
def test_found_leak_is_closed(command: str) -> None:
    assert leaks(FOUND[command], [command]) == []


@pytest.mark.parametrize("trial", PLAIN, ids=str)
def test_search_finds_values_that_are_not_masked(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Masking, "spans", lambda _masking, _text: iter(()))
    assert leaks(trial, ["diff --format json"]) != []


def test_command_lines_are_valid() -> None:
    """In one of the repositories, the option ``--cluster`` is valid; in the other, all without it."""
    for style in STYLES[:3:2]:
        trial = Trial("stringData", "plain", "repeated", "annotation", style)
        with repository(trial):
            for line in dict.fromkeys(re.sub(r" --format \w+", "", each) for each in COMMANDS[: len(LINES)]):
                if ("cluster east" in line) == (style == "JSON"):
                    _, _, stderr = invoked(line.partition(" < ")[0], stdin_of(line, trial))
                    assert not stderr.startswith("Usage: "), (line, stderr)


def test_every_way_and_form_has_its_turn() -> None:
    some = [*islice(trials(SEED), 200)]
    assert {trial.way for trial in some} == {*WAYS, *ENGINES, *CREDENTIALS}
    assert {trial.form for trial in some} == {*FORMS}


@pytest.mark.parametrize("form", [*FORMS])
def test_search_recognises_each_form(form: str) -> None:
    assert all(has_canary(FORMS[form](word)) for word in WORDS)


@pytest.mark.parametrize("number", [*NUMBERS.values()])
def test_search_recognises_numbers(number: int) -> None:
    texts = (f"{number}", f"{number:_}", f"{number:.7e}", f"{float(number)}", f"{number:#x}")
    assert all(map(has_canary, texts))
    assert not has_canary("8151623 canopy")
