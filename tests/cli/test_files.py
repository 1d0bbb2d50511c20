"""Which files a command reads and writes, as the shell hands them to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
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


SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: u1.nano}
spec: {cpu: {guest: 7}, memory: {guest: 9Gi}}
"""


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """Two projects, a checkout without a project file, and a folder outside of any; only ``b`` has a size."""
    for folder in ("a", "b/sub", "checkout/.git", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("a", "b", "b/sub", "checkout", "outside"):
        (tmp_path / folder / "vm.yaml").write_text(VM)
    head = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"
    (tmp_path / "a/vmrender.yaml").write_text(head)
    (tmp_path / "b/vmrender.yaml").write_text(f"{head}catalogs: [{{path: sizes}}]\n")
    (tmp_path / "b/sizes").mkdir()
    (tmp_path / "b/sizes/kustomization.yaml").write_text("resources: [vm.yaml]\n")
    (tmp_path / "b/sizes/vm.yaml").write_text(SIZE)
    return tmp_path


@pytest.mark.parametrize("here", ["a", "b", "b/sub", "checkout", "outside"])
@pytest.mark.parametrize(
    ("files", "memory"),
    [
        ("a/vm.yaml", "512Mi"),
        ("b/vm.yaml", "9Gi"),
        ("b/sub/vm.yaml", "9Gi"),
        ("checkout/vm.yaml", "512Mi"),
        ("outside/vm.yaml", "512Mi"),
        ("outside/vm.yaml b/sub/vm.yaml", "9Gi"),
        ("-", ""),
    ],
)
def test_expand_uses_the_project_of_the_file(
    places: Path, monkeypatch: pytest.MonkeyPatch, here: str, files: str, memory: str
) -> None:
    monkeypatch.chdir(places / here)
    expected = memory or ("9Gi" if here.startswith("b") else "512Mi")
    for start in (places, Path(os.path.relpath(places))):
        arguments = [each if each == "-" else str(start / each) for each in files.split()]

        result = CliRunner().invoke(main, ["expand", *arguments], input=VM)

        assert (result.exit_code, result.stderr) == (0, "")
        assert f"guest: {expected}\n" in result.stdout


def test_expand_takes_no_file_of_the_project_for_a_file_elsewhere(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (places / "outside/sizes").mkdir()
    (places / "outside/sizes/vm.yaml").write_text(VM.replace("web", "other"))
    monkeypatch.chdir(places / "outside")

    result = CliRunner().invoke(main, ["expand", "../b/vm.yaml", "sizes/vm.yaml"])

    assert (result.exit_code, result.stdout.count("guest: 9Gi\n")) == (0, 2)


def test_expand_refuses_files_of_several_projects(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(places)

    result = CliRunner().invoke(main, ["expand", "a/vm.yaml", "outside/vm.yaml", "b/sub/vm.yaml"])

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        "Error: the files are in several projects, expand them one after another:"
        f" a/vm.yaml is in {places / 'a'}, b/sub/vm.yaml is in {places / 'b'}\n"
    )


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


@pytest.mark.parametrize("command", ["validate", "fix", "migrate", "expand", "import"])
def test_file_named_like_an_option_is_refused(project: Path, command: str) -> None:
    name = "--cluster=east.yaml"
    (project / name).write_text("{}\n")
    (project / "vmrender.yaml").write_text(
        "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nclusters: [{name: east.yaml}]\n"
    )

    refused = vmrender(command, "overlays/prod/vm.yaml", name, cwd=project)
    assert refused.returncode == 2
    assert f"{name!r} is a file here, and looks like an option: write ./ before it" in refused.stderr
    for allowed in ((f"./{name}",), ("--", name)):
        assert "looks like an option" not in vmrender(command, *allowed, cwd=project).stderr
