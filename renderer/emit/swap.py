"""Replace the old tree by the new one, and finish or undo the change of a killed run.

Two folders are exchanged in one system call if the system supports it (``exchange``). Otherwise files are
written one by one from the complete new tree, so that the next run can continue (``write_file_by_file``). A
file that someone else wrote meanwhile is never lost: it stays in the rendered tree under a name of its own.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path, PurePosixPath

from renderer.emit.durable import sync_folder, write_new_file
from renderer.emit.output_folder import is_link
from renderer.emit.ownership import Owned, decode_ownership, is_ours
from renderer.emit.staging import Staging, discard, make_writable
from renderer.emit.tree import TreeFile, is_folder, read_file
from renderer.files.disk import opened_folder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.digest import sha256
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.model.text_enum import TextEnum

#: Not loaded by Argo CD or Flux.
_SUFFIX = ".edited"
_NUMBERS = tuple(f"-{number}" for number in range(2, 100))
#: The name of the file that is being written at the moment.
_PART = ".vmrender-part"
#: The errors of systems that cannot exchange folders: no such call or flag, a mount, an image layer.
_CANNOT = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV, errno.EBUSY})


def keep_foreign_file(file: Path, folder: Path, path: str, *, renamed: bool = False) -> str | None:
    """Move ``file`` to ``path`` in ``folder``, or to a similar name if that is taken; return the name.

    ``renamed``: always use a similar name that no tool loads as a manifest.

    Return None, and move nothing, if a parent of the target is not a folder, or the system refuses.
    """
    place = PurePosixPath(path)
    names = (place.name, *(f"{place.name}{_SUFFIX}{number}" for number in ("", *_NUMBERS)))
    try:
        with suppress(FileExistsError):
            folder.mkdir()
        with opened_folder(folder, place.parent, make=True) as inside:
            name = next((name for name in names[renamed:] if not os.path.lexists(inside / name)), None)
            if name:
                file.rename(inside / name)
    except OSError:
        return None
    return str(place.with_name(name)) if name else None


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths atomically: at every moment each name refers to one of the two folders.

    Return False, and do nothing, if this is not supported. Raises ``OSError`` for every other failure.
    """
    error = _exchange(os.fsencode(one), os.fsencode(other))
    if error and error not in _CANNOT:
        raise OSError(error, os.strerror(error), str(one), None, str(other))
    return not error


def _exchange(one: bytes, other: bytes) -> int:
    """Return zero or the error number. The standard library has no such function, but the C library does."""
    import ctypes  # noqa: PLC0415 - only runs that change something pay for it

    at_current_folder, exchange_flag = -100, 2
    if sys.platform == "win32":
        return errno.ENOSYS
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):  # Linux
        status = library.renameat2(at_current_folder, one, at_current_folder, other, exchange_flag)
    elif hasattr(library, "renamex_np"):  # macOS
        status = library.renamex_np(one, other, exchange_flag)
    else:
        return errno.ENOSYS
    return ctypes.get_errno() if status else 0


def remove_old_tree(
    tree: Path, folder: Path, given_up: Collection[str] = (), *, is_recovery: bool = False
) -> tuple[str, ...]:
    """Remove ``tree``, which has changed places with ``folder`` or was about to.

    A file is removed if it is also in ``folder``, if it is vmrender's, or if it is ``given_up``. Someone else
    wrote the others at the last moment: they are moved to ``folder``. Return their names there. Files that
    the system refuses to remove stay for the next run. In a recovery it is unknown who wrote a file: then it
    gets a name that no tool loads as a manifest.
    """
    if not is_folder(tree):  # a link or file, put there at the last moment
        name = keep_foreign_file(tree, folder, folder.name)
        return (name,) if name else ()
    owned = read_ownership(tree) or {}
    make_writable(tree)
    kept: list[str | None] = []
    for place, folders, files in os.walk(tree, topdown=False):
        for name in (*files, *folders):
            file = Path(place, name)
            path = file.relative_to(tree).as_posix()
            with suppress(OSError):
                if path == OWNERSHIP_FILE:
                    continue
                if is_folder(file):
                    file.rmdir()
                elif path in given_up or _is_dispensable(file, path, folder, owned):
                    file.unlink()
                else:
                    kept.append(keep_foreign_file(file, folder, path, renamed=is_recovery))
    with suppress(OSError):
        # The ownership file is removed last: it tells the next run which files are ours.
        if {path.name for path in tree.iterdir()} <= {OWNERSHIP_FILE}:
            (tree / OWNERSHIP_FILE).unlink(missing_ok=True)
            tree.rmdir()
    return tuple(name for name in kept if name)


