from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from renderer.emit import staging, write
from renderer.emit.output_folder import STAGING_FOLDER, OutputFolder
from renderer.emit.staging import StagingArea, discard, locked, make_writable
from tests.unit.emit.rendered_repository import OUTPUT, Repository


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, locked(tmp_path / "gone"):
        pass

    assert raised.value.filename == str(tmp_path / "gone")


def windows_locking(monkeypatch: pytest.MonkeyPatch, errors: list[int]) -> None:
    """Make ``msvcrt.locking`` fail with each of ``errors`` in turn, and then lock."""

    def locking(_descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (1, 1)
        if errors:
            error = errors.pop(0)
            raise OSError(error, os.strerror(error))

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(staging, "msvcrt", SimpleNamespace(LK_LOCK=1, locking=locking), raising=False)


def test_lock_on_windows_waits_longer_than_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [errno.EDEADLK, errno.EACCES, errno.EDEADLK]
    windows_locking(monkeypatch, errors)

    with locked(tmp_path) as folder:
        assert folder.samefile(tmp_path / STAGING_FOLDER)
    assert errors == []


def test_other_failures_of_windows_are_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    windows_locking(monkeypatch, [errno.EBADF])

    with pytest.raises(OSError, match=os.strerror(errno.EBADF)), locked(tmp_path):
        pass


def unlisted_unless_readable(scandir: Callable[..., object]) -> Callable[..., object]:
    """Return ``os.scandir`` for a user who is not root."""

    def scan(path: str | int) -> object:
        if os.stat(path).st_mode & stat.S_IRWXU != stat.S_IRWXU:  # noqa: PTH116 - it may be a descriptor
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    return scan


@pytest.fixture
def unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which no folder may be listed."""
    top, inner = tmp_path / "tree", tmp_path / "tree/a/b"
    inner.mkdir(parents=True)
    (inner / "file").touch()
    (tmp_path / "outside").mkdir(mode=0o500)
    (inner / "link").symlink_to(tmp_path / "outside")
    for folder in (inner, inner.parent, top):
        folder.chmod(0)
    monkeypatch.setattr(os, "scandir", unlisted_unless_readable(os.scandir))
    return top


def test_unreadable_folders_are_made_writable(unreadable: Path) -> None:
    make_writable(unreadable)

    inner = unreadable / "a/b"
    modes = [stat.S_IMODE(folder.stat().st_mode) for folder in (unreadable, inner.parent, inner)]
    assert modes == [0o700] * 3
    assert stat.S_IMODE((inner / "link").stat().st_mode) == 0o500  # it leads elsewhere


def test_unreadable_folders_are_removed(unreadable: Path) -> None:
    discard(unreadable)

    assert not unreadable.exists()
    assert (unreadable.parent / "outside").exists()


def test_output_may_be_a_mount_point(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be renamed into it from the staging folder at the root: it is written file by file."""
    repository.write({"a.yaml": "a: 1\n"})
    genuine = Path.stat

    def mounted(path: Path, **how: bool) -> os.stat_result:
        found = genuine(path, **how)
        if path != repository.tree:
            return found
        return os.stat_result((*found[:2], found.st_dev + 1, *found[3:]))

    def refuse(*_: object) -> bool:
        return False

    monkeypatch.setattr(Path, "stat", mounted)
    monkeypatch.setattr(write, "exchange", refuse)

    assert StagingArea.of(OutputFolder(repository.root, OUTPUT)).top == repository.root
    assert repository.write({"b.yaml": "b: 1\n"}).removed == ("a.yaml",)
    assert repository.content() == {"b.yaml": "b: 1\n"}
    assert repository.top_level() == ["rendered"]
