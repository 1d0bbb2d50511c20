"""Commands in a work tree of which a sparse checkout leaves files out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main

REASON = "the sparse checkout of this work tree leaves out {}; git sparse-checkout add FOLDER"
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s}\ndata: {mode: %s}\n"
FILES = {
    "vmrender.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    "overlays: [{path: 'overlays/*'}]\ncatalogs: [{path: catalog}, builtin: common-instancetypes]\n",
    "base/kustomization.yaml": "resources: [settings.yaml]\n",
    "base/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {mode: git}\n",
    "overlays/east/kustomization.yaml": "namespace: shop\nresources: [../../base, own.yaml]\n",
    "overlays/east/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {mode: git}\n",
    "overlays/west/kustomization.yaml": "namespace: shop\nnamePrefix: west-\nresources: [../../base]\n",
    "catalog/kustomization.yaml": "resources: [size.yaml]\n",
    "catalog/size.yaml": "apiVersion: instancetype.kubevirt.io/v1beta1\n"
    "kind: VirtualMachineClusterInstancetype\nmetadata: {name: big}\n"
    "spec: {cpu: {guest: 8}, memory: {guest: 8Gi}}\n",
    "engines/apps.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: apps}\n"
    "spec: {source: {path: overlays/east, repoURL: 'https://git.example.org/shop.git'}}\n",
}
DUMP = "---\n".join(
    SETTINGS % (name, "shop", mode)
    for name, mode in (("settings", "cluster"), ("own", "cluster"), ("west-settings", "git"))
)


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    answer = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return answer.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repository"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (tmp_path / "dump.yaml").write_text(DUMP)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    monkeypatch.chdir(folder)
    return folder


def leave_out(folder: Path, *paths: str) -> None:
    git(folder, "sparse-checkout", "set", "--no-cone", "/*", *(f"!/{path}" for path in paths))


def diff(*arguments: str) -> Result:
    command = ["diff", "--live", os.path.join("..", "dump.yaml"), *arguments]  # noqa: PTH118 - as typed
    return CliRunner().invoke(main, command, catch_exceptions=False)


@pytest.mark.parametrize("missing", ["overlays/west/kustomization.yaml", "overlays/west/"])
def test_overlay_that_lacks_files_is_not_compared(repository: Path, missing: str) -> None:
    leave_out(repository, missing)

    found = diff("--format", "json")

    compared = json.loads(found.stdout)["overlays"]
    assert {each["path"]: each["incomparable"] for each in compared} == {
        "overlays/east": None,
        "overlays/west": REASON.format("overlays/west/kustomization.yaml"),
    }
    names = [each["before"]["name"] for each in compared[0]["changes"]]
    assert names == ["own", "settings"]  # west-settings of the same namespace is in Git
    assert found.exit_code == 1


def test_all_overlays_lack_a_size_of_a_catalog(repository: Path) -> None:
    leave_out(repository, "catalog/size.yaml")
    compared = json.loads(diff("--format", "json").stdout)["overlays"]
    assert {each["incomparable"] for each in compared} == {REASON.format("catalog/size.yaml")}


def test_file_that_may_say_what_deploys_overlays_is_named(repository: Path) -> None:
    leave_out(repository, "engines/")
    note = "engines/apps.yaml, which may say what deploys overlays, is left out by the sparse checkout"
    assert note in diff().stderr


def test_project_file_that_is_left_out_is_not_replaced_by_a_proposal(repository: Path) -> None:
    leave_out(repository, "vmrender.yaml")
    found = diff()
    assert (found.exit_code, found.stdout) == (2, "")
    assert "the sparse checkout of this work tree leaves out vmrender.yaml" in found.stderr


def test_accept_changes_no_file_of_an_overlay_that_lacks_others(repository: Path) -> None:
    leave_out(repository, "overlays/west/")

    found = diff("--accept", "shop/*")

    assert found.exit_code == 1
    assert "data.mode: overlays/west reads it too, and the sparse checkout leaves files of that out" in (
        found.stderr
    )
    assert git(repository, "diff", "--name-only").split() == ["overlays/east/own.yaml"]


@pytest.mark.parametrize(
    ("missing", "named"),
    [("overlays/west/", "overlays/west/kustomization.yaml"), ("vmrender.yaml", "vmrender.yaml")],
)
def test_import_writes_nothing_over_what_is_left_out(repository: Path, missing: str, named: str) -> None:
    leave_out(repository, missing)
    arguments = ["import", os.path.join("..", "dump.yaml"), "--kubevirt", "1.9"]  # noqa: PTH118 - as typed

    found = CliRunner().invoke(main, arguments, catch_exceptions=False)

    assert found.exit_code == 2
    assert f"the sparse checkout of this work tree leaves out {named}" in found.stderr
    assert git(repository, "status", "--porcelain") == ""


def test_tree_of_an_overlay_that_is_left_out_is_not_stale(repository: Path) -> None:
    def render(*options: str) -> Result:
        return CliRunner().invoke(main, ["render", *options], catch_exceptions=False)

    assert render().exit_code == 0
    shutil.copytree(repository / "rendered/west", repository / "rendered/old")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "rendered")
    leave_out(repository, "overlays/west/")

    checked = render("--check")
    assert "rendered/old: error[stale-tree]" in checked.stderr
    assert "rendered/west: error" not in checked.stderr
    assert (
        "the sparse checkout leaves out what these trees are rendered from: rendered/west" in checked.stderr
    )

    render("--prune")
    assert sorted(each.name for each in (repository / "rendered").iterdir()) == ["east", "west"]


def test_work_tree_with_all_files_and_a_revision_are_compared_as_ever(repository: Path) -> None:
    before = diff().stdout
    assert "not compared" not in before
    leave_out(repository, "overlays/west/")
    assert diff("HEAD").stdout == before.replace("work tree", "HEAD")
