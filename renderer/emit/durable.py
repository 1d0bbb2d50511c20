"""Writing so that a power cut, too, leaves what was there or what was written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)
#: The errors of file systems that have no hard links, or none for this file.
_NO_HARD_LINK = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.EINVAL}
)
#: A symbolic link itself is linked, not its target; Linux does so anyway.
_NOT_FOLLOWED = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
#: Disks take many files at once; below this number threads cost more than they save.
_MANY = 16
_AT_ONCE = 8
#: macOS lets a process open 256 files.
_OPEN_AT_ONCE = 128


def write_new_file(file: Path, content: bytes, *, sync: bool = True) -> None:
    """Writes a new file; with ``sync``, waits until it is on the disk. Raises ``OSError``."""
    descriptor = _open_new(str(file))
    try:
        _write(descriptor, content)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Unsynced:
    """Files and folders that may not be on the disk yet: each stays open until then.

    To open it once more, the system would have to look it up again. When one could not be written, nothing
    that was noted here is known to be on the disk: from then on every method raises. Methods raise
    ``OSError``.
    """

    def __init__(self) -> None:
        self._descriptors: list[int] = []
        self._folders: set[tuple[int, int]] = set()
        self._failure: OSError | None = None

    def write_new_file(self, file: str, content: bytes) -> None:
        """Write a file that is not there yet."""
        self._make_room()
        self._descriptors.append(_open_new(file))
        _write(self._descriptors[-1], content)

    def add_folder(self, folder: str) -> None:
        """Note that names in ``folder`` have changed."""
        if sys.platform == "win32":  # which cannot sync a folder, and does not need to
            return
        self._make_room()
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._descriptors.append(descriptor)
        status = os.fstat(descriptor)
        identity = status.st_dev, status.st_ino
        if identity in self._folders:
            os.close(self._descriptors.pop())
        self._folders.add(identity)

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        if self._failure:
            raise self._failure
        try:
            _sync(self._descriptors)
        except OSError as error:
            self._failure = error
            raise
        finally:
            self.close()

    def _make_room(self) -> None:
        if len(self._descriptors) == _OPEN_AT_ONCE:
            self.sync()

    def close(self) -> None:
        self._folders.clear()
        while self._descriptors:
            os.close(self._descriptors.pop())


def link_or_copy(old: Path, new: Path) -> None:
    """Make ``new`` a hard link to the file ``old``, or a copy where none can be. Raises ``OSError``."""
    try:
        os.link(old, new, **_NOT_FOLLOWED)
    except OSError as error:
        if error.errno not in _NO_HARD_LINK or not stat.S_ISREG(old.lstat().st_mode):
            raise
        shutil.copy2(old, new, follow_symlinks=False)


def sync_folder(folder: Path) -> None:
    """Waits until the names in ``folder`` are on the disk. Raises ``OSError``."""
    if sys.platform == "win32":  # which cannot, and does not need to
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_new(file: str) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync(descriptors: Sequence[int]) -> None:
    if len(descriptors) < _MANY:
        _sync_one_by_one(descriptors)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only large changes pay for it

    # A task for each thread, not for each file: 1,000 tasks take more CPU time than 1,000 files.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(_sync_one_by_one, (descriptors[start::_AT_ONCE] for start in range(_AT_ONCE))):
            pass


def _sync_one_by_one(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.fsync(descriptor)
