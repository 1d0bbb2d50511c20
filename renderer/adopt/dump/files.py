"""The files of a dump: named files, files in a named folder, and standard input."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from renderer.files.disk import folder_exists
from renderer.files.file_system import MOST_FOLDERS
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.engines import MANIFESTS
from renderer.model.record import Record

STDIN = "-"
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # do not wait for a named pipe in a folder
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class FileOnDisk(Record):
    """A file of a dump; a link is followed only if the user named it."""

    path: str
    is_named: bool

    def open(self) -> BinaryIO:
        """Open it. Raises ``DiagnosticError``: file-not-found, file-unreadable."""
        if self.is_named:
            try:
                return Path(self.path).open("rb")
            except OSError as error:
                raise _unreadable(self.path, error) from None
        try:
            descriptor = os.open(self.path, _FLAGS | _NO_LINK)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return BytesIO()
        return os.fdopen(descriptor, "rb")


class StandardInput(Record):
    """A dump that another program writes into vmrender: ``piped``, or the file descriptor 0."""

    piped: BinaryIO | None = None
    path: str = "<stdin>"
    is_named: bool = True

    def open(self) -> BinaryIO:
        """Return the stream, which can be read only once."""
        return self.piped or os.fdopen(os.dup(0), "rb")


def find_files(names: Iterable[str], piped: BinaryIO | None = None) -> Iterator[FileOnDisk | StandardInput]:
    """Yield the files of a dump, by the names that the user gave; the files of a folder are sorted by path.

    ``-`` is ``piped``, or the standard input of the process.

    In a folder, files that end in .yaml, .yml and .json are read, at any depth, and links are not followed.
    Raises ``DiagnosticError``: file-not-found, file-unreadable.
    """
    for name in names:
        if name == STDIN:
            yield StandardInput(piped)
        elif folder_exists(name):
            yield from (FileOnDisk(path, is_named=False) for path in sorted(_in_folder(name)))
        else:
            yield FileOnDisk(name, is_named=True)


def _in_folder(top: str) -> Iterator[str]:
    waiting = [(top, 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth >= MOST_FOLDERS:  # each step into it costs more than the one before
            message = f"{top} has more than {MOST_FOLDERS} folders in one another"
            hint = "name the folder that kubectl or must-gather has written"
            raise Diagnostic.in_file(top, Code.FILE_UNREADABLE, message, hint).error()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    mode = entry.stat(follow_symlinks=False).st_mode
                    if stat.S_ISDIR(mode):
                        waiting.append((entry.path, depth + 1))
                    elif entry.name.lower().endswith(MANIFESTS) and not stat.S_ISLNK(mode):
                        yield entry.path
        except OSError as error:
            raise _unreadable(folder, error) from None


def _unreadable(path: str, error: OSError) -> DiagnosticError:
    if isinstance(error, FileNotFoundError):
        return Diagnostic.in_file(path, Code.FILE_NOT_FOUND, f"no such file: {path}").error()
    message = f"cannot read {path}: {error.strerror}"
    return Diagnostic.in_file(path, Code.FILE_UNREADABLE, message).error()
