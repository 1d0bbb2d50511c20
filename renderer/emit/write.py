"""Write a rendered tree: all of it or nothing, and only what is vmrender's.

The new tree is built in staging, beside the old one and on the same file system, and is on the disk before
the two folders change places in one system call (``swap.exchange``). Until then the old tree is untouched;
from then on the new one is there. What a killed run leaves in staging is cleared up by the next one
(``swap.recover``). Where the system has no such call (Windows, some network file systems), files are replaced
one by one from the complete new tree, and the next run finishes what a killed one began.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath

from renderer.disk import opened_folder
from renderer.emit.durable import link_or_copy, sync_folder, write_new_files
from renderer.emit.output_folder import OutputFolder, is_link
from renderer.emit.ownership import OWNERSHIP_FILE, encode_files
from renderer.emit.plan import TreePlan, plan_tree, refusals
from renderer.emit.proof import write_proof
from renderer.emit.staging import Staging, StagingArea
from renderer.emit.swap import (
    Repair,
    drop,
    exchange,
    recover,
    remove_old_tree,
    repair_needed,
    write_file_by_file,
)
from renderer.emit.tree import disk_errors, is_folder, read_tree
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.record import Record


def build_tree(old: Path, new: Path, plan: TreePlan, wanted: Mapping[str, bytes]) -> None:
    """Build ``new`` from ``old`` and ``plan``, with the files in ``old`` that are not vmrender's.

    These and the unchanged ones are hard links to the same files, if the file system has hard links. Raises
    ``OSError``.
    """
    new.mkdir()
    folders = (
        _link_what_stays(old, new, {*plan.removed, *plan.updated, OWNERSHIP_FILE}) if is_folder(old) else {}
    )
    _make_folders(new, (*plan.created, *plan.updated))
    contents = ((f"{new}/{path}", wanted[path]) for path in (*plan.created, *plan.updated))
    write_new_files(chain(contents, [(f"{new}/{OWNERSHIP_FILE}", plan.ownership)]))
    for path in plan.updated:
        _take_over_rights(new / path, (old / path).lstat())
    for path, status in reversed(folders.items()):
        if is_folder(new / path):
            _take_over_rights(new / path, status)
    for folder, _, _ in os.walk(new, topdown=False):
        sync_folder(Path(folder))


def _make_folders(new: Path, paths: Iterable[str]) -> None:
    for folder in {path.rpartition("/")[0] for path in paths}:
        (new / folder).mkdir(parents=True, exist_ok=True)


def _link_what_stays(old: Path, new: Path, gone: set[str]) -> dict[str, os.stat_result]:
    """The folders of ``old``, outer ones first; one that held only what is ``gone`` is not made again."""
    folders = {"": old.lstat()}
    waiting = [""]
    while waiting:
        folder = PurePosixPath(waiting.pop())
        with opened_folder(old, folder) as inside:
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
    else:
        link_or_copy(old, new)


def _take_over_rights(path: Path, status: os.stat_result) -> None:
    """Mode and owner, the latter as far as we may: a run as root must not take a folder from its user."""
    path.chmod(stat.S_IMODE(status.st_mode))
    own = path.lstat()
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)


_HINT = "nothing is lost: free space or give access, then render again"


class Written(Record):
    """The changes that a run made to a tree, as paths in it.

    ``rescued`` are files that someone else wrote during the run, under the names that they have now.
    """

    created: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    rescued: tuple[str, ...] = ()


def write_tree(
    root: Path,
    output: str,
    files: Mapping[str, str],
    *,
    force: Collection[str] = (),
    on_repair: Callable[[Repair], object] = lambda _: None,
) -> Written:
    """Make the folder ``output`` below ``root`` hold ``files``, text by path, and remove older files of ours.

    Nothing is touched when everything is as it should be. ``force`` names files to replace or remove although
    they are not vmrender's. Other files in the folder stay. Two processes at once take turns. What a run
    that was killed has left is repaired first, and ``on_repair`` is called, even if the run fails later.

    Raises ``DiagnosticError``, with nothing written: foreign-file for each file that is in the way or was
    edited by hand, output-invalid, ownership-invalid, write-failed (a full or read-only disk).
    """
    wanted = encode_files(files)
    with disk_errors(Code.WRITE_FAILED, "write", output, _HINT):
        folder = OutputFolder.locate(root, output)
        area = StagingArea.of(folder)
        plan = plan_tree(read_tree(folder, wanted), wanted, force)
        if plan.is_done and not area.is_left_over():
            return _written(plan)
        # So far this may have been another process's work half-way: only under the lock does it count.
        with area.entered() as staging, folder.held() as held:
            if staging.was_left:
                on_repair(repair_needed(staging))
            rescued = recover(staging, held)
            tree = read_tree(folder, wanted)
            plan = plan_tree(tree, wanted, force)
            if plan.blocked:
                raise DiagnosticError(*refusals(folder.path, tree, plan))
            if not plan.is_done:
                write_proof(staging.folder, tree.ownership, plan.ownership)
                rescued += _change(staging, held, plan, wanted, force)
            return _written(plan, rescued)


def remove_tree(
    root: Path,
    output: str,
    *,
    force: Collection[str] = (),
    on_repair: Callable[[Repair], object] = lambda _: None,
) -> Written:
    """Remove the files that vmrender wrote into ``output``, and the folder too unless it holds other files.

    Raises ``DiagnosticError`` as ``write_tree`` does, with nothing removed.
    """
    written = write_tree(root, output, {}, force=force, on_repair=on_repair)
    with (
        disk_errors(Code.WRITE_FAILED, "remove", output, _HINT),
        OutputFolder.locate(root, output).held() as folder,
    ):
        with suppress(FileNotFoundError), opened_folder(folder, PurePosixPath()) as inside:
            (inside / OWNERSHIP_FILE).unlink()
        with suppress(OSError):  # somebody's file is in it
            folder.rmdir()
    return written


def _change(
    area: Staging, folder: Path, plan: TreePlan, wanted: Mapping[str, bytes], force: Collection[str]
) -> tuple[str, ...]:
    build_tree(folder, area.building, plan, wanted)
    area.building.rename(area.swapping)
    sync_folder(area.folder)
    try:
        moved_in = _move_in(area.swapping, folder)
    except OSError:
        remove_old_tree(area.swapping, folder)
        raise
    if moved_in:
        sync_folder(folder.parent)
        sync_folder(area.folder)
        return remove_old_tree(area.swapping, folder, force)
    area.swapping.rename(area.replaying)
    sync_folder(area.folder)
    rescued = write_file_by_file(area.replaying, folder, force)
    drop(area, area.replaying)
    return rescued


def _move_in(new: Path, folder: Path) -> bool:
    """Put ``new`` in the place of ``folder``, in one step; return False if that is not possible."""
    if is_folder(folder):
        return exchange(new, folder)
    try:
        new.rename(folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _written(plan: TreePlan, rescued: tuple[str, ...] = ()) -> Written:
    return Written(
        created=plan.created,
        updated=plan.updated,
        removed=plan.removed,
        unchanged=plan.unchanged,
        rescued=rescued,
    )
