"""Each command that works for a release which is not made yet says so, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.git_work_tree import commit, init, write

REMARK = "KubeVirt 1.10 is not released yet"
PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.10"
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  instancetype: {name: u1.small}
  template:
    spec:
      domain: {devices: {interfaces: [{name: default, masquerade: {}}]}}
      networks: [{name: default, pod: {}}]
"""
FILES = {
    "vmrender.yaml": PROJECT,
    "lone.yaml": VM,
    **{f"overlays/{name}/kustomization.yaml": "resources: [vm.yaml]\n" for name in ("test", "prod")},
    **{f"overlays/{name}/vm.yaml": VM for name in ("test", "prod")},
}
COMMANDS = (
    "validate",
    "validate --format json",
    "validate overlays/prod/vm.yaml",
    "validate lone.yaml",
    "render",
    "build overlays/prod",
    "build overlays/prod --expand off",
    "expand lone.yaml",
    "explain vm/db --overlay prod",
    "diff HEAD",
    "migrate",
    "pin overlays/prod --all",
    "catalog show u1.small",
    "customize u1.small --name own --memory 3Gi",
    "schema export VirtualMachine --release 1.10",
)


@pytest.fixture
def folder(folder: Path) -> Path:
    commit(folder, FILES)
    write(folder, {"overlays/prod/vm.yaml": VM.replace("u1.small", "u1.medium")})
    return folder


def output_of(command: str) -> str:
    return CliRunner().invoke(main, command.split()).output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_command_says_once_that_the_target_is_not_released(command: str) -> None:
    assert output_of(command).count(REMARK) == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["validate --kubevirt 1.9", "build overlays/prod --kubevirt 1.9"])
def test_the_named_release_counts_not_the_project_s(command: str) -> None:
    assert REMARK not in output_of(command)


@pytest.mark.parametrize("command", ["validate", "validate lone.yaml", "diff HEAD", "migrate"])
def test_project_can_leave_the_remark_out(folder: Path, command: str) -> None:
    write(folder, {"vmrender.yaml": f"{PROJECT}rules: {{unreleased: off}}\n"})
    assert REMARK not in output_of(command)


@pytest.mark.usefixtures("folder")
def test_remark_is_no_error_with_strict() -> None:
    assert CliRunner().invoke(main, ["validate", "--strict"]).exit_code == 0


def test_init_says_it_of_a_release_that_somebody_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(init(tmp_path / "empty"))
    assert output_of("init --kubevirt 1.10 --dry-run").count(REMARK) == 1


@pytest.mark.usefixtures("folder")
def test_branch_is_refused_with_what_to_write() -> None:
    assert 'write "1.10"' in output_of("validate --kubevirt main")
