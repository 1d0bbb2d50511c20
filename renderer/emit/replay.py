"""The way to a new tree where folders cannot be exchanged: file by file, so that it can be taken up again."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from renderer.disk.pinned import pinned
from renderer.emit.durable import sync_folder, write_new_file
from renderer.emit.ownership import OWNERSHIP_FILE, digest
from renderer.emit.rescue import rescue
from renderer.emit.retire import read_ownership
from renderer.emit.tree import TreeFile, read_file

#: What is being written at the moment.
_PART = ".vmrender-part"


def replay(tree: Path, folder: Path, given_up: Collection[str] = ()) -> tuple[str, ...]:
    """Makes vmrender's files in ``folder`` those of the complete ``tree``, which stays as it is.

    The ownership file comes last, so that this can be repeated after a run that was killed on the way: what
    is in place by then is passed over. A file that someone else changed meanwhile is moved aside, unless it
    is ``given_up``. Returns the names such files have now. Raises ``OSError``.
    """
    before, after = read_ownership(folder) or {}, read_ownership(tree)
    if after is None or not _is_whole(tree, after):  # then this is no tree of ours
        return ()
    kept: list[str] = []
    for path in (*after, *(before.keys() - after.keys())):
        present = read_file(folder, path)
        if present != read_file(tree, path) and _is_foreign(present, path, before, given_up):
            kept.append(_move_aside(folder, path))
    for path in after:
        _put(tree, folder, path)
    for path in before.keys() - after.keys():
        _remove(folder, path)
    _put(tree, folder, OWNERSHIP_FILE)
    return tuple(kept)


def _is_whole(tree: Path, owned: Mapping[str, str]) -> bool:
    contents = ((read_file(tree, path), expected) for path, expected in owned.items())
    return all(isinstance(content, bytes) and digest(content) == expected for content, expected in contents)


def _is_foreign(present: TreeFile, path: str, before: Mapping[str, str], given_up: Collection[str]) -> bool:
    if present is None or path in given_up:
        return False
    return not isinstance(present, bytes) or digest(present) != before.get(path)


def _move_aside(folder: Path, path: str) -> str:
    place = PurePosixPath(path)
    with pinned(folder, place.parent) as inside:
        name = rescue(inside / place.name, folder, path)
    if not name:
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder / path))
    return name


def _put(tree: Path, folder: Path, path: str) -> None:
    content, place = read_file(tree, path), PurePosixPath(path)
    if not isinstance(content, bytes) or read_file(folder, path) == content:
        return
    with suppress(FileExistsError):
        folder.mkdir()
    with pinned(folder, place.parent, make=True) as inside:
        part = inside / _PART
        part.unlink(missing_ok=True)
        write_new_file(part, content)
        part.chmod((tree / path).stat().st_mode & 0o7777)
        part.replace(inside / place.name)
        sync_folder(inside)


def _remove(folder: Path, path: str) -> None:
    place = PurePosixPath(path)
    if not isinstance(read_file(folder, path), bytes):
        return
    with pinned(folder, place.parent) as inside:
        (inside / place.name).unlink()
    with suppress(OSError):  # a folder that is not empty stays
        for parent in place.parents[:-1]:
            with pinned(folder, parent.parent) as above:
                (above / parent.name).rmdir()
