"""One process at a time."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ATTEMPTS = 1000


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Holds the lock ``file``, made with its folder for the purpose and removed at the end; waits for others.

    The system lets go of the lock when a process dies, however it dies. Raises ``OSError``.
    """
    descriptor = _acquire(file)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows does not remove a file that another process has open
            file.unlink()
        os.close(descriptor)


def _acquire(file: Path) -> int:
    for _ in range(_ATTEMPTS):
        # Who held the lock before may be removing it and its folder at this moment: then once more.
        with suppress(FileNotFoundError):
            _make_folder(file.parent)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
            try:
                _wait_for(descriptor)
                if os.path.samestat(os.fstat(descriptor), file.lstat()):
                    return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(file))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # also when it was there, and is gone now that mkdir looks what it is
        if folder.exists() and not folder.is_dir():
            raise


def _wait_for(descriptor: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
