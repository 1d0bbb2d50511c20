"""A new team's steps: from an empty repository to commits, a pipeline and a rendered tree."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.integration.composite_action import CompositeAction
from tests.integration.hooks import hooks_repository
from tests.integration.user_repository import ROOT, UserRepository

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("bash") and (ROOT / "action.yml").exists()),
    reason="needs git, bash and a checkout",
)


def test_from_nothing_to_a_rendered_tree(tmp_path: Path) -> None:
    repository = UserRepository.created(tmp_path, "git@github.com:acme/vms.git")
    repository.does("vmrender", "init", "--kubevirt", "1.8")
    with_hooks_of_this_checkout(repository, hooks_repository(tmp_path))

    repository.does("pre-commit", "install")
    repository.does("git", "add", "--all")
    assert "hint: git add rendered/dev" in repository.run("git", "commit", "--message", "VMs").output
    repository.does("git", "add", "rendered")
    repository.does("git", "commit", "--message", "VMs")
    first = repository.read("rendered/dev/dev/virtualmachine_web.yaml")
    assert "guest: 2Gi" in first

    repository.replace("overlays/dev/web.yaml", "u1.small", "u1.medium")
    difference = repository.run("vmrender", "diff")
    assert difference.code == 1
    assert "2Gi" in difference.output
    assert "4Gi" in difference.output
    assert repository.run("git", "commit", "--all", "--message", "More memory").code == 1
    repository.does("git", "commit", "--all", "--message", "More memory")
    assert repository.status() == ""

    run = pipeline(repository, tmp_path)
    assert run == (0, "true")
    repository.does("vmrender", "render", "--check")
    changed = repository.does("git", "diff", "--name-only", "HEAD^").splitlines()
    assert changed == [
        "overlays/dev/web.yaml",
        "rendered/dev/.vmrender-owned",
        "rendered/dev/dev/virtualmachine_web.yaml",
    ]


def with_hooks_of_this_checkout(repository: UserRepository, hooks: UserRepository) -> None:
    """Replace the release named by written files with this checkout."""
    config = yaml.safe_load(repository.read(".pre-commit-config.yaml"))
    config["repos"][0] |= {"repo": str(hooks.folder), "rev": hooks.does("git", "rev-parse", "HEAD").strip()}
    repository.write(".pre-commit-config.yaml", yaml.safe_dump(config))


def pipeline(repository: UserRepository, tmp_path: Path) -> tuple[int, str]:
    """Run the job of the workflow that was written; return its exit code and whether anything changed."""
    workflow = yaml.safe_load(repository.read(".github/workflows/vmrender.yml"))
    checkout, step = workflow["jobs"]["check"]["steps"]
    assert checkout["uses"].startswith("actions/checkout@")
    assert step["uses"].startswith("vmrender/vmrender@v")
    inputs = {name: str(value).lower() for name, value in step["with"].items()}
    (tmp_path / "scratch").mkdir()
    vmrender = str(tmp_path / "programs/vmrender")
    action = CompositeAction(ROOT, {"python": {}, "install": {"vmrender": vmrender}})
    github = {"event_name": "push", "repository": "acme/vms"}
    run = action.run(repository, tmp_path / "scratch", github, **inputs)
    return run.code, run.outputs["changed"]
