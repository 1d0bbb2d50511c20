"""The published files work alone: built, and installed elsewhere without the checkout and network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.packaging.built import ROOT, Distribution, build, distribution_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the layout of environments differs there")

PROJECT = {
    "overlays/shop/kustomization.yaml": "namespace: shop\nresources: [vm.yaml]\n",
    "overlays/shop/vm.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  instancetype:
    name: u1.medium
  preference:
    name: fedora
  runStrategy: Always
  template:
    spec:
      domain:
        devices: {}
""",
}
REFUSE_NETWORK = """\
import sys

def refuse(event, _):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise RuntimeError(f"the network is out of bounds: {event}")

sys.addaudithook(refuse)
"""


@dataclass(frozen=True)
class Installation:
    """A fresh environment with the wheel installed."""

    folder: Path

    def run(self, *command: str, at: Path) -> str:
        program = [str(self.folder / "bin" / command[0]), *command[1:]]
        clean = {"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error"}
        run = subprocess.run(program, cwd=at, env=clean, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout


@pytest.fixture(scope="session")
def installation(distribution: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "install", *options, distribution.wheel], check=True)
    # The dependencies come from the environment of the tests; vmrender itself must not.
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "refuse_network.py").write_text(REFUSE_NETWORK)
    (packages / "parent.pth").write_text(f"{sysconfig.get_path('purelib')}\nimport refuse_network\n")
    return Installation(folder)


def test_wheel_contains_only_the_package_and_its_data(distribution: Distribution) -> None:
    names = set(zipfile.ZipFile(distribution.wheel).namelist())
    package = {f"renderer/{path}" for path in source_files("renderer")}
    data = {
        f"renderer/_data/{folder}/{path}"
        for folder in ("schemas", "catalog")
        for path in source_files(folder)
    }
    about = {name for name in names if name.split("/")[0].endswith(".dist-info")}

    assert names == package | data | about
    assert [each for each in about if "/sboms/" in each] == [
        f"{min(about).partition('/')[0]}/sboms/vmrender.cdx.json"
    ]
    assert "renderer/py.typed" in package
    assert len(data) > 2


def test_sdist_contains_the_tests(distribution: Distribution) -> None:
    with tarfile.open(distribution.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert {"tests/test_architecture.py", "Makefile", "LICENSE", "README.md", "vmrender.yaml"} <= names
    assert {f"overlays/{path}" for path in source_files("overlays")} <= names


def test_equal_sources_give_equal_bytes(distribution: Distribution, tmp_path: Path) -> None:
    """Built from the checkout or from the sdist, now or later."""
    with tarfile.open(distribution.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [unpacked] = tmp_path.glob("vmrender-*")
    again = distribution_in(build(unpacked, tmp_path / "again"))

    for one, other in ((again.wheel, distribution.wheel), (again.sdist, distribution.sdist)):
        assert one.name == other.name
        assert one.read_bytes() == other.read_bytes()


def test_installation_runs_no_code(distribution: Distribution) -> None:
    """The wheel has two names of one program, no ``.pth``; hatchling builds the sdist without hooks."""
    wheel = zipfile.ZipFile(distribution.wheel)
    [entry_points] = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    with tarfile.open(distribution.sdist) as archive:
        top = distribution.sdist.name.removesuffix(".tar.gz")
        project = archive.extractfile(f"{top}/pyproject.toml")
        assert project
        settings = tomllib.load(project)
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert [name for name in wheel.namelist() if name.endswith(".pth") or ".data/" in name] == []
    assert wheel.read(entry_points).decode().splitlines() == [
        "[console_scripts]",
        "flux-vmrender = renderer.cli.app:main",
        "vmrender = renderer.cli.app:main",
    ]
    assert settings["build-system"] == {
        "requires": ["hatchling>=1.28"],
        "build-backend": "hatchling.build",
    }
    assert '"hooks"' not in json.dumps(settings["tool"]["hatch"])
    assert names.isdisjoint({"setup.py", "setup.cfg", "hatch.toml", "hatch_build.py"})


def test_sdist_installs_without_a_network(
    distribution: Distribution, installation: Installation, tmp_path: Path
) -> None:
    """The files built from the sdist are those of the wheel."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(REFUSE_NETWORK)
    into = tmp_path / "installed"
    options = [
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--no-compile",
        "--target",
        str(into),
    ]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, str(distribution.sdist)],
        check=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
    )
    about = {"direct_url.json", "INSTALLER", "RECORD", "REQUESTED"}  # of this way to install
    packages = next(installation.folder.glob("lib/python*/site-packages"))

    def contents(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for part in ("renderer", next(folder.glob("vmrender-*.dist-info")).name)
            for path in (folder / part).rglob("*")
            if path.is_file() and path.name not in about and "__pycache__" not in path.parts
        }

    assert contents(into) == contents(packages)


def test_installed_command_comes_from_the_wheel(installation: Installation, tmp_path: Path) -> None:
    place = installation.run("python", "-c", "import renderer; print(renderer.__file__)", at=tmp_path)

    assert Path(place).is_relative_to(installation.folder)
    assert installation.run("vmrender", "--version", at=tmp_path).startswith("vmrender, version ")


def test_overlay_is_built_with_the_shipped_catalog_and_schemas(
    installation: Installation, tmp_path: Path
) -> None:
    for path, text in PROJECT.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    installation.run("vmrender", "render", at=tmp_path)

    rendered = (tmp_path / "rendered/shop/shop/virtualmachine_web.yaml").read_text()
    assert "guest: 4Gi" in rendered
    assert "instancetype:" not in rendered


def source_files(folder: str) -> set[str]:
    """The files below a folder of the project that Git would take."""
    files = (
        path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(ROOT / folder).as_posix() for path in files}
