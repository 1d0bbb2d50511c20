"""One process at a time."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from renderer.disk.pinned import pinned

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ATTEMPTS = 1000
#: The file that is locked.
LOCK = "lock"
_HELD = b"held\n"


class Locked(NamedTuple):
    """A folder for one process alone, and whether who had it before died with it."""

    folder: Path
    was_left: bool


@contextmanager
def locked(top: Path, below: PurePosixPath) -> Iterator[Locked]:
    """Holds the folder ``below`` the folder ``top``, which is made for the purpose; waits for others.

    The lock is a file in it: who holds it writes into it, and who lets it go removes it. The system lets go
    of the lock when a process dies, however it dies. Raises ``OSError``.
    """
    with ExitStack() as held:
        folder, descriptor = _acquire(top, below, held)
        try:
            was_left = os.fstat(descriptor).st_size > 0
            os.write(descriptor, _HELD)
            yield Locked(folder, was_left)
        finally:
            os.ftruncate(descriptor, 0)
            with suppress(OSError):  # Windows does not remove a file that another process has open
                (folder / LOCK).unlink()


def _acquire(top: Path, below: PurePosixPath, held: ExitStack) -> tuple[Path, int]:
    for _ in range(_ATTEMPTS):
        # Who held the lock before may be removing it and its folder at this moment: then once more.
        with suppress(FileNotFoundError), ExitStack() as attempt:
            folder = attempt.enter_context(pinned(top, below, make=True, mode=0o700))
            file = folder / LOCK
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
            attempt.callback(os.close, descriptor)
            _wait_for(descriptor)
            if os.path.samestat(os.fstat(descriptor), file.lstat()):
                held.push(attempt.pop_all())
                return folder, descriptor
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(top / below))


def _wait_for(descriptor: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
