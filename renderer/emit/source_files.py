"""Changes to files that people edit too: all of them or, when the disk refuses one, none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from renderer.emit.durable import write_new_file
from renderer.emit.output_folder import is_link
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location

_TEMPORARY = ".vmrender-new"


def change_files(root: Path, writes: Mapping[str, bytes], removals: Iterable[str]) -> None:
    """Writes the files, each atomically, then removes others with the folders they leave empty, in order.

    Paths are relative to ``root``. Raises ``DiagnosticError``: write-failed when one cannot be changed, with
    all others as they were, and output-invalid for a path through a symbolic link.
    """
    removals = tuple(removals)
    check_writable(root, (*writes, *removals))
    before = {path: _content(root / path) for path in (*writes, *removals)}
    try:
        for path, content in writes.items():
            _replace(root / path, content)
        for path in removals:
            (root / path).unlink(missing_ok=True)
    except OSError as error:
        _restore(root, before)
        raise _failed(error) from error
    _remove_empty({(root / path).parent for path in removals})


def check_writable(root: Path, paths: Iterable[str]) -> None:
    """Raises ``DiagnosticError``: output-invalid for a path through a symbolic link, wherever that leads."""
    for path in paths:
        for part in (Path(path), *Path(path).parents):
            place = root / part
            if os.path.lexists(place) and is_link(place.lstat()):
                raise _through_link(path, part.as_posix())


def _replace(file: Path, content: bytes) -> None:
    """The file has its old content, or all of the new; its mode stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}{_TEMPORARY}")
    temporary.unlink(missing_ok=True)
    try:
        write_new_file(temporary, content)
        if file.exists():
            temporary.chmod(file.stat().st_mode & 0o7777)
        os.replace(temporary, file)  # noqa: PTH105 - the call that is atomic on Windows as well
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _restore(root: Path, before: Mapping[str, bytes | None]) -> None:
    for path, content in reversed(tuple(before.items())):
        with suppress(OSError):  # the first failure is the one to report
            file = root / path
            if content is None:
                file.unlink(missing_ok=True)
            elif _content(file) != content:
                _replace(file, content)
    _remove_empty({(root / path).parent for path in before})


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # it is not empty
            folder.rmdir()


def _through_link(path: str, link: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.OUTPUT_INVALID,
            message=f"{link} is a symbolic link, through which nothing is written",
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
