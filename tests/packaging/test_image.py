"""The container images, built from their recipe without a daemon and started as a cluster starts them.

``make test-image`` makes a root file system with Debian's Python (``VMRENDER_BASE``) and runs these tests as
root; buildah builds, bubblewrap starts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.built import ROOT

BASE = os.environ.get("VMRENDER_BASE", "")
WHEELHOUSE = os.environ.get("VMRENDER_WHEELHOUSE", "")
RECIPE = ROOT / "docs/argocd/Dockerfile"
MOST_BYTES = 120_000_000

needs_buildah = pytest.mark.skipif(
    not (BASE and WHEELHOUSE and shutil.which("buildah") and shutil.which("bwrap")),
    reason="needs root, buildah, bubblewrap and Debian's Python: make test-image",
)


class Images:
    """The images of a store of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        base = self.buildah("from", "scratch")
        self.buildah("copy", "--quiet", base, BASE, "/")
        self.buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", base)
        self.buildah("commit", "--quiet", base, "localhost/vmrender-base")
        offline = ("--build-arg", "PIP_NO_INDEX=1", "--build-arg", "PIP_FIND_LINKS=/wheelhouse")
        wheels = ("--volume", f"{WHEELHOUSE}:/wheelhouse:ro")
        for target in ("cli", "function", "plugin"):
            base_image = ("--build-arg", "PYTHON_IMAGE=localhost/vmrender-base", "--target", target)
            place = ("--file", str(RECIPE), "--tag", target, str(ROOT))
            self.buildah(
                "build", "--quiet", "--layers", "--pull-never", *base_image, *offline, *wheels, *place
            )

    def buildah(self, *arguments: str) -> str:
        store = ("--root", str(self.folder / "root"), "--runroot", str(self.folder / "run"))
        run = subprocess.run(
            ["buildah", *store, *arguments],
            env=os.environ | {"BUILDAH_ISOLATION": "chroot"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def config(self, target: str) -> dict[str, Any]:
        described = json.loads(self.buildah("inspect", "--type", "image", target))
        config: dict[str, Any] = described["OCIv1"]["config"]
        return config

    def run(self, target: str, *arguments: str, stdin: str = "", work: Path | None = None) -> str:
        """Start an image with its user and entry point, no capability and a read-only disk.

        The network is refused to whatever tests start (``tests/no_network.py``).
        """
        config = self.config(target)
        user, _, group = config["User"].partition(":")
        root = self.buildah("mount", self.buildah("from", target))
        folder = ("--bind", str(work), "/work") if work else ()
        command = [
            *(
                "bwrap",
                "--unshare-user",
                "--unshare-pid",
                "--unshare-ipc",
                "--die-with-parent",
                "--clearenv",
                "--cap-drop",
                "ALL",
            ),
            *(
                "--uid",
                user,
                "--gid",
                group,
                "--ro-bind",
                root,
                "/",
                *folder,
                "--proc",
                "/proc",
                "--dev",
                "/dev",
            ),
            *(part for each in config["Env"] for part in ("--setenv", *each.split("=", 1))),
            *("--chdir", config.get("WorkingDir") or "/", *config.get("Entrypoint", []), *arguments),
        ]
        run = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout


@pytest.fixture(scope="module")
def images() -> Iterator[Images]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield Images(Path(folder))
        finally:  # what stays mounted cannot be removed
            mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
            left = [place for place in reversed(mounts) if place.startswith(f"{folder}/")]
            for place in left:
                subprocess.run(["umount", "--lazy", place], check=True)


def test_every_target_runs_as_user_nobody() -> None:
    stages = re.split(r"^FROM ", RECIPE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    users = {
        stage.split("\n")[0].split(" AS ")[1]: re.findall(r"^USER (.*)$", stage, re.MULTILINE)
        for stage in stages
    }
    assert users == {
        "build": [],
        "base": [],
        "cli": ["65534:65534"],
        "function": ["65534:65534"],
        "plugin": ["999:999"],
    }


@needs_buildah
def test_command_renders_the_mounted_folder(images: Images, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "overlays", tmp_path / "overlays")
    shutil.copy(ROOT / "vmrender.yaml", tmp_path)
    images.run("cli", "render", work=tmp_path)
    assert (tmp_path / "rendered/prod").is_dir()
    assert images.run("cli", "--version").startswith("vmrender, version ")


@needs_buildah
def test_the_function_reads_and_writes_a_list(images: Images) -> None:
    empty = json.dumps({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": []})
    assert "kind: ResourceList" in images.run("function", stdin=empty)


@needs_buildah
def test_plugin_configuration_is_where_argo_cd_reads_it(images: Images) -> None:
    root = Path(images.buildah("mount", images.buildah("from", "plugin")))
    plugin = root / "home/argocd/cmp-server/config/plugin.yaml"
    assert plugin.read_bytes() == (ROOT / "docs/argocd/plugin.yaml").read_bytes()
    assert images.run("plugin", "vmrender", "--version").startswith("vmrender, version ")


@needs_buildah
@pytest.mark.parametrize("target", ["cli", "plugin"])
def test_image_is_small_and_has_no_pip(target: str, images: Images, tmp_path: Path) -> None:
    images.buildah("push", "--quiet", target, f"oci-archive:{tmp_path / 'image.tar'}")
    size = (tmp_path / "image.tar").stat().st_size
    assert size < MOST_BYTES, f"{target}: {size / 1e6:.0f} MB to pull"
    root = Path(images.buildah("mount", images.buildah("from", target)))
    assert not list(root.glob("opt/vmrender/lib/python3*/site-packages/pip"))
    assert not (root / "src").exists()
