"""Differences of Windows and macOS, as far as they can be simulated here."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path, PosixPath
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.files import disk, file_system
from renderer.files.disk import is_valid_on_windows
from renderer.files.file_system import DiskFileSystem
from renderer.model.diagnostic import DiagnosticError

TOP = "C:\\repository"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="puts Windows in the place of another system")


@given(st.text(alphabet="ab./\\: *~$CONUL1\x00\x1f", max_size=20))
def test_accepted_path_stays_in_the_folder_on_windows(path: str) -> None:
    """Read with the rules of Windows, it is the same list of folders, and no drive, share or device."""
    if not is_valid_on_windows(path):
        return
    assert ntpath.splitdrive(path)[0] == ""
    inside = os.path.normpath(f"/repository/{path}")
    assert ntpath.normpath(f"{TOP}\\{path}") == f"C:{inside.replace('/', chr(92))}"
    assert not any(each.rstrip(" .").lower() in ("con", "nul", "com1") for each in path.split("/"))


@pytest.mark.parametrize(
    "path",
    [
        "..\\..\\secret.yaml",
        "a\\..\\..\\b",
        "C:/Windows/win.ini",
        "C:secret",
        "//server/share/x.yaml",
        "\\\\server\\share",
        "vm.yaml:stream",
        "vm.yaml.",
        "vm.yaml ",
        "a/.. /b",
        "a/.../b",
        "NUL",
        "a/con.yaml",
        "COM1 .yaml",
        "lpt\xb9",
        "*.yaml",
    ],
)
def test_names_with_another_meaning_are_refused(path: str) -> None:
    assert not is_valid_on_windows(path)


@pytest.mark.parametrize(
    "path", ["a/b.yaml", "./a", "../a", ".git", "..a", "console.yaml", "a b/c.d", "日本/é", ""]
)
def test_other_names_are_accepted(path: str) -> None:
    assert is_valid_on_windows(path)


class WindowsPath:
    """The part of ``os.path`` that is used, with the folder ``C:\\repository`` in the place of ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def here(self, path: str) -> str:
        whole = ntpath.normpath(path)
        below = whole[len(TOP) :] if whole.lower().startswith(TOP.lower()) else None
        return "/elsewhere" if below is None else str(self.folder) + below.replace("\\", "/")

    def realpath(self, path: str) -> str:
        real = os.path.realpath(self.here(path))
        if not real.startswith(str(self.folder)):
            return f"D:{real}".replace("/", "\\")
        return TOP + real[len(str(self.folder)) :].replace("/", "\\")

    def islink(self, path: str) -> bool:
        return os.path.islink(self.here(path))  # noqa: PTH114 - as it is asked

    def samestat(self, one: os.stat_result, other: os.stat_result) -> bool:
        return os.path.samestat(one, other)


def windows(folder: Path) -> SimpleNamespace:
    """An ``os`` that knows ``folder`` as ``C:\\repository``, opens no folders, and hides file paths."""
    path = WindowsPath(folder)

    def open_file(name: str, _flags: int) -> int:
        if os.path.isdir(path.here(name)):  # noqa: PTH112 - as it is asked
            raise PermissionError(13, "Permission denied", name)
        return os.open(path.here(name), os.O_RDONLY)

    def no_proc(name: str) -> str:
        raise FileNotFoundError(2, "No such file", name)

    return SimpleNamespace(
        path=path,
        sep="\\",
        stat=lambda name: os.stat(path.here(name)),  # noqa: PTH116 - as above
        lstat=lambda name: os.lstat(path.here(name)),
        open=open_file,
        listdir=lambda name: os.listdir(path.here(name)),  # noqa: PTH208 - as above
        readlink=no_proc,
        supports_fd=frozenset(),
        **{name: getattr(os, name) for name in ("fstat", "read", "close", "strerror", "O_RDONLY")},
    )


class Root(PosixPath):
    """A folder of Windows; only its ``as_posix`` is used."""

    def resolve(self, strict: bool = False) -> Root:  # noqa: ARG002, FBT001, FBT002 - as in pathlib
        return self

    def as_posix(self) -> str:
        return TOP.replace("\\", "/")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DiskFileSystem:
    folder = (tmp_path / "repository").resolve()
    (folder / "overlays/prod").mkdir(parents=True)
    (folder / "overlays/prod/vm.yaml").write_text("kind: A")
    (folder / "link.yaml").symlink_to("overlays/prod/vm.yaml")
    (folder / "prod").symlink_to("overlays/prod")
    (folder / "out").symlink_to(tmp_path)
    (tmp_path / "secret.yaml").write_text("kind: Secret")
    system = windows(folder)
    monkeypatch.setattr(disk, "os", system)
    monkeypatch.setattr(file_system, "os", system)
    root = Root()
    return DiskFileSystem(root)


def test_a_repository_is_read_on_windows(repository: DiskFileSystem) -> None:
    assert repository.read("overlays/prod/vm.yaml") == b"kind: A"
    assert repository.read("overlays/./prod/../prod/vm.yaml") == b"kind: A"
    assert repository.read("link.yaml") == b"kind: A"
    assert repository.read("prod/vm.yaml") == b"kind: A"
    assert repository.list("overlays") == ("prod",)
    assert repository.is_folder(".")
    assert repository.is_file("overlays/prod/vm.yaml")
    assert repository.resolve("prod") == "overlays/prod"
    assert repository.resolve(".") == "."


@pytest.mark.parametrize(
    "path", ["../secret.yaml", "out/secret.yaml", "..\\secret.yaml", "overlays\\..\\..\\secret.yaml"]
)
def test_nothing_outside_is_read_on_windows(path: str, repository: DiskFileSystem) -> None:
    for look in (repository.read, repository.is_file, repository.list, repository.resolve):
        with pytest.raises(DiagnosticError):
            look(path)


def test_network_shares_are_not_accessed(repository: DiskFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even a stat would sign in there with the user's password."""
    for name in ("stat", "lstat", "open", "listdir"):
        monkeypatch.setattr(f"renderer.files.disk.os.{name}", lambda *_: pytest.fail("it was looked at"))
    for path in ("//server/share/x.yaml", "\\\\server\\share\\x.yaml", "a/\\\\server\\share"):
        with pytest.raises(DiagnosticError, match="Windows has no such path"):
            repository.read(path)
