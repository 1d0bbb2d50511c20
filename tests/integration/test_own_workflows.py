"""The jobs of our own CI that run vmrender on this repository pass with the committed files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.integration.composite_action import CompositeAction
from tests.integration.user_repository import ROOT, UserRepository

WORKFLOW = ROOT / ".github/workflows/ci.yml"
TRACKED = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("bash") and (ROOT / ".git").exists()),
    reason="needs git, bash, a checkout",
)


def runs_of_the_action(job: str) -> Iterator[dict[str, str]]:
    """The inputs of each run of the action in a job, directly or by a workflow that passes its inputs on."""
    described = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"][job]
    calls = [described, *described.get("steps", [])]
    for call in calls:
        if call.get("uses") in ("./", "./.github/workflows/vmrender.yml"):
            given = call.get("with", {})
            yield {name: str(value) for name, value in given.items() if name in ("command", "base")}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> UserRepository:
    repository = UserRepository.created(tmp_path_factory.mktemp("own"))
    listed = subprocess.run(TRACKED, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.endswith(".py"):
            (repository.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, repository.folder / name, follow_symlinks=False)
    repository.commit("all")
    repository.does("git", "commit", "--quiet", "--allow-empty", "--message", "pull request")
    return repository


@pytest.mark.parametrize("job", ["dogfood", "fleet"])
def test_own_job_passes(job: str, copy: UserRepository, tmp_path: Path) -> None:
    inputs = list(runs_of_the_action(job))
    assert inputs
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    vmrender = str(copy.folder.parent / "programs/vmrender")
    action = CompositeAction(ROOT, {"python": {}, "install": {"vmrender": vmrender}})
    for given in inputs:
        run = action.run(
            copy, scratch, {"event_name": "push", "repository": "acme/vmrender", "token": ""}, **given
        )
        assert run.code == 0, run.log


def test_validate_at_the_root_finds_nothing(copy: UserRepository) -> None:
    run = copy.run("vmrender", "validate")
    assert run.code == 0, run.output
    assert "error" not in run.output
