from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from renderer.app.explanations import explanation_of
from renderer.cli.app import main
from renderer.model.codes import Code


def explain(*words: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, ["explain", *words], prog_name="vmrender")


@pytest.mark.parametrize("word", ["conflict", "[conflict]", "CONFLICT"])
def test_code_is_explained_in_the_spelling_of_a_finding(word: str) -> None:
    result = explain(word)
    assert result.exit_code == 0
    assert result.stdout == explanation_of(Code.CONFLICT).markdown
    assert result.stderr == ""


def test_all_codes_are_listed_with_their_summary() -> None:
    lines = explain().stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(Code)
    assert f"conflict  {explanation_of(Code.CONFLICT).summary}" in [
        " ".join(line.split()).replace(" ", "  ", 1) for line in lines
    ]


@pytest.mark.parametrize(
    ("word", "hint"), [("confict", "did you mean conflict?"), ("xyzzy", "vmrender explain lists them")]
)
def test_unknown_code_is_wrong_usage(word: str, hint: str) -> None:
    result = explain(word)
    assert result.exit_code == 2
    assert f"there is no diagnostic code {word!r}; {hint}" in result.stderr


def test_code_is_explained_as_json() -> None:
    explanation = explanation_of(Code.CONFLICT)
    assert json.loads(explain("conflict", "--format", "json").stdout) == {
        "code": "conflict",
        "summary": explanation.summary,
        "markdown": explanation.markdown,
    }
    assert list(json.loads(explain("--format", "json").stdout)) == sorted(Code)


def test_overlay_without_a_resource_is_wrong_usage() -> None:
    result = explain("--overlay", "prod")
    assert result.exit_code == 2
    assert "of which resource?" in result.stderr
