"""A rendered tree on disk, read without following any link."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Literal, TypeAlias

from renderer.emit.output_folder import OutputFolder, is_link
from renderer.emit.ownership import Owned, decode_ownership, invalid_ownership
from renderer.files.disk import ConfinedFolder, NotRegularError
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.model.run.limits import limits, over_limit


class Obstacle(Enum):
    """A folder, link or device where a file is expected, or a file where a folder is expected."""

    OBSTACLE = "obstacle"


OBSTACLE = Obstacle.OBSTACLE

#: The content of a file; None if nothing exists.
TreeFile: TypeAlias = bytes | Obstacle | None
_Folder: TypeAlias = Literal[True, Obstacle.OBSTACLE] | None


class Tree(Record):
    """The content at every path that is owned or was asked for, and the digests of the owned files.

    ``ownership`` is the content of the ownership file, None if it does not exist.
    """

    files: Mapping[str, TreeFile]
    owned: Owned
    ownership: bytes | None


def read_tree(output: OutputFolder, wanted: Collection[str]) -> Tree:
    """Return the files in ``output`` that its ownership file lists or ``wanted`` names; no others are read.

    Raises ``DiagnosticError``: ownership-invalid; build-limit for a file that is too large to be a rendered
    one. Raises ``OSError`` for what cannot be read.
    """
    folder, ownership_path = output.folder, f"{output.path}/{OWNERSHIP_FILE}"
    confined = ConfinedFolder(str(output.root))
    folders: dict[str, _Folder] = {}

    def read(path: str) -> TreeFile:
        most = limits().output_size
        content = _read(folder, path, folders, confined, most)
        if isinstance(content, bytes) and len(content) > most:
            raise over_limit("output_size", f"{output.path}/{path} is larger than {most} bytes")
        return content

    ownership = read(OWNERSHIP_FILE)
    if ownership is OBSTACLE:
        raise invalid_ownership(ownership_path, "is not a regular file")
    owned = {} if ownership is None else decode_ownership(ownership, ownership_path)
    return Tree({path: read(path) for path in {*owned, *wanted}}, owned, ownership)


def read_file(folder: Path, path: str) -> TreeFile:
    """Return the content at ``path`` below ``folder``: None if nothing exists, an obstacle for a non-file."""
    return _read(folder, path, {}, ConfinedFolder(str(folder)))


def is_folder(path: Path) -> bool:
    """Return True if ``path`` itself is a folder, not a link to one."""
    return look_up_folder(path) is True


def _read(
    folder: Path,
    path: str,
    folders: dict[str, _Folder],
    confined: ConfinedFolder,
    most: int = sys.maxsize,
) -> TreeFile:
    """Read a file; ``confined`` is ``folder`` or a folder above: nothing outside is read.

    Of a file with more than ``most`` bytes, return one byte more than that.
    """
    parent = _look_up_below(folder, path.rpartition("/")[0], folders)
    if parent is not True:
        return parent
    file = folder / path
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or is_link(status):
            return OBSTACLE
        return confined.read(str(file), most, status.st_mode)
    except FileNotFoundError:
        return None
    except NotRegularError:
        return OBSTACLE


def _look_up_below(folder: Path, path: str, folders: dict[str, _Folder]) -> _Folder:
    """Look up the folder at ``path`` and all above it up to ``folder``; ``folders`` caches the results."""
    if path not in folders:
        above = _look_up_below(folder, path.rpartition("/")[0], folders) if path else True
        folders[path] = look_up_folder(folder / path) if above is True else above
    return folders[path]


def look_up_folder(folder: Path | str) -> _Folder:
    """Return True for a folder, None if nothing exists, and an obstacle for a link or anything else."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return None
    return True if stat.S_ISDIR(status.st_mode) and not is_link(status) else OBSTACLE


@contextmanager
def disk_errors(code: Code, verb: str, output: str, hint: str) -> Iterator[None]:
    """Turn an ``OSError`` into a ``DiagnosticError`` with the attempted action (``verb``) and the reason."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        message = f"cannot {verb} the rendered tree: {error.strerror or error}{place}"
        raise Diagnostic.in_file(output, code, message, hint).error() from error
