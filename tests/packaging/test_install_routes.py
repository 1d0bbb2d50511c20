"""Each way to install vmrender, tried with the real tools on a machine with Python, Git and a few wheels.

``make test-install`` makes that folder (``VMRENDER_WHEELHOUSE``) and runs these tests; there is no index and
no network in them. ``VMRENDER_DIST`` names files that were built before, as the release does.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.packaging.built import ROOT, Distribution

WHEELHOUSE = os.environ.get("VMRENDER_WHEELHOUSE", "")
TOOLS = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    not WHEELHOUSE or sys.platform == "win32" or not shutil.which("git"),
    reason="needs a folder of wheels: make test-install",
)


@dataclass(frozen=True)
class Machine:
    """A home and a set of tools that know of no index; ``repository`` is a bare one, tagged v0.1.0."""

    home: Path
    repository: Path
    commit: str

    @property
    def environment(self) -> Mapping[str, str]:
        return {
            "PATH": os.pathsep.join((str(self.home / "bin"), str(TOOLS), "/usr/bin", "/bin")),
            "HOME": str(self.home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": WHEELHOUSE,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_OFFLINE": "1",
            "UV_NO_INDEX": "1",
            "UV_FIND_LINKS": WHEELHOUSE,
            "UV_PYTHON": sys.executable,
            "UV_TOOL_BIN_DIR": str(self.home / "bin"),
            "PIPX_HOME": str(self.home / "pipx"),
            "PIPX_BIN_DIR": str(self.home / "bin"),
            "PIPX_DEFAULT_PYTHON": sys.executable,
            "PRE_COMMIT_HOME": str(self.home / "pre-commit"),
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        }

    def run(
        self, *command: str, at: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=at or self.home,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def does(self, *command: str, at: Path | None = None, **environment: str) -> str:
        run = self.run(*command, at=at, **environment)
        assert run.returncode == 0, f"{command}:\n{run.stdout}"
        return run.stdout

    def environment_with(self, what: str, *options: str) -> list[str]:
        """Install ``what`` with pip into an environment; return the program."""
        self.does(sys.executable, "-m", "venv", "--without-pip", "venv")
        pip = (sys.executable, "-m", "pip", "--python", "venv/bin/python", "install", "--quiet")
        self.does(*pip, *options, what)
        return [str(self.home / "venv/bin/vmrender")]


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This checkout as others clone it, without its tests."""
    folder = tmp_path_factory.mktemp("repository")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for path in filter(None, listed.stdout.split("\0")):
        if (ROOT / path).is_file() and not path.startswith("tests/"):
            (folder / "work" / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / "work" / path)
    git = [
        "git",
        "-C",
        str(folder / "work"),
        "-c",
        "user.name=Someone",
        "-c",
        "user.email=someone@example.com",
    ]
    for command in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        ["commit", "--quiet", "--message", "release"],
        ["tag", "v0.1.0"],
        ["clone", "--quiet", "--bare", ".", str(folder / "vmrender.git")],
    ):
        subprocess.run([*git, *command], check=True)
    return folder / "vmrender.git"


