"""Write so that even after a power cut, the disk has either the old or the new content."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_BINARY = getattr(os, "O_BINARY", 0)
#: The errors of file systems without hard links, or without hard links for this file.
_NO_HARD_LINK = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.EINVAL}
)
#: A symbolic link itself is linked, not its target; Linux does so anyway.
_NOT_FOLLOWED = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
#: The number of files that a thread waits for, and of such threads: disks can sync many files at once.
#: Together that is half of the files that macOS lets a process open.
_MANY, _AT_ONCE = 16, 8


def write_new_file(file: Path, content: bytes, *, sync: bool = True) -> None:
    """Write a new file; with ``sync``, wait until it is on the disk. Raises ``OSError``."""
    descriptor = _open_new(str(file))
    try:
        _write(descriptor, content, file)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Unsynced:
    """Files and folders that may not be on the disk yet: each stays open until then.

    Opening it again would cost another lookup. Threads sync the first files while further ones are written.
    If one cannot be written, none of the noted files is known to be on the disk: from then on, every method
    raises. Methods raise ``OSError``.
    """

    def __init__(self) -> None:
        self._descriptors: list[int] = []
        self._folders: set[tuple[int, int]] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._waiting: deque[Future[None]] = deque()
        self._failure: OSError | None = None

    def write_new_file(self, file: str, content: bytes) -> None:
        """Write a file that does not exist yet."""
        descriptor = _open_new(file)
        self._descriptors.append(descriptor)
        _write(descriptor, content, file)
        self._sync_if_many()

    def add_folder(self, folder: str) -> None:
        """Note that names in ``folder`` have changed."""
        if sys.platform == "win32":  # Windows cannot sync a folder, and does not need to
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._descriptors.append(descriptor)
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) in self._folders:
            os.close(self._descriptors.pop())
        self._folders.add((status.st_dev, status.st_ino))
        self._sync_if_many()

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        if self._waiting:
            self._start_sync()
        else:  # few: threads cost more than they save
            self._note_failure(_sync_and_close, self._take_descriptors())
        while self._waiting:
            self._note_failure(self._waiting.popleft().result)
        if self._failure:
            raise self._failure

    def close(self) -> None:
        """Close all files, even if they are not on the disk yet."""
        for descriptor in self._take_descriptors():
            os.close(descriptor)
        if self._pool:
            self._pool.shutdown()

    def _sync_if_many(self) -> None:
        if len(self._descriptors) == _MANY:
            self._start_sync()
        if self._failure:
            raise self._failure

    def _start_sync(self) -> None:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only large changes pay for it

            self._pool = ThreadPoolExecutor(_AT_ONCE)
        # A task for several files: 1,000 tasks take more CPU time than 1,000 files.
        self._waiting.append(self._pool.submit(_sync_and_close, self._take_descriptors()))
        if len(self._waiting) > _AT_ONCE:
            self._note_failure(self._waiting.popleft().result)

    def _take_descriptors(self) -> list[int]:
        taken, self._descriptors = self._descriptors, []
        self._folders.clear()  # later changes of names need another sync
        return taken

    def _note_failure(self, wait: Callable[..., None], *arguments: list[int]) -> None:
        try:
            wait(*arguments)
        except OSError as error:
            self._failure = self._failure or error


def link_or_copy(old: Path, new: Path) -> None:
    """Make ``new`` a hard link to the file ``old``, or else a copy. Raises ``OSError``."""
    try:
        os.link(old, new, **_NOT_FOLLOWED)
    except OSError as error:
        if error.errno not in _NO_HARD_LINK or not stat.S_ISREG(old.lstat().st_mode):
            raise
        from shutil import copy2  # noqa: PLC0415 - brings libraries for archives, for what cannot be linked

        copy2(old, new, follow_symlinks=False)


def sync_folder(folder: Path) -> None:
    """Wait until the names in ``folder`` are on the disk. Raises ``OSError``."""
    if sys.platform == "win32":  # Windows cannot, and does not need to
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_new(file: str) -> int:
    return os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)


def _write(descriptor: int, content: bytes, file: Path | str) -> None:
    """Write the content of ``file``. Raises ``OSError`` with its name, which the system does not know."""
    rest = memoryview(content)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error


def _sync_and_close(descriptors: list[int]) -> None:
    try:
        for descriptor in descriptors:
            os.fsync(descriptor)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
