"""Open files and folders so that the checked file is the one that is used, even if it is swapped."""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path, PurePosixPath

from renderer.model.pattern import pattern

#: ``F_GETPATH`` of macOS' ``fcntl(2)``, and the length of the buffer that it fills (``MAXPATHLEN``).
_GET_PATH, _LONGEST = 50, 1024

#: Separators, drives, streams and patterns of Windows, and its devices.
_SIGNS_OF_WINDOWS = frozenset('\\:*?"<>|') | {chr(code) for code in range(32)}
_DEVICES = pattern(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\xb9\xb2\xb3]) *(?:[.]|\Z)", re.IGNORECASE
)

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # the path has no link, unless one was put there meanwhile
    | getattr(os, "O_NONBLOCK", 0)  # do not wait for a named pipe that was put there
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = _FLAGS | getattr(os, "O_DIRECTORY", 0)
#: The last part must not be a link; read permission is not needed.
_OPENED_FLAGS = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_PATH", 0)
)
#: Bytes per read of a file that has grown, or of a file whose size the system does not report.
_AT_ONCE = 1 << 20
#: The folder in which Linux has a path for each open file of the process.
_OPEN_FILES = Path("/proc/self/fd")


def readable_entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the directory entries of a folder; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def place_of(descriptor: int) -> str | None:
    """Return the path without links of an open file, from the system; None if the system does not report it.

    Linux (``proc_pid_fd(5)``) and macOS report it.
    """
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - Windows has no such module

        return os.fsdecode(fcntl.fcntl(descriptor, _GET_PATH, bytes(_LONGEST)).rstrip(b"\0"))
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - texts, for speed
    except OSError:
        return None


# The methods of ``Path`` raise for a name that is too long, and for a folder that may not be looked into.


def folder_exists(path: str | Path) -> bool:
    """Return True if it is a folder or a link to one; False for a path that no system has."""
    return os.path.isdir(path)  # noqa: PTH112 - as said


def file_exists(path: str | Path) -> bool:
    """Return True if it is a regular file or a link to one; False for a path that no system has."""
    return os.path.isfile(path)  # noqa: PTH113 - as said


def path_exists(path: str | Path) -> bool:
    """Return True if the path exists, following links; False for a path that no system has."""
    return os.path.exists(path)  # noqa: PTH110 - as said


def is_symbolic_link(path: str | Path) -> bool:
    """Return True if it is a symbolic link; False for a path that no system has."""
    return os.path.islink(path)  # noqa: PTH114 - as said


def real_path(path: str) -> str:
    """Return the path without links, with Git's separator, which Windows accepts as well."""
    real = os.path.realpath(path)
    return real if os.sep == "/" else real.replace(os.sep, "/")


def same_path_key(path: str) -> str:
    """Return a key that is equal for the paths which some file system takes to be one.

    Windows and macOS ignore case, macOS also whether a letter is composed with its accent: ``\u00fc`` and
    ``u\u0308`` (APFS, "Unicode normalization"; HFS+, TN1150 "Unicode Subtleties"). It is Unicode's canonical
    caseless match (D145 in chapter 3.13 of the standard).
    """
    path = posixpath.normpath(path)
    if path.isascii():
        return path.lower()
    from unicodedata import normalize  # noqa: PLC0415 - few paths need it

    return normalize("NFD", normalize("NFD", path).casefold())


def is_valid_on_windows(path: str) -> bool:
    """Return True if a path of a repository refers to the same file on Windows as elsewhere.

    https://learn.microsoft.com/windows/win32/fileio/naming-a-file; Git for Windows does not check out others.
    """
    return (
        not path.startswith("//")  # a network share, which would be contacted
        and _SIGNS_OF_WINDOWS.isdisjoint(path)
        and not any(
            part.endswith((".", " "))  # Windows drops them
            or _DEVICES.match(part)
            for part in path.split("/")
            if part not in ("", ".", "..")
        )
    )


class NotRegularError(OSError):
    """The path is not a regular file, but a folder, a named pipe, a socket or a device."""


class OutsideError(OSError):
    """The opened file or folder is outside the confined folder."""


