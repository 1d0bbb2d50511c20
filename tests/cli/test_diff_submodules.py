"""``vmrender diff`` of submodules that are at another commit, whose files are not in the repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, git, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import APPLICATION, KUSTOMIZATION, SOURCE, diff, project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MACHINE = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
    "clusters/prod/apps.yaml": KUSTOMIZATION,
    "clusters/prod/source.yaml": SOURCE,
}
FETCHING = {"clusters/prod/source.yaml": f"{SOURCE}  recurseSubmodules: true\n"}
INFRA = KUSTOMIZATION.replace("name: apps", "name: infra").replace("overlays/prod", "infra")
MANIFEST = {"infra/vms.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: vms}}"}
REASON = "is at another commit, whose files are not in this repository"


def move_submodule(folder: Path, files: dict[str, str], path: str) -> None:
    """Commit files and a submodule, and then another commit of that, which is fetched in neither."""
    write(folder, files | {".gitmodules": f'[submodule "lib"]\n\tpath = {path}\n\turl = ../lib\n'})
    git(folder, "add", "--all")
    (folder / path).mkdir(parents=True)
    for oid in ("1" * 40, "2" * 40):
        git(folder, "update-index", "--add", "--cacheinfo", f"160000,{oid},{path}")
        git(folder, "commit", "--quiet", "--message", "change")


@pytest.mark.parametrize(
    ("files", "path", "is_reported"),
    [
        ({"clusters/prod/infra.yaml": APPLICATION.replace("overlays/prod", "lib")}, "lib", True),
        ({"clusters/prod/infra.yaml": INFRA.replace("infra", "lib")}, "lib", False),  # Flux does not fetch it
        (FETCHING | {"clusters/prod/infra.yaml": INFRA.replace("infra", "lib")}, "lib", True),
        (FETCHING | MANIFEST | {"clusters/prod/infra.yaml": INFRA}, "infra/lib", True),
        (
            FETCHING
            | {"clusters/prod/infra.yaml": INFRA, "infra/kustomization.yaml": "resources: [../lib/base]\n"},
            "lib",
            True,
        ),
        (FETCHING | MANIFEST | {"clusters/prod/infra.yaml": INFRA}, "lib", False),
    ],
)
def test_what_is_deployed_of_a_submodule_is_not_compared(
    folder: Path, files: dict[str, str], path: str, *, is_reported: bool
) -> None:
    move_submodule(folder, project("") | MACHINE | files, path)
    for sides in (("HEAD~1", "HEAD"), ("HEAD~1",)):
        result = diff(*sides, "--fail-on", "data")
        assert (f"not compared: submodule {path} {REASON}" in result.stdout) is is_reported
        assert result.exit_code == int(is_reported)


def test_a_submodule_beside_what_flux_deploys_is_not_read(folder: Path) -> None:
    move_submodule(folder, project("flux") | MACHINE, "docs/theme")
    assert diff("HEAD~1", "HEAD").exit_code == 0
    commit(folder, {"overlays/prod/vm.yaml": VM.replace("Always", "Halted")})
    assert "changed VirtualMachine prod/db: stopped" in diff("HEAD~1").stdout
