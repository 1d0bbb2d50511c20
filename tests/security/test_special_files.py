"""Named pipes, sockets and devices are refused at once, wherever a command finds one."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.security.git_history import committed
from tests.security.path_fields import put_socket
from tests.security.planted import FILES
from tests.security.test_paths import invoked

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes as on Unix")

#: What replaces a file.
KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": put_socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
RENDERED = "rendered/prod/prod/virtualmachine_web.yaml"
#: The special file, the command, and the accepted exit codes: a search for files skips it.
PLACES = {
    "project file": ("vmrender.yaml", "render", {2}),
    "project file, when files are validated": ("vmrender.yaml", "validate prod/size.yaml", {1, 2}),
    "project file, when there is one": ("vmrender.yaml", "init", {0, 1, 2}),
    "kustomization": ("prod/kustomization.yaml", "render", {2}),
    "kustomization of another name": ("prod/Kustomization", "render", {0, 2}),
    "kustomization that a size is added to": (
        "prod/kustomization.yaml",
        "customize large --name ours --vcpus 3 --write prod",
        {2},
    ),
    "file of a size": ("prod/ours.yaml", "customize large --name ours --vcpus 3 --write prod", {1, 2}),
    "resource": ("prod/machine.yaml", "render", {2}),
    "resource that is compared": ("prod/machine.yaml", "diff", {2}),
    "resource that is explained": ("prod/machine.yaml", "explain vm/web", {2}),
    "resource that is pinned": ("prod/machine.yaml", "pin prod web", {2}),
    "resource that is migrated": ("prod/machine.yaml", "migrate prod/machine.yaml", {0, 2}),
    "named file": ("prod/machine.yaml", "expand prod/machine.yaml", {2}),
    "file that is validated": ("prod/machine.yaml", "validate prod/machine.yaml", {0, 2}),
    "file that is built": ("prod/machine.yaml", "build prod/machine.yaml", {2}),
    "catalog that is imported": (
        "prod/size.yaml",
        "catalog import --release v1.0.0 --name other prod/size.yaml",
        {2},
    ),
    "schema that is imported": ("prod/size.yaml", "schema import prod/size.yaml", {1, 2}),
    "rendered file": (RENDERED, "render", {1, 2}),
    "rendered file that is checked": (RENDERED, "render --check", {1, 2}),
    "rendered file that is given up": (RENDERED, f"render --force {RENDERED}", {1, 2}),
    "rendered file that is validated": (RENDERED, "validate rendered", {0}),
    "list of what is ours": ("rendered/prod/.vmrender-owned", "render", {2}),
    "list of what is ours that is checked": ("rendered/prod/.vmrender-owned", "render --check", {2}),
    "rendered tree": ("rendered/prod", "render", {1, 2}),
    "lock": (".vmrender/lock", "render", {2}),
    "work under way": (".vmrender/prod-293bf4df/building", "render", {0, 2}),
    "replaced tree": (".vmrender/prod-293bf4df/swapping", "render", {0, 2}),
    "hooks": (".pre-commit-config.yaml", "init", {0}),
}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    for path, text in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    assert invoked(folder, "render")[0] == 0
    committed(folder)
    return folder


@pytest.mark.parametrize("place", PLACES)
def test_special_file_is_refused(place: str, rendered: Path, tmp_path: Path) -> None:
    path, command, codes = PLACES[place]
    for kind, put in KINDS.items():
        root = copied(rendered, tmp_path / kind)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir():
            file.rename(root / "aside")
        file.unlink(missing_ok=True)
        put(file)
        before = file.lstat()
        code, output = invoked(root, command)
        assert code in codes, (kind, output)
        assert "Traceback" not in output, (kind, output)
        if code and os.path.lexists(file):
            assert stat.S_IFMT(file.lstat().st_mode) == stat.S_IFMT(before.st_mode), kind


def test_special_file_named_git_is_refused(rendered: Path, tmp_path: Path) -> None:
    root = copied(rendered, tmp_path / "copy")
    (root / ".git").rename(root / "aside")
    os.mkfifo(root / ".git")
    for command in ("diff", "render --tracked", "init --kubevirt 1.8"):
        assert invoked(root, command)[0] in ((0,) if command.startswith("init") else (1, 2)), command


@pytest.mark.parametrize("command", ["expand", "build", "schema import", "migrate"])
def test_device_paths_are_refused(command: str, rendered: Path) -> None:
    code, output = invoked(rendered, f"{command} /dev/zero")
    assert code == 2, output
    assert "Traceback" not in output


def copied(repository: Path, to: Path) -> Path:
    """With hard links: a replaced file is unlinked first."""
    for place, _, files in os.walk(repository):
        target = to / Path(place).relative_to(repository)
        target.mkdir(parents=True)
        for name in files:
            (target / name).hardlink_to(Path(place, name))
    return to