class ConfinedFolder:
    """The folder ``top``, by its path without links; separators are ``/`` on Windows, too."""

    def __init__(self, top: str) -> None:
        self.top = top

    def read(self, path: str, most: int = sys.maxsize, mode: int | None = None) -> bytes:
        """Return the content of the regular file at ``path``: absolute, in ``top`` and without links.

        Of a file that is longer than ``most`` bytes, return one byte more than that. ``mode`` is the recent
        result of ``os.lstat``, if the caller has called it. Raises ``NotRegularError``, ``OutsideError`` and
        other ``OSError``.
        """
        if not mode:
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
            self._check_inside(descriptor, path, status)
            return _read_content(descriptor, status.st_size, most)
        finally:
            os.close(descriptor)

    def list(self, path: str) -> list[str]:
        """Return the names in the folder at ``path``. Raises ``OutsideError`` and other ``OSError``."""
        if os.listdir not in os.supports_fd:
            names = os.listdir(path)  # noqa: PTH208 - as above
            if not _is_below(real_path(path), self.top):
                raise OutsideError(errno.EXDEV, "it was moved or replaced meanwhile", path)
            return names
        descriptor = os.open(path, _FOLDER_FLAGS)
        try:
            self._check_inside(descriptor, path, os.fstat(descriptor))
            return os.listdir(descriptor)  # noqa: PTH208 - as above
        finally:
            os.close(descriptor)

    @cached_property
    def _place(self) -> str | None:
        """The path of ``top`` as the system spells it, which may differ on a case-insensitive file system."""
        try:
            descriptor = os.open(self.top, _FOLDER_FLAGS | getattr(os, "O_PATH", 0))
        except PermissionError:  # Windows cannot open folders
            return None
        try:
            return place_of(descriptor)
        finally:
            os.close(descriptor)

    def _check_inside(self, descriptor: int, path: str, status: os.stat_result) -> None:
        """Raise ``OutsideError`` if an open file is outside the folder."""
        if self._place is not None:
            place = place_of(descriptor)
            is_inside = place is not None and _is_below(place, self._place)
        else:  # check again: a file swapped meanwhile must be back now, and is the same file
            real = real_path(path)
            is_inside = _is_below(real, self.top) and os.path.samestat(os.lstat(real), status)
        if not is_inside:
            raise OutsideError(errno.EXDEV, "it was moved or replaced meanwhile", path)


def _read_content(descriptor: int, size: int, most: int) -> bytes:
    """Return the whole content, also of a file that has grown beyond ``size``."""
    content = os.read(descriptor, min(size, most) + 1)
    if 0 < len(content) <= min(size, most):  # only at its end does a regular file return less than requested
        return content
    while len(content) <= most and (more := os.read(descriptor, min(_AT_ONCE, most + 1 - len(content)))):
        content += more
    return content


def _not_regular(path: str) -> NotRegularError:
    return NotRegularError(errno.EINVAL, "it is not a regular file", path)


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip("/") + "/")


@contextmanager
def opened_folder(
    top: Path, below: PurePosixPath, *, make: bool = False, mode: int = 0o777
) -> Iterator[Path]:
    """Open the folder ``below`` the folder ``top``, without following links, and yield a stable path to it.

    ``make`` creates missing folders, the last one with ``mode``. Only Linux has such paths
    (``proc_pid_fd(5)``); elsewhere the path itself is yielded, after a second check. ``top`` may be a path
    that was yielded. Raises ``OSError``, also for a link on the way; ``OSError`` raised in the block names
    the folder's usual path. Raises ``ValueError`` if ``below`` leads out, which is a bug.
    """
    if below.is_absolute() or ".." in below.parts:
        raise ValueError(f"not below a folder: {below}")
    path = top / below
    if os.open not in os.supports_dir_fd:
        _check_folders(top, below, make=make, mode=mode)
        yield path
        return
    descriptor = _open_folder(top, below, make=make, mode=mode)
    try:
        stable = _OPEN_FILES / str(descriptor)
        with named_as(path, stable):
            yield stable if _is_path_of(stable, descriptor) else path
    finally:
        os.close(descriptor)


def _open_folder(top: Path, below: PurePosixPath, *, make: bool, mode: int) -> int:
    """Return a descriptor; each folder is opened in the one above, without following links."""
    is_open = top.parent == _OPEN_FILES
    descriptor = os.dup(int(top.name)) if is_open else os.open(top, _OPENED_FLAGS)
    for index, part in enumerate(below.parts, start=1):
        outer = descriptor
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, mode if index == len(below.parts) else 0o777, dir_fd=outer)
            descriptor = os.open(part, _OPENED_FLAGS, dir_fd=outer)
        except OSError as error:
            error.filename = str(top.joinpath(*below.parts[:index]))
            raise
        finally:
            os.close(outer)
    return descriptor


def _check_folders(top: Path, below: PurePosixPath, *, make: bool, mode: int) -> None:
    """Raise ``OSError`` unless each part of ``below`` is a folder, and not a link to one."""
    place = top
    for part in below.parts:
        place /= part
        if make and not os.path.lexists(place):
            with suppress(FileExistsError):
                place.mkdir(mode)
        if not os.path.lexists(place):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(place))
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError(20, "it is a link or a file where a folder has to be", str(place))


def _is_path_of(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


@contextmanager
def named_as(path: Path, stable: Path) -> Iterator[None]:
    """Replace ``stable`` by ``path`` in an ``OSError`` about it or something in it."""
    try:
        yield
    except OSError as error:
        for name in ("filename", "filename2"):
            given = getattr(error, name)
            if given is not None and (os.fsdecode(given) + "/").startswith(f"{stable}/"):
                setattr(error, name, str(path) + os.fsdecode(given)[len(str(stable)) :])
        raise
