"""The real pre-commit runs the hooks of ``.pre-commit-hooks.yaml`` in a repository made on the spot."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.integration.hooks import HOOKS, hooks_repository
from tests.integration.user_repository import ROOT, UserRepository

pytestmark = pytest.mark.skipif(
    not shutil.which("git") or not HOOKS.exists(), reason="needs git and a checkout"
)


def use_hooks(repository: UserRepository, hooks: UserRepository, *names: str) -> None:
    revision = hooks.does("git", "rev-parse", "HEAD").strip()
    entry = {"repo": str(hooks.folder), "rev": revision, "hooks": [{"id": name} for name in names]}
    repository.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [entry]}))
    repository.does("pre-commit", "install")


def stage_second_vm(repository: UserRepository) -> None:
    text = repository.read("overlays/dev/web.yaml").replace("name: web", "name: db")
    repository.write("overlays/dev/db.yaml", text)
    repository.replace("overlays/dev/kustomization.yaml", "- web.yaml", "- web.yaml\n  - db.yaml")
    repository.does("git", "add", "--all")


def test_render_stops_a_commit_until_the_tree_is_in_it(project: UserRepository, tmp_path: Path) -> None:
    use_hooks(project, hooks_repository(tmp_path), "vmrender-validate", "vmrender-render")
    stage_second_vm(project)

    for _ in range(2):  # the second time the tree is right, and still not staged
        run = project.run("git", "commit", "--message", "db")
        assert run.code == 1
        assert "vmrender validate........................................................Passed" in run.output
        assert "files were modified by this hook" in run.output
        assert "?? rendered/dev/dev/virtualmachine_db.yaml" in project.status()

    project.does("git", "add", "rendered")
    project.does("git", "commit", "--message", "db")
    assert project.status() == ""


def test_untracked_tree_stops_a_commit(project: UserRepository, tmp_path: Path) -> None:
    """pre-commit looks for changes with git diff, which does not list new files."""
    use_hooks(project, hooks_repository(tmp_path), "vmrender-render")
    shutil.copytree(project.folder / "overlays/dev", project.folder / "overlays/prod")
    project.does("git", "add", "--all")

    for _ in range(2):
        run = project.run("git", "commit", "--message", "prod")
        assert run.code == 1
        assert "Git does not track 2 files in rendered/prod" in run.output
        assert "hint: git add rendered/prod" in run.output

    project.does("git", "add", "rendered/prod")
    project.does("git", "commit", "--message", "prod")


def test_ignored_tree_does_not_stop_a_commit(project: UserRepository, tmp_path: Path) -> None:
    project.does("git", "rm", "-r", "--quiet", "--cached", "rendered")
    project.write(".gitignore", "/rendered/\n")
    use_hooks(project, hooks_repository(tmp_path), "vmrender-render")
    stage_second_vm(project)

    project.does("git", "commit", "--message", "db")
    assert "name: db" in project.read("rendered/dev/dev/virtualmachine_db.yaml")


def test_tree_of_a_removed_overlay_is_deleted(project: UserRepository, tmp_path: Path) -> None:
    shutil.copytree(project.folder / "overlays/dev", project.folder / "overlays/prod")
    project.does("vmrender", "render")
    use_hooks(project, hooks_repository(tmp_path), "vmrender-render")
    project.commit("prod")
    project.does("git", "rm", "-r", "--quiet", "overlays/prod")

    assert project.run("git", "commit", "--message", "no prod").code == 1
    project.does("git", "add", "--all")
    project.does("git", "commit", "--message", "no prod")
    assert not (project.folder / "rendered/prod").exists()


def test_check_shows_what_is_stale_and_writes_nothing(project: UserRepository, tmp_path: Path) -> None:
    use_hooks(project, hooks_repository(tmp_path), "vmrender-check")
    project.replace("overlays/dev/web.yaml", "fedora:42", "fedora:43")
    project.does("git", "add", "--all")

    run = project.run("git", "commit", "--message", "43")
    assert run.code == 1
    assert "+          image: quay.io/containerdisks/fedora:43" in run.output
    assert "files were modified by this hook" not in run.output
    assert "fedora:42" in project.read("rendered/dev/dev/virtualmachine_web.yaml")


def test_removal_of_a_file_triggers_the_hook(project: UserRepository, tmp_path: Path) -> None:
    """pre-commit does not pass removed files, and skips a hook without files."""
    use_hooks(project, hooks_repository(tmp_path), "vmrender-check")
    project.commit("hooks")
    project.does("git", "rm", "--quiet", "overlays/dev/web.yaml")

    run = project.run("git", "commit", "--message", "removed")
    assert run.code == 1
    assert "error[file-not-found]" in run.output


def test_validate_names_the_line_in_a_file_of_the_commit(project: UserRepository, tmp_path: Path) -> None:
    use_hooks(project, hooks_repository(tmp_path), "vmrender-validate")
    project.replace("overlays/dev/web.yaml", "u1.small", "u1.smal")
    project.write("values.yaml", "replicas: 1\n")
    project.does("git", "add", "--all")

    run = project.run("git", "commit", "--message", "wrong")
    assert run.code == 1
    assert "overlays/dev/web.yaml:8:11: error[instancetype-not-found]" in run.output


def test_validate_ignores_files_of_other_groups(project: UserRepository, tmp_path: Path) -> None:
    use_hooks(project, hooks_repository(tmp_path), "vmrender-validate")
    project.write("values.yaml", "replicas: 1\n")
    project.write("README.md", "# VMs\n")
    project.does("git", "add", "--all")

    project.does("git", "commit", "--message", "values")


def test_migrate_fixes_deprecated_fields(project: UserRepository, tmp_path: Path) -> None:
    use_hooks(project, hooks_repository(tmp_path), "vmrender-migrate")
    project.replace("overlays/dev/web.yaml", "runStrategy: Always", "running: true # day and night")
    project.does("git", "add", "--all")

    run = project.run("git", "commit", "--message", "old")
    assert run.code == 1
    assert "files were modified by this hook" in run.output
    assert "runStrategy: Always # day and night" in project.read("overlays/dev/web.yaml")
    project.does("git", "add", "--all")
    project.does("git", "commit", "--message", "new")


def test_hooks_are_python_packages() -> None:
    """pre-commit can install the hooks itself; the tests above use the checkout instead."""
    hooks = yaml.safe_load(HOOKS.read_text(encoding="utf-8"))
    assert {hook["id"]: hook["language"] for hook in hooks} == dict.fromkeys(
        ("vmrender-validate", "vmrender-render", "vmrender-check", "vmrender-fix", "vmrender-migrate"),
        "python",
    )
    assert all(hook["require_serial"] for hook in hooks)


def all_can_be_installed(folder: Path) -> bool:
    """Return True if pip finds what an installation needs: in folders it was given, or in an index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = (*project["build-system"]["requires"], *project["project"]["dependencies"])
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "0", "--dest", str(folder)]
    return subprocess.run([*command, *needed], capture_output=True, check=False).returncode == 0


def test_pre_commit_installs_vmrender(tmp_path: Path) -> None:
    """The complete installation, from a clone of this checkout with uncommitted changes."""
    if not all_can_be_installed(tmp_path / "downloads"):
        pytest.skip("pip finds no index: pytest --with-network")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    (tmp_path / "copy").mkdir()
    copy = UserRepository.created(tmp_path / "copy")
    for path in filter(None, listed.stdout.split("\0")):
        if (ROOT / path).is_file():
            (copy.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, copy.folder / path)
    copy.commit("copy")

    (tmp_path / "user").mkdir()
    repository = UserRepository.created(tmp_path / "user")
    repository.does("vmrender", "init", "--ci", "none")
    (tmp_path / "user/programs/vmrender").unlink()
    del repository.environment["PYTHONPATH"]
    use_hooks(repository, copy, "vmrender-validate", "vmrender-render")
    repository.does("git", "add", "--all")

    run = repository.run("git", "commit", "--message", "first")
    assert "vmrender validate........................................................Passed" in run.output
    assert "Git does not track 2 files in rendered/dev" in run.output
    repository.does("git", "add", "--all")
    repository.does("git", "commit", "--message", "first")
