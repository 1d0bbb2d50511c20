"""A limit of the system, or an unreadable ``.git``, ends a command with a line that names it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits differ elsewhere")

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: p}\ndata: {k: %s}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "prod").mkdir(parents=True)
    (folder / "vmrender.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "prod/kustomization.yaml").write_text("resources: [a.yaml]\n", encoding="utf-8")
    (folder / "prod/a.yaml").write_text(MANIFEST % ("x" * 5000), encoding="utf-8")
    for arguments in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm x"):
        subprocess.run(["git", *arguments.split()], cwd=folder, check=True)
    return folder


def run(folder: Path, command: str, before: str = ":", prefix: str = "") -> subprocess.CompletedProcess[str]:
    program = f"{before}; exec {prefix} {sys.executable} -m renderer {command}"
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        ["bash", "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )


def test_file_that_grows_too_large_is_named(repository: Path) -> None:
    ended = run(repository, "render --no-cache", "ulimit -f 2")
    assert ended.returncode == 2
    assert "File too large" in ended.stderr
    assert "configmap_a.yaml" in ended.stderr
    assert not (repository / "rendered").exists()


@pytest.mark.parametrize("buffering", ["", "1"])
def test_output_that_grows_too_large_is_named(repository: Path, tmp_path: Path, buffering: str) -> None:
    ended = run(
        repository, f"build prod > {tmp_path}/out", f"export PYTHONUNBUFFERED={buffering}; ulimit -f 2"
    )
    assert ended.returncode == 2
    assert "standard output" in ended.stderr
    assert "File too large" in ended.stderr


def test_too_many_open_files_are_said(repository: Path) -> None:
    ended = run(repository, "diff HEAD", "ulimit -n 7")
    assert ended.returncode == 2
    assert "Too many open files; raise the limit of this process (ulimit -n)" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_memory_that_ends_is_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    from renderer.cli import app  # noqa: PLC0415 - as the command does

    def without_memory(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("renderer.cli.command.LazyGroup.main", without_memory)
    with pytest.raises(SystemExit) as ended:
        app.main(["validate"], prog_name="vmrender")
    assert ended.value.code == 2
    assert capfd.readouterr().err.startswith("Error: vmrender ran out of memory; raise the limit")


@pytest.mark.parametrize("part", ["", "HEAD", "config", "objects", "refs"])
@pytest.mark.parametrize("command", ["diff HEAD", "render --tracked"])
def test_unreadable_repository_is_named(repository: Path, part: str, command: str) -> None:
    prefix = ""
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads everything")
        prefix = "setpriv --bounding-set=-all --inh-caps=-all"
    place = repository / ".git" / part
    mode = place.stat().st_mode
    place.chmod(0)
    try:
        ended = run(repository, command, prefix=prefix)
    finally:
        place.chmod(mode)
    assert ended.returncode == 2
    assert "git-unavailable" in ended.stderr
    assert f"{place} cannot be read" in ended.stderr
