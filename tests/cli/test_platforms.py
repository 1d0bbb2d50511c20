"""The promises of docs/platforms.md about other systems, simulated on this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from renderer.cli.app import main
from renderer.emit import write
from renderer.files import disk

FILES = {
    "vmrender.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
overlays: [{path: overlays/*}]
""",
    "overlays/prod/kustomization.yaml": """\
namespace: prod
resources: [web.yaml]
patches: [{path: patch.yaml}]
configMapGenerator: [{name: notes, literals: ["a=b"]}]
""",
    "overlays/prod/patch.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  annotations:
    note: |
      日本
      ✓ ü
""",
    "overlays/prod/web.yaml": """\
# a comment
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  template:
    spec:
      domain:
        devices: {}
""",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files("\n")
    return tmp_path


def write_files(line_ending: str) -> None:
    for path, text in FILES.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text.replace("\n", line_ending).encode())


def run(*arguments: str) -> Result:
    return CliRunner(catch_exceptions=False).invoke(main, arguments, prog_name="vmrender")


def trees(project: Path) -> dict[str, bytes]:
    files = (path for path in (project / "rendered").rglob("*") if path.is_file())
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in files}


def test_windows_line_ends_do_not_change_the_rendered_tree(project: Path) -> None:
    assert run("render").exit_code == 0
    first = trees(project)
    write_files("\r\n")

    assert run("render", "--check").exit_code == 0
    assert run("render").exit_code == 0
    assert trees(project) == first
    assert first
    assert not [path for path, content in first.items() if b"\r" in content]


def test_manifests_are_utf8_with_line_feeds_on_any_console(project: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "renderer", "build", "overlays/prod"]
    built = subprocess.run(command, env=environment, capture_output=True, check=False)

    assert (built.returncode, built.stderr) == (0, b"")
    assert "      日本\n      ✓ ü\n" in built.stdout.decode()
    (project / "overlays/prod/web.yaml").write_text(FILES["overlays/prod/web.yaml"].replace("u1.small", "ü✓"))
    refused = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert refused.returncode == 1
    assert b"there is no VirtualMachineClusterInstancetype \xfc\\u2713" in refused.stderr


def test_system_without_exchange_proc_and_folder_handles_is_supported(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("render").exit_code == 0
    first = trees(project)
    monkeypatch.setattr(write, "exchange", lambda *_: False)
    monkeypatch.setattr(disk, "place_of", lambda _: None)
    monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    monkeypatch.setattr(os, "supports_fd", frozenset())
    file = project / "overlays/prod/web.yaml"

    file.write_text(file.read_text().replace("u1.small", "u1.large"))
    assert run("render").exit_code == 0
    assert trees(project) != first
    assert trees(project).keys() == first.keys()
    assert run("render", "--check").exit_code == 0
    file.write_text(file.read_text().replace("u1.large", "u1.small"))
    assert run("render").exit_code == 0
    assert trees(project) == first
    assert not (project / ".vmrender").exists()
    (project / "overlays/prod/web.yaml").unlink()
    (project / "overlays/prod/web.yaml").symlink_to("/etc/hostname")
    outside = run("validate")
    assert outside.exit_code == 2
    assert "leads outside the repository" in outside.stderr
