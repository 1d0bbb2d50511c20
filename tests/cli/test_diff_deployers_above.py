"""``vmrender diff`` of a project in a subfolder of its repository, which objects outside of it deploy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, init, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import APPLICATION, APPLICATION_SET, KUSTOMIZATION, SOURCE, diff, project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PLACE = "clusters/prod/apps.yaml"
BELOW = KUSTOMIZATION.replace("./overlays", "./vms/overlays")
APPLICATION_BELOW = APPLICATION.replace("path: overlays", "path: vms/overlays")
SET_BELOW = APPLICATION_SET.replace('path: "overlays', 'path: "vms/overlays')
MACHINE = {"overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n", "overlays/prod/vm.yaml": VM}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = init(tmp_path / "repository")
    (folder / "vms").mkdir()
    monkeypatch.chdir(folder / "vms")
    return folder


@pytest.mark.parametrize(
    ("place", "before", "after", "reported"),
    [
        (PLACE, BELOW, f"{BELOW}  suspend: true\n", "Kustomization apps is suspended"),
        (
            PLACE,
            BELOW,
            BELOW.replace("overlays/prod", "overlays/dev"),
            "nothing in this repository deploys it",
        ),
        (PLACE, APPLICATION_BELOW, "", "nothing in this repository deploys it any more"),
        (PLACE, SET_BELOW, SET_BELOW.replace("{site: prod}, ", ""), "no set makes Application prod any more"),
        (f"vms/{PLACE}", BELOW, f"{BELOW}  suspend: true\n", "Kustomization apps is suspended"),
        (PLACE, BELOW, BELOW.replace("10m", "5m"), ""),
        (PLACE, KUSTOMIZATION, f"{KUSTOMIZATION}  suspend: true\n", ""),
    ],
)
def test_what_deploys_it_is_compared(
    folder: Path, place: str, before: str, after: str, reported: str
) -> None:
    files = {f"vms/{path}": text for path, text in (project("") | MACHINE).items()}
    commit(folder, files | {"clusters/prod/source.yaml": SOURCE, place: before})
    write(folder, {place: after})
    text = diff().stdout
    assert ("not compared: " in text) is bool(reported)
    assert f"overlays/prod (KubeVirt 1.9)\n  not compared: {reported}" in text or not reported
    commit(folder, {})
    assert diff("HEAD~1", "HEAD").stdout.partition("\n\n")[2] == text.partition("\n\n")[2]
