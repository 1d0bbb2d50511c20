"""Branches that meet by every command of Git, with the hooks of pre-commit and the check of a pipeline."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integration.hooks import HOOKS, hooks_repository
from tests.integration.test_pre_commit import use_hooks
from tests.integration.user_repository import UserRepository

pytestmark = pytest.mark.skipif(
    not shutil.which("git") or not HOOKS.exists(), reason="needs git and a checkout"
)

WEB, DB = "overlays/dev/web.yaml", "overlays/dev/db.yaml"
RENDERED_WEB = "rendered/dev/dev/virtualmachine_web.yaml"


@pytest.fixture(scope="module")
def checked(started: UserRepository, tmp_path_factory: pytest.TempPathFactory) -> UserRepository:
    """A repository with two machines, whose commits are checked; the branch ``other`` has a larger db."""
    folder = tmp_path_factory.mktemp("checked")
    shutil.copytree(started.folder, folder / "repository")
    made = UserRepository.opened(folder)
    made.write(DB, made.read(WEB).replace("name: web", "name: db"))
    made.replace("overlays/dev/kustomization.yaml", "- web.yaml", "- web.yaml\n  - db.yaml")
    made.does("vmrender", "render")
    made.commit("db")
    use_hooks(made, hooks_repository(folder), "vmrender-validate", "vmrender-check")
    made.does("pre-commit", "install", "--hook-type", "pre-merge-commit")
    made.commit("hooks")
    made.does("git", "checkout", "--quiet", "-b", "other")
    resize(made, DB, "u1.large")
    made.does("git", "checkout", "--quiet", "main")
    return made


@pytest.fixture
def fleet(checked: UserRepository, tmp_path: Path) -> UserRepository:
    """The same for one test, with the hooks that pre-commit has cloned."""
    shutil.copytree(checked.folder, tmp_path / "repository")
    opened = UserRepository.opened(tmp_path)
    opened.environment["PRE_COMMIT_HOME"] = checked.environment["PRE_COMMIT_HOME"]
    return opened


def resize(repository: UserRepository, machine: str, size: str) -> None:
    """Commit another size of a machine, with the hooks."""
    [old] = (line for line in repository.read(machine).splitlines() if "name: u1." in line)
    repository.replace(machine, old, f"    name: {size}")
    repository.does("vmrender", "render")
    repository.does("git", "commit", "--all", "--message", size)


def passes_the_pipeline(repository: UserRepository) -> bool:
    """Return True if a fresh checkout of the commit is up to date."""
    assert repository.status() == ""
    return repository.run("vmrender", "render", "--check", "--no-cache").code == 0


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
def test_changes_of_different_machines_need_nothing(fleet: UserRepository, command: str) -> None:
    resize(fleet, WEB, "u1.medium")

    fleet.does("git", command, "other")

    assert passes_the_pipeline(fleet)
    assert {"guest: 4Gi", "guest: 8Gi"} <= memory_of(fleet)


def test_a_revert_needs_nothing(fleet: UserRepository) -> None:
    resize(fleet, WEB, "u1.medium")
    resize(fleet, DB, "u1.large")

    fleet.does("git", "revert", "--no-edit", "HEAD^")

    assert passes_the_pipeline(fleet)
    assert {"guest: 2Gi", "guest: 8Gi"} <= memory_of(fleet)


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick"])
def test_a_machine_that_both_changed_is_rendered_anew(fleet: UserRepository, command: str) -> None:
    resize(fleet, DB, "u1.medium")
    resize(fleet, WEB, "u1.medium")
    assert fleet.run("git", command, "other").code == 1
    assert "a merge conflict of Git is not resolved" in fleet.run("vmrender", "render").output

    fleet.does("git", "checkout", "--theirs", DB)
    theirs = "u1.large" if "u1.large" in fleet.read(DB) else "u1.medium"
    fleet.does("vmrender", "render")
    fleet.does("git", "add", "--all")
    fleet.does("git", "-c", "core.editor=true", command, "--continue")

    assert passes_the_pipeline(fleet)
    assert theirs in fleet.read(DB)


def test_a_rendered_file_in_conflict_is_stale_until_it_is_rendered(fleet: UserRepository) -> None:
    resize(fleet, DB, "u1.medium")
    fleet.run("git", "merge", "other")
    fleet.does("git", "checkout", "--ours", DB)
    fleet.does("git", "add", "--all")

    commit = fleet.run("git", "commit", "--no-edit")

    assert commit.code == 1
    assert "dev/virtualmachine_db.yaml has the markers of a merge conflict" in commit.output
    fleet.does("vmrender", "render")
    fleet.does("git", "add", "--all")
    fleet.does("git", "commit", "--no-edit")
    assert passes_the_pipeline(fleet)


def test_a_branch_from_before_an_overlay_was_renamed(fleet: UserRepository) -> None:
    fleet.does("git", "mv", "overlays/dev", "overlays/development")
    fleet.does("vmrender", "render", "--prune")
    fleet.commit("development")

    fleet.does("git", "merge", "other")

    assert passes_the_pipeline(fleet)
    assert not (fleet.folder / "rendered/dev").exists()
    assert "guest: 8Gi" in fleet.read("rendered/development/dev/virtualmachine_db.yaml")


def test_an_edit_of_the_tree_is_found_after_a_merge(fleet: UserRepository) -> None:
    fleet.replace(RENDERED_WEB, "guest: 2Gi", "guest: 3Gi")
    fleet.commit("edited")

    fleet.does("git", "merge", "--no-verify", "other")

    assert f"{RENDERED_WEB}: error[foreign-file]" in fleet.run("vmrender", "render").output
    assert "guest: 3Gi" in fleet.read(RENDERED_WEB)


def memory_of(repository: UserRepository) -> set[str]:
    files = (repository.folder / "rendered/dev/dev").iterdir()
    return {line.strip() for file in files for line in file.read_text().splitlines() if "guest:" in line}
