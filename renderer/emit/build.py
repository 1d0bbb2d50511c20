"""A new tree beside the old one: what stays is linked, what is new is written, all of it is on the disk."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath

from renderer.disk.pinned import pinned
from renderer.emit.durable import sync_files, sync_folder, write_new_file_unsynced
from renderer.emit.output_folder import is_link
from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.emit.plan import Plan
from renderer.emit.tree import is_folder

#: How file systems say that they have no hard links, or not for this file.
_NO_HARD_LINK = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.EINVAL}
)
#: What a link leads to is not linked in its place; Linux does not do that anyway.
_NOT_FOLLOWED = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}


def build_tree(old: Path, new: Path, plan: Plan, wanted: Mapping[str, bytes]) -> None:
    """Makes ``new`` what ``old`` becomes by ``plan``, with the files in ``old`` that are not vmrender's.

    These, and unchanged ones, stay the same files by way of hard links, where there are hard links. Raises
    ``OSError``.
    """
    new.mkdir()
    folders = (
        _link_what_stays(old, new, {*plan.removed, *plan.updated, OWNERSHIP_FILE}) if is_folder(old) else {}
    )
    contents = {path: wanted[path] for path in (*plan.created, *plan.updated)}
    _write_files(new, {**contents, OWNERSHIP_FILE: plan.ownership})
    for path in plan.updated:
        _take_over_rights(new / path, (old / path).lstat())
    for path, status in reversed(folders.items()):
        if is_folder(new / path):
            _take_over_rights(new / path, status)
    for folder, _, _ in os.walk(new, topdown=False):
        sync_folder(Path(folder))


def _write_files(new: Path, contents: Mapping[str, bytes]) -> None:
    """All of them, before the disk is waited for: it then takes them together."""
    files = {new / path: content for path, content in contents.items()}
    for folder in {file.parent for file in files}:
        folder.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        write_new_file_unsynced(file, content)
    sync_files(tuple(files))


def _link_what_stays(old: Path, new: Path, gone: set[str]) -> dict[str, os.stat_result]:
    """The folders of ``old``, outer ones first; one that held only what is ``gone`` is not made again."""
    folders = {"": old.lstat()}
    waiting = [""]
    while waiting:
        folder = PurePosixPath(waiting.pop())
        with pinned(old, folder) as inside:
            entries = list(inside.iterdir())
            if not entries:
                (new / folder).mkdir(parents=True, exist_ok=True)
            for entry in entries:
                path, status = (folder / entry.name).as_posix(), entry.lstat()
                if stat.S_ISDIR(status.st_mode) and not is_link(status):
                    _check_same_device(entry, status, folders[""])
                    folders[path] = status
                    waiting.append(path)
                elif path not in gone:
                    (new / folder).mkdir(parents=True, exist_ok=True)
                    _link(entry, new / path, status)
    return folders


def _check_same_device(folder: Path, status: os.stat_result, top: os.stat_result) -> None:
    if status.st_dev != top.st_dev:
        raise OSError(errno.EXDEV, "another file system is mounted there", str(folder))


def _link(old: Path, new: Path, status: os.stat_result) -> None:
    if is_link(status):
        new.symlink_to(old.readlink())
        return
    try:
        os.link(old, new, **_NOT_FOLLOWED)
    except OSError as error:
        if error.errno not in _NO_HARD_LINK or not stat.S_ISREG(status.st_mode):
            raise
        shutil.copy2(old, new, follow_symlinks=False)


def _take_over_rights(path: Path, status: os.stat_result) -> None:
    """Mode and owner, the latter as far as we may: a run as root must not take a folder from its user."""
    path.chmod(stat.S_IMODE(status.st_mode))
    own = path.lstat()
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)
