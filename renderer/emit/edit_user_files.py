"""Changes to files that people edit too: all of them or, when the disk refuses one, none."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from renderer.disk import opened_folder
from renderer.emit.durable import write_new_file
from renderer.emit.output_folder import is_link
from renderer.emit.tree import read_file
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location

_TEMPORARY = ".vmrender-new"


def change_files(root: Path, writes: Mapping[str, bytes], removals: Iterable[str]) -> None:
    """Writes the files, each atomically, then removes others with the folders they leave empty, in order.

    Who interrupts that finds all files as they were.

    Paths are relative to ``root``. Raises ``DiagnosticError``: write-failed when one cannot be changed, with
    all others as they were, and output-invalid for a path through a symbolic link or to a special file.
    """
    removals = tuple(removals)
    check_writable(root, (*writes, *removals))
    before: dict[str, bytes | None] = {}
    try:
        before |= {path: _content(root, path) for path in (*writes, *removals)}
        for path, content in writes.items():
            _replace(root, path, content)
        for path in removals:
            _remove(root, path)
    except OSError as error:
        _restore(root, before)
        raise _failed(error) from error
    except KeyboardInterrupt:
        _restore(root, before)
        raise
    _remove_empty(root, removals)


def check_writable(root: Path, paths: Iterable[str]) -> None:
    """Raises ``DiagnosticError``: output-invalid for a path through a symbolic link, wherever that leads.

    So does one through a named pipe, a socket or a device.
    """
    for path in paths:
        for part in (Path(path), *Path(path).parents):
            place = root / part
            if not os.path.lexists(place):
                continue
            status = place.lstat()
            if is_link(status):
                raise _not_written(path, f"{part.as_posix()} is a symbolic link")
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise _not_written(path, f"{part.as_posix()} is no regular file")


def _replace(root: Path, path: str, content: bytes) -> None:
    """The file has its old content, or all of the new; its mode stays."""
    place = PurePosixPath(path)
    with opened_folder(root, place.parent, make=True) as folder:
        file = folder / place.name
        temporary = file.with_name(f".{file.name}{_TEMPORARY}")
        temporary.unlink(missing_ok=True)
        try:
            write_new_file(temporary, content)
            if file.exists():
                temporary.chmod(file.stat().st_mode & 0o7777)
            os.replace(temporary, file)  # noqa: PTH105 - the call that is atomic on Windows as well
        except (OSError, KeyboardInterrupt):
            temporary.unlink(missing_ok=True)
            raise


def _remove(root: Path, path: str) -> None:
    place = PurePosixPath(path)
    with suppress(FileNotFoundError), opened_folder(root, place.parent) as folder:
        (folder / place.name).unlink()


def _content(root: Path, path: str) -> bytes | None:
    content = read_file(root, path)
    return content if isinstance(content, bytes) else None


def _restore(root: Path, before: Mapping[str, bytes | None]) -> None:
    for path, content in reversed(tuple(before.items())):
        with suppress(OSError):  # the first failure is the one to report
            if content is None:
                _remove(root, path)
            elif _content(root, path) != content:
                _replace(root, path, content)
    _remove_empty(root, before)


def _remove_empty(root: Path, paths: Iterable[str]) -> None:
    """The folders that ``paths`` are in."""
    for folder in {PurePosixPath(path).parent for path in paths}:
        with suppress(OSError), opened_folder(root, folder.parent) as above:  # most are not empty
            (above / folder.name).rmdir()


def _not_written(path: str, problem: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.OUTPUT_INVALID,
            message=f"{problem}, through which nothing is written",
            location=Location(path),
            hint="put a file or folder in its place",
        )
    )


def _failed(error: OSError) -> DiagnosticError:
    message = f"cannot write {error.filename or 'the files'}: {error.strerror or error}"
    return DiagnosticError(
        Diagnostic(
            code=Code.WRITE_FAILED,
            message=message,
            hint="nothing was changed: free space, give access or clear the way, then try again",
        )
    )
