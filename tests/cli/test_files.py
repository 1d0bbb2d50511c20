"""Which files a command reads and writes, as the shell hands them to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm_program

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: u1.nano}
  template: {spec: {domain: {devices: {}}}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "overlays/prod").mkdir(parents=True)
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    (tmp_path / "overlays/prod/kustomization.yaml").write_text("resources: [vm.yaml]\n")
    (tmp_path / "overlays/prod/vm.yaml").write_text(VM)
    return tmp_path


def vmrender(*args: str, cwd: Path, stdout: int | None = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [warm_program.command(), *args]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        command, cwd=cwd, env=environment, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )


@pytest.mark.parametrize("name", [".", "../prod", "prod", "overlays/prod"])
def test_overlay_is_named_by_relative_path_or_project_name(project: Path, name: str) -> None:
    result = vmrender("render", name, cwd=project / "overlays/prod")
    assert (
        result.stderr == "overlays/prod -> rendered/prod: 1 file (1 created)\n1 overlay: 1 file, 1 created\n"
    )
    assert (project / "rendered/prod/_default/virtualmachine_web.yaml").is_file()


def test_project_without_overlays_is_reported(tmp_path: Path) -> None:
    result = vmrender("render", "--check", cwd=tmp_path)
    assert result.returncode == 2
    assert "the project has no overlays" in result.stderr


@pytest.mark.parametrize("name", ["loop", "loop/prod", "a" * 300])
def test_unresolvable_overlay_name_is_wrong_usage(project: Path, name: str) -> None:
    (project / "loop").symlink_to("loop")
    for command in (["render"], ["render", "--force"], ["pin"]):
        result = vmrender(*command, name, cwd=project)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr


def test_expand_does_not_follow_a_link_out_of_the_repository(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "vm.yaml"
    outside.write_text(VM)
    (project / "link.yaml").symlink_to(outside)
    refused = vmrender("expand", "link.yaml", cwd=project)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "error[file-outside-root]" in refused.stderr
    assert vmrender("expand", str(outside), cwd=project).returncode == 0


def test_expand_does_not_wait_for_a_pipe(project: Path) -> None:
    os.mkfifo(project / "pipe")
    result = vmrender("expand", "pipe", cwd=project)
    assert (result.returncode, result.stdout) == (2, "")


def test_expand_checks_what_it_prints(project: Path) -> None:
    (project / "vm.yaml").write_text(VM.replace("devices: {}", "devices: {diskz: []}"))
    result = vmrender("expand", "vm.yaml", cwd=project)
    assert (result.returncode, result.stdout) == (1, "")
    assert "vm.yaml:7:40: error[unknown-field]" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk_at_standard_output_is_an_error(project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        result = vmrender("build", "overlays/prod", cwd=project, stdout=full.fileno())
    assert result.returncode == 2  # 1 would be a difference
    assert "Traceback" not in result.stderr
    assert "standard output" in result.stderr


def test_closed_pipe_is_not_an_error(project: Path) -> None:
    (project / "many.yaml").write_text("---\n".join(VM.replace("web", f"web-{n}") for n in range(300)))
    command = f"{sys.executable} -m renderer expand many.yaml | head -1; exit ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(
        ["bash", "-c", command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_tracked_needs_a_git_repository(project: Path) -> None:
    result = vmrender("render", "--tracked", cwd=project)
    assert result.returncode == 2
    assert "error[git-unavailable]" in result.stderr
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    assert "Git does not track 2 files" in vmrender("render", "--tracked", cwd=project).stderr
