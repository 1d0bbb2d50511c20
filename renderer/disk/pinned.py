"""Folders by paths that stay theirs: what is put in a folder's place later is not reached through them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

#: No link in the last place, and no right to read is needed.
_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_PATH", 0)


@contextmanager
def pinned(top: Path, below: PurePosixPath, *, make: bool = False, mode: int = 0o777) -> Iterator[Path]:
    """The folder ``below`` the folder ``top``, reached through no link, as a path that stays its own.

    ``make`` makes folders that are not there, the last one with ``mode``. Only Linux has such paths
    (``proc_pid_fd(5)``); elsewhere it is the path itself, looked at once more. Raises ``OSError``, also for a
    link on the way, and puts the path by which one knows the folder into those that are raised meanwhile;
    ``ValueError``, for a bug of ours, when ``below`` leads out.
    """
    if below.is_absolute() or ".." in below.parts:
        raise ValueError(f"not below a folder: {below}")
    path = top / below
    if os.open not in os.supports_dir_fd:
        _check(top, below, make=make, mode=mode)
        yield path
        return
    descriptor = _opened(top, below, make=make, mode=mode)
    try:
        lasting = Path(f"/proc/self/fd/{descriptor}")
        yield lasting if _leads_to(lasting, descriptor) else path
    except OSError as error:
        _name(error, f"/proc/self/fd/{descriptor}", path)
        raise
    finally:
        os.close(descriptor)


def _opened(top: Path, below: PurePosixPath, *, make: bool, mode: int) -> int:
    descriptor = os.open(top, _FLAGS)
    for index, part in enumerate(below.parts, start=1):
        outer = descriptor
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, mode if index == len(below.parts) else 0o777, dir_fd=outer)
            descriptor = os.open(part, _FLAGS, dir_fd=outer)
        except OSError as error:
            error.filename = str(top.joinpath(*below.parts[:index]))
            raise
        finally:
            os.close(outer)
    return descriptor


def _check(top: Path, below: PurePosixPath, *, make: bool, mode: int) -> None:
    place = top
    for part in below.parts:
        place /= part
        if make and not os.path.lexists(place):
            place.mkdir(mode)
        if place.is_symlink() or not place.is_dir():
            raise NotADirectoryError(20, "it is a link or a file where a folder has to be", str(place))


def _leads_to(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _name(error: OSError, lasting: str, path: Path) -> None:
    for name in ("filename", "filename2"):
        given = getattr(error, name)
        if given is not None and (os.fsdecode(given) + "/").startswith(f"{lasting}/"):
            setattr(error, name, str(path) + os.fsdecode(given)[len(lasting) :])
