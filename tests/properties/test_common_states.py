"""What one side of a comparison takes over from another one is what it would render itself."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.app.comparison.side import Side
from renderer.cli.app import main
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from tests.cli.git_work_tree import commit, init

CASES = Path(__file__).parents[1] / "cases/diff"
CHANGES = sorted(each.parent / "after" for each in CASES.glob("pull-request-*/change.yaml"))
COMMITS = 8

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def with_some_changes(repository: Path, chance: random.Random) -> Path:
    """Commit some of the pull requests, and the return of some files to what they were."""
    shutil.copytree(CASES / "pull-request-fleet", repository, dirs_exist_ok=True)
    commit(repository, {})
    for _ in range(COMMITS):
        source = chance.choice([*CHANGES, CASES / "pull-request-fleet"])
        files = [each for each in source.rglob("*") if each.is_file()]
        for each in chance.sample(files, chance.randint(1, len(files))):
            target = repository / each.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(each, target)
        commit(repository, {})
    return repository


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_over_is_what_would_be_rendered(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.chdir(with_some_changes(init(tmp_path / "repository"), chance))
    rendered: list[str] = []
    render = Pipeline.render

    def counted(pipeline: Pipeline, overlay: Overlay) -> object:
        rendered.append(overlay.path)
        return render(pipeline, overlay)

    def diff() -> tuple[int, str, int]:
        rendered.clear()
        found = CliRunner().invoke(main, ["diff", "--each", "--format", "json", f"HEAD~{COMMITS}", "HEAD"])
        return found.exit_code, found.output, len(rendered)

    monkeypatch.setattr(Pipeline, "render", counted)
    *found, few = diff()
    monkeypatch.setattr(Side, "follow", lambda *_: None)
    *expected, many = diff()
    assert found == expected
    assert few < many
