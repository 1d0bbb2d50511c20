"""``vmrender diff`` of a new kustomization above a folder or in one that was applied as a plain folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.diff_repositories import APPLICATION_OF_PATH, ORIGIN, PROJECT
from tests.cli.git_work_tree import commit, init, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import KUSTOMIZATION, SOURCE, diff

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

HEAD = f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{path: 'apps/*'"
DIRECTORY = {"vmrender.yaml": f"{HEAD}, directory: {{}}}}]\n", "apps/db/vm.yaml": VM}
BUILT = {
    "vmrender.yaml": f"{HEAD}}}]\n",
    "apps/db/kustomization.yaml": "resources: [vm.yaml]\n",
    "apps/db/vm.yaml": VM,
}
FLUX = {"clusters/source.yaml": SOURCE, "clusters/apps.yaml": KUSTOMIZATION.replace("overlays/prod", "apps")}
ARGOCD = {"clusters/apps.yaml": APPLICATION_OF_PATH.replace("PATH", "apps")}
RECURSING = {"clusters/apps.yaml": APPLICATION_OF_PATH.replace("PATH", "apps, directory: {recurse: true}")}
PATCH = (
    'patches: [{patch: \'[{"op": "replace", "path": "/spec/runStrategy", "value": "Halted"}]\','
    " target: {kind: VirtualMachine}}]\n"
)
ABOVE = {"apps/kustomization.yaml": f"resources: [db]\n{PATCH}"}
ABOVE_FILES = {"apps/kustomization.yaml": f"resources: [db/vm.yaml]\n{PATCH}"}
WITHIN = {"apps/db/kustomization.yaml": f"resources: [vm.yaml]\n{PATCH}"}


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        (DIRECTORY | FLUX, WITHIN, "Kustomization apps applies the files of apps/db by a kustomization"),
        (DIRECTORY | FLUX, ABOVE_FILES, "Kustomization apps applies the files of apps/db by a kustomization"),
        (BUILT | ARGOCD, ABOVE, "Application apps deploys it by apps/kustomization.yaml from now on"),
        (BUILT | RECURSING, ABOVE, ""),
        (BUILT, ABOVE, "apps/kustomization.yaml lists it from now on, and nothing in Git says"),
        (BUILT, {"apps/kustomization.yaml": "resources: []\n"}, ""),
    ],
)
def test_an_overlay_is_not_compared(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: dict[str, str],
    after: dict[str, str],
    reported: str,
) -> None:
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    commit(folder, before)
    write(folder, after)
    text = diff().stdout
    assert f"apps/db (KubeVirt 1.9)\n  not compared: {reported}" in text or not reported
    assert ("not compared: " in text) is bool(reported)


def test_what_flux_builds_instead_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = init(tmp_path / "repository")
    monkeypatch.chdir(folder)
    commit(folder, BUILT | FLUX)
    write(folder, ABOVE)
    text = diff().stdout
    assert "changed VirtualMachine prod/db in clusters:apps: stopped" in text
    assert "not compared" not in text
