"""Every door works on the overlays that can be built, names the others with their error, and exits with 1."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import renderer
from renderer.cli.app import main
from renderer.model.codes import Code
from tests.cli.git_work_tree import commit, init, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}
"""
ENTRIES = ("prod", "test", "dev")
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays:\n" + "".join(
    f"- path: overlays/{name}\n" for name in ENTRIES
)
FILES = {"vmrender.yaml": PROJECT} | {
    f"overlays/{name}/{file}": text
    for name in ENTRIES
    for file, text in {"kustomization.yaml": "resources: [vm.yaml]\n", "vm.yaml": VM}.items()
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which ``test`` is now invalid YAML, and ``dev`` is gone; all was rendered before."""
    folder = init(tmp_path / "repository")
    write(folder, FILES)
    monkeypatch.chdir(folder)
    assert run("render") == (0, "")
    commit(folder, {"README.md": "rendered"})
    write(folder, {"overlays/test/vm.yaml": "a: [\n", "overlays/prod/vm.yaml": VM.replace("1Gi", "2Gi")})
    shutil.rmtree(folder / "overlays/dev")
    return folder


def run(*arguments: str) -> tuple[int, str]:
    """Return the exit code, and the lines with errors."""
    result = CliRunner(catch_exceptions=False).invoke(main, arguments, prog_name="vmrender")
    return result.exit_code, "\n".join(line for line in result.stderr.splitlines() if "error[" in line)


ERRORS = (
    "overlays/test/vm.yaml:1:4: error[yaml-syntax]: this [ is not closed\n"
    "vmrender.yaml:6:9: error[kustomization-missing]: no such file or folder: overlays/dev"
)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "command",
    [
        ("render",),
        ("render", "--prune"),
        ("render", "--all-or-nothing"),
        ("render", "--dry-run"),
        ("validate",),
        ("diff",),
        ("diff", "--each", "HEAD"),
    ],
)
def test_commands_about_the_project(command: tuple[str, ...]) -> None:
    assert run(*command) == (1, ERRORS)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    "command",
    [
        ("render", "prod"),
        ("render", "overlays/pro*"),
        ("validate", "--overlay", "prod"),
        ("validate", "overlays/prod/vm.yaml"),
        ("diff", "--overlay", "prod", "--exit-zero"),
        ("build", "overlays/prod"),
        ("build", "--overlay", "prod"),
        ("explain", "--overlay", "prod", "VirtualMachine/db"),
        ("argocd", "ignore-differences", "prod"),
    ],
)
def test_commands_about_an_overlay_without_errors(command: tuple[str, ...]) -> None:
    assert run(*command) == (0, "")


def test_trees_of_the_others_stay(repository: Path) -> None:
    before = {name: tree(repository, name) for name in ENTRIES}

    run("render", "--prune")

    after = {name: tree(repository, name) for name in ENTRIES}
    assert after == before | {"prod": before["prod"].replace("1Gi", "2Gi")}


def test_nothing_is_written_if_all_is_wanted_or_nothing(repository: Path) -> None:
    run("render", "--all-or-nothing")

    assert {"1Gi" in tree(repository, name) for name in ENTRIES} == {True}


def test_the_library(repository: Path) -> None:
    project = renderer.open_project(repository)
    codes = {Code.YAML_SYNTAX, Code.KUSTOMIZATION_MISSING}

    assert {found.code for found in renderer.validate(project)} == codes
    assert {found.code for found in renderer.write(project, all_or_nothing=True).findings} == codes
    assert "1Gi" in tree(repository, "prod")
    assert {found.code for found in renderer.write(project).findings} == codes
    assert "2Gi" in tree(repository, "prod")


def tree(repository: Path, name: str) -> str:
    return (repository / f"rendered/{name}/shop/virtualmachine_db.yaml").read_text(encoding="utf-8")
