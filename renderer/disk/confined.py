"""Reading below one folder, of which nothing leads out: not what is put in a path's place after its check."""

from __future__ import annotations

import errno
import os
import stat
import sys
from functools import cached_property

from renderer.disk.place import place_of

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # the path has no link in it, unless one was put there
    | getattr(os, "O_NONBLOCK", 0)  # a named pipe that was put there is not waited for
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = _FLAGS | getattr(os, "O_DIRECTORY", 0)

#: Bytes of one look at a file that has grown, or of one whose size the system does not know.
_AT_ONCE = 1 << 20


class NotRegularError(OSError):
    """What stands there is no file: a folder, a named pipe, a socket, a device."""


class OutsideError(OSError):
    """What was opened stands elsewhere."""


class ConfinedFolder:
    """The folder ``top``, by its path without links."""

    def __init__(self, top: str) -> None:
        self.top = top

    def read(self, path: str, most: int = sys.maxsize) -> bytes:
        """The content of the regular file at ``path``, which is absolute, in ``top`` and without links.

        Of one that is longer than ``most`` bytes, one byte more than that. Raises ``NotRegularError``,
        ``OutsideError`` and other ``OSError``.
        """
        mode = os.lstat(path).st_mode  # noqa: PTH116, RUF100 - paths are texts here, for speed
        if stat.S_ISLNK(mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        if not stat.S_ISREG(mode):  # opening a device can have effects
            raise _not_regular(path)
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise _not_regular(path)
            self._check(descriptor, path, status)
            return _content(descriptor, status.st_size, most)
        finally:
            os.close(descriptor)

    def list(self, path: str) -> list[str]:
        """The names in the folder at ``path``, which is as above. Raises ``OutsideError``, ``OSError``."""
        if os.listdir not in os.supports_fd:
            return os.listdir(path)  # noqa: PTH208 - as above
        descriptor = os.open(path, _FOLDER_FLAGS)
        try:
            self._check(descriptor, path, os.fstat(descriptor))
            return os.listdir(descriptor)  # noqa: PTH208 - as above
        finally:
            os.close(descriptor)

    @cached_property
    def _place(self) -> str | None:
        """As the system has it: the spelling may be another where case does not count."""
        try:
            descriptor = os.open(self.top, _FOLDER_FLAGS | getattr(os, "O_PATH", 0))
        except PermissionError:  # Windows opens no folders
            return None
        try:
            return place_of(descriptor)
        finally:
            os.close(descriptor)

    def _check(self, descriptor: int, path: str, status: os.stat_result) -> None:
        if self._place is not None:
            place = place_of(descriptor)
            is_inside = place is not None and _is_below(place, self._place)
        else:  # looked up once more: what was swapped in between has to be back by now, and is the same file
            real = os.path.realpath(path)
            is_inside = _is_below(real, self.top) and os.path.samestat(os.lstat(real), status)
        if not is_inside:
            raise OutsideError(errno.EXDEV, "it was moved or replaced meanwhile", path)


def _content(descriptor: int, size: int, most: int) -> bytes:
    """All there is, whatever ``size`` was."""
    content = os.read(descriptor, min(size, most) + 1)
    while len(content) <= most and (more := os.read(descriptor, min(_AT_ONCE, most + 1 - len(content)))):
        content += more
    return content


def _not_regular(path: str) -> NotRegularError:
    return NotRegularError(errno.EINVAL, "it is no regular file", path)


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")