@pytest.fixture
def machine(tmp_path: Path, repository: Path) -> Machine:
    (tmp_path / "bin").mkdir()
    commit = subprocess.run(
        ["git", "--git-dir", str(repository), "rev-parse", "v0.1.0"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Machine(tmp_path, repository, commit.stdout.strip())


def of_git(machine: Machine) -> str:
    return f"git+{machine.repository.as_uri()}@v0.1.0"


def wheel(machine: Machine, distribution: Distribution) -> list[str]:
    return machine.environment_with(str(distribution.wheel))


def sdist(machine: Machine, distribution: Distribution) -> list[str]:
    return machine.environment_with(str(distribution.sdist))


def named(machine: Machine, distribution: Distribution) -> list[str]:
    """From an index: pip looks for the name."""
    return machine.environment_with("vmrender", "--find-links", str(distribution.wheel.parent))


def git_by_pip(machine: Machine, _: Distribution) -> list[str]:
    return machine.environment_with(of_git(machine))


def clone(machine: Machine, _: Distribution) -> list[str]:
    machine.does("git", "clone", "--quiet", str(machine.repository), "clone")
    return machine.environment_with("./clone")


def git_by_pipx(machine: Machine, _: Distribution) -> list[str]:
    machine.does("pipx", "install", "--quiet", of_git(machine))
    return [str(machine.home / "bin/vmrender")]


def git_by_uv(machine: Machine, _: Distribution) -> list[str]:
    machine.does("uv", "tool", "install", "--quiet", of_git(machine))
    return [str(machine.home / "bin/vmrender")]


def git_by_uvx(machine: Machine, _: Distribution) -> list[str]:
    return ["uvx", "--quiet", "--from", of_git(machine), "vmrender"]


def pyz(machine: Machine, distribution: Distribution) -> list[str]:
    """One file, run by a Python that has no packages."""
    previous = dict(os.environ)
    os.environ.update(machine.environment)
    try:
        module = runpy.run_path(str(ROOT / ".ci/release/build.py"))
        module["build_pyz"](distribution.wheel, machine.home)
    finally:
        os.environ.clear()
        os.environ.update(previous)
    [file] = machine.home.glob("vmrender-*.pyz")
    return [sys.executable, "-I", "-S", str(file)]


ROUTES: dict[Callable[[Machine, Distribution], list[str]], str] = {
    wheel: "archive",
    sdist: "archive",
    named: "nothing",
    git_by_pip: "repository",
    clone: "repository",
    git_by_pipx: "repository",
    git_by_uv: "repository",
    git_by_uvx: "repository",
    pyz: "nothing",
}


@pytest.mark.parametrize(("route", "known"), ROUTES.items(), ids=[route.__name__ for route in ROUTES])
def test_installed_package_renders_and_knows_its_source(
    route: Callable[[Machine, Distribution], list[str]],
    known: str,
    machine: Machine,
    distribution: Distribution,
) -> None:
    vmrender = route(machine, distribution)
    project = machine.home / "vms"
    project.mkdir()

    assert re.fullmatch(
        r"vmrender, version \d+\.\d+\.\d+\n", machine.does(*vmrender, "--version", at=project)
    )
    output = machine.does(*vmrender, "init", at=project)
    machine.does(*vmrender, "render", at=project)
    assert "guest: 2Gi" in (project / "rendered/dev/dev/virtualmachine_web.yaml").read_text()
    machine.does(*vmrender, "render", "--check", at=project)
    page = machine.does(*vmrender, "explain", "instancetype-not-found", at=project)
    title, *_ = (ROOT / "renderer/explanations/instancetype-not-found.md").read_text().splitlines()
    assert page.startswith(title)

    entry = yaml.safe_load((project / ".pre-commit-config.yaml").read_text())["repos"][0]
    if known == "repository":
        assert (entry["repo"], entry["rev"]) == (str(machine.repository), machine.commit)
    elif known == "archive":
        needed = entry["hooks"][0]["additional_dependencies"][0]
        assert needed.startswith(f"vmrender @ {distribution.wheel.parent.as_uri()}/vmrender-")
    else:
        assert {hook["language"] for hook in entry["hooks"]} == {"system"}
        assert "nothing says where this vmrender was installed from" in output


@pytest.mark.parametrize("route", [git_by_pip, wheel, pyz], ids=lambda route: route.__name__)
def test_hooks_written_by_init_run(
    route: Callable[[Machine, Distribution], list[str]], machine: Machine, distribution: Distribution
) -> None:
    """pre-commit installs vmrender from the bare repository or the wheel, or finds it on the PATH."""
    vmrender = route(machine, distribution)
    project = machine.home / "vms"
    project.mkdir()
    machine.does("git", "init", "--quiet", "--initial-branch=main", at=project)
    machine.does("git", "config", "user.name", "Someone", at=project)
    machine.does("git", "config", "user.email", "someone@example.com", at=project)
    machine.does(*vmrender, "init", at=project)
    machine.does(*vmrender, "render", at=project)
    path = {}
    if route is pyz:
        (machine.home / "bin/vmrender").write_text(f'#!/bin/sh\nexec {" ".join(vmrender)} "$@"\n')
        (machine.home / "bin/vmrender").chmod(0o755)
    else:  # the program that ran init is gone
        path = {"PATH": os.pathsep.join((str(TOOLS.parent / "nothing"), str(TOOLS), "/usr/bin", "/bin"))}
    machine.does("pre-commit", "install", at=project)
    machine.does("git", "add", "--all", at=project)

    output = machine.does("git", "commit", "--message", "first", at=project, **path)
    assert "vmrender validate........................................................Passed" in output
    assert "vmrender render..........................................................Passed" in output


def test_repeated_builds_give_the_same_file(machine: Machine, distribution: Distribution) -> None:
    first = Path(pyz(machine, distribution)[-1])
    kept = first.rename(first.with_suffix(".first"))
    again = Path(pyz(machine, distribution)[-1])
    assert kept.read_bytes() == again.read_bytes()
