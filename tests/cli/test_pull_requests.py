"""Twelve pull requests to one fleet: a reader finds the dangerous line first, in every format.

``tests/cases/diff/pull-request-fleet`` is the repository before. ``pull-request-*/after`` has the files that
a pull request changes or adds, ``change.yaml`` those that it removes, and the first line, ``worst``.
``expected.txt``, ``.md``, ``.html`` (without style and script) and ``.json`` are the reports. ``pytest
--update-cases`` writes these four.
"""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest
import yaml

import renderer
from renderer.model.difference import Difference
from renderer.report import diff_html, diff_json, diff_markdown, diff_text
from tests.cli.git_work_tree import commit, init

CASES = Path(__file__).parents[1] / "cases/diff"
FLEET = CASES / "pull-request-fleet"
PULL_REQUESTS = sorted(file.parent for file in CASES.glob("pull-request-*/change.yaml"))

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = init(tmp_path_factory.mktemp("fleet") / "repository")
    shutil.copytree(FLEET, repository, dirs_exist_ok=True)
    commit(repository, {})
    return repository


def reports(difference: Difference) -> dict[str, str]:
    return {
        "expected.txt": diff_text.write(difference),
        "expected.md": diff_markdown.write(difference, 60_000),
        "expected.html": diff_html.write(difference, "", ""),
        "expected.json": diff_json.write(difference),
    }


@pytest.mark.parametrize(
    "folder", PULL_REQUESTS, ids=lambda folder: folder.name.removeprefix("pull-request-")
)
def test_the_dangerous_line_comes_first(
    folder: Path, fleet: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(fleet, repository)
    shutil.copytree(folder / "after", repository, dirs_exist_ok=True)
    change = yaml.safe_load((folder / "change.yaml").read_text(encoding="utf-8"))
    for path in change["removed"]:
        (repository / path).unlink()

    found = reports(renderer.compare(renderer.open_project(repository)).difference)

    if request.config.getoption("--update-cases"):
        for name, text in found.items():
            (folder / name).write_text(text, encoding="utf-8")
    assert found == {name: (folder / name).read_text(encoding="utf-8") for name in found}
    first_lines = (
        found["expected.txt"].splitlines()[0],
        unescape(found["expected.md"].splitlines()[0]).removeprefix("### "),
        unescape(re.findall(r"<h1>(.*)</h1>", found["expected.html"])[0]),
        json.loads(found["expected.json"])["verdict"],
    )
    assert set(first_lines) == {change["worst"]}


def test_there_are_twelve() -> None:
    assert len(PULL_REQUESTS) == 12