def read_ownership(tree: Path) -> Owned | None:
    """Return the digests by path from the ownership file in ``tree``; None without a valid one."""
    content = read_file(tree, OWNERSHIP_FILE)
    try:
        return decode_ownership(content, OWNERSHIP_FILE) if isinstance(content, bytes) else None
    except DiagnosticError:
        return None


def _is_dispensable(file: Path, path: str, folder: Path, owned: Owned) -> bool:
    """Return True if ``folder`` has the same file or link at ``path``, or if vmrender wrote the file."""
    status, twin = file.lstat(), folder / path
    with suppress(OSError):
        if os.path.samestat(status, twin.lstat()):
            return True
    if is_link(status):
        return twin.is_symlink() and twin.readlink() == file.readlink()
    if not stat.S_ISREG(status.st_mode):
        return False
    content = file.read_bytes()
    return is_ours(content, path, owned) or read_file(folder, path) == content


def write_file_by_file(tree: Path, folder: Path, given_up: Collection[str] = ()) -> tuple[str, ...]:
    """Replace vmrender's files in ``folder`` by the files of the complete ``tree``, which is not changed.

    The ownership file comes last, so that this can be repeated after a killed run: files already in place are
    skipped. A file that someone else changed meanwhile is moved aside, unless it is ``given_up``. Return the
    present names of such files. Raises ``OSError``.
    """
    before, after = read_ownership(folder) or {}, read_ownership(tree)
    if after is None or not _is_complete(tree, after):
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


def _is_complete(tree: Path, owned: Owned) -> bool:
    contents = ((read_file(tree, path), expected) for path, expected in owned.items())
    return all(isinstance(content, bytes) and sha256(content) in expected for content, expected in contents)


def _is_foreign(present: TreeFile, path: str, before: Owned, given_up: Collection[str]) -> bool:
    if present is None or path in given_up:
        return False
    return not isinstance(present, bytes) or not is_ours(present, path, before)


def _move_aside(folder: Path, path: str) -> str:
    place = PurePosixPath(path)
    with opened_folder(folder, place.parent) as inside:
        name = keep_foreign_file(inside / place.name, folder, path)
    if not name:
        raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder / path))
    return name


def _put(tree: Path, folder: Path, path: str) -> None:
    content, place = read_file(tree, path), PurePosixPath(path)
    if not isinstance(content, bytes) or read_file(folder, path) == content:
        return
    with suppress(FileExistsError):
        folder.mkdir()
    with opened_folder(folder, place.parent, make=True) as inside:
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
    with opened_folder(folder, place.parent) as inside:
        (inside / place.name).unlink()
    with suppress(OSError):  # a folder that is not empty stays
        for parent in place.parents[:-1]:
            with opened_folder(folder, parent.parent) as above:
                (above / parent.name).rmdir()


class Repair(TextEnum):
    """The kinds of repair after a killed run, in words."""

    CLEARED = "cleaned up after an interrupted run; the tree was complete"
    COMPLETED = "completed the work of an interrupted run"


def repair_needed(area: Staging) -> Repair:
    """Return the repair that ``recover`` will make in an area that a killed run left."""
    return Repair.COMPLETED if area.is_made and is_folder(area.replaying) else Repair.CLEARED


def recover(area: Staging, folder: Path) -> tuple[str, ...]:
    """Make ``folder`` a complete tree again and clear ``area``, which the caller has entered.

    Return the names of files in ``folder`` that someone else wrote during the change. Raises ``OSError``.
    """
    rescued: tuple[str, ...] = ()
    discard(area.building)
    if not area.is_made:
        return ()
    discard(area.dropping)
    if is_folder(area.replaying):
        rescued += write_file_by_file(area.replaying, folder)
        drop(area, area.replaying)
    if is_folder(area.swapping):
        rescued += remove_old_tree(area.swapping, folder, is_recovery=True)
    return rescued


def drop(area: Staging, tree: Path) -> None:
    """Remove a superseded tree; rename it first, so that a crash cannot make it look live."""
    tree.rename(area.dropping)
    discard(area.dropping)
