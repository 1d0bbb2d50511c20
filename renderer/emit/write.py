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
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path, PurePosixPath
from typing import TypeAlias, TypeVar

from renderer.disk import opened_folder
from renderer.emit.durable import Unsynced, link_or_copy
from renderer.emit.output_folder import OutputFolder, is_link
from renderer.emit.ownership import OWNERSHIP_FILE, encode_files
from renderer.emit.plan import TreePlan, plan_tree, refusals
from renderer.emit.proof import write_proof
from renderer.emit.staging import OtherTurnError, Staging, StagingArea, Turn
from renderer.emit.swap import (
    Repair,
    drop,
    exchange,
    recover,
    remove_old_tree,
    repair_needed,
    write_file_by_file,
)
from renderer.emit.tree import Tree, disk_errors, is_folder, read_tree
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.record import Record

T = TypeVar("T")


def build_tree(old: Path, new: Path, plan: TreePlan, wanted: Mapping[str, bytes], unsynced: Unsynced) -> None:
    """Build ``new`` from ``old`` and ``plan``, with the files in ``old`` that are not vmrender's.

    These and the unchanged ones are hard links to the same files, if the file system has hard links. Raises
    ``OSError``.
    """
    new.mkdir()
    folders = (
        _link_kept_files(old, new, {*plan.removed, *plan.updated, OWNERSHIP_FILE}) if is_folder(old) else {}
    )
    made = _make_folders(new, (*plan.created, *plan.updated))
    for path in (*plan.created, *plan.updated):
        unsynced.write_new_file(f"{new}/{path}", wanted[path])
    unsynced.write_new_file(f"{new}/{OWNERSHIP_FILE}", plan.ownership)
    for path in plan.updated:
        _take_over_rights(new / path, (old / path).lstat())
    for path, status in reversed(folders.items()):
        if is_folder(new / path):
            _take_over_rights(new / path, status)
    places = (place for place, _, _ in os.walk(new)) if folders or made else [str(new)]
    for place in places:
        unsynced.add_folder(place)


def _make_folders(new: Path, paths: Iterable[str]) -> set[str]:
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    for folder in folders:
        (new / folder).mkdir(parents=True, exist_ok=True)
    return folders


def _link_kept_files(old: Path, new: Path, gone: set[str]) -> dict[str, os.stat_result]:
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

#: Trees that are built, and then are on the disk, at the same time. Each has two folders open, at most.
TREES_AT_ONCE = 32


class TreeChange(Record):
    """A tree that is to hold ``files``, text by path; other files that vmrender wrote are removed.

    ``force`` names files to replace or remove although they are not vmrender's. What a run that was killed
    has left is repaired first, and ``on_repair`` is called, even if the run fails later.
    """

    output: str
    files: Mapping[str, str]
    force: Collection[str] = ()
    on_repair: Callable[[Repair], object] = lambda _: None


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

    Nothing is touched when everything is as it should be. Other files in the folder stay. Two processes at
    once take turns. ``force`` and ``on_repair`` as in ``TreeChange``.

    Raises ``DiagnosticError``, with nothing written: foreign-file for each file that is in the way or was
    edited by hand, output-invalid, ownership-invalid, write-failed (a full or read-only disk).
    """
    [result] = write_trees(root, [TreeChange(output, files, force, on_repair)])
    if isinstance(result, DiagnosticError):
        raise result
    return result


def write_trees(root: Path, changes: Sequence[TreeChange]) -> Iterator[Written | DiagnosticError]:
    """Write each tree as ``write_tree`` does, several at once; yield what came of each, in order.

    A tree waits for the disk most of its time. Some are built first, then the disk is waited for once, then
    they take their places. A disk that fails one of these fails all of them.
    """
    root = root.resolve()
    for start in range(0, len(changes), TREES_AT_ONCE):
        yield from _written_at_once(root, changes[start : start + TREES_AT_ONCE])


def _written_at_once(root: Path, changes: Sequence[TreeChange]) -> list[Written | DiagnosticError]:
    results: dict[int, Written | DiagnosticError] = {}
    waiting = list(range(len(changes)))
    while waiting:
        with Turn() as turn, ExitStack() as begun:
            writing = {
                number: begun.enter_context(closing(_write_steps(root, changes[number], turn)))
                for number in waiting
            }
            waiting = []
            failure: OSError | None = None
            while writing:
                for number, steps in tuple(writing.items()):
                    try:
                        steps.throw(failure) if failure else next(steps)
                    except StopIteration as end:
                        results[number] = end.value
                    except DiagnosticError as error:
                        results[number] = error
                    except OtherTurnError:
                        waiting.append(number)
                    else:
                        continue
                    del writing[number]
                failure = _failure_of(turn.unsynced)
    return [results[number] for number in range(len(changes))]


def _failure_of(unsynced: Unsynced) -> OSError | None:
    try:
        unsynced.sync()
    except OSError as error:
        return error
    return None


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


#: The steps of a change: after each, what was written has to be on the disk before the next may begin.
_Steps: TypeAlias = Generator[None, None, T]


def _write_steps(root: Path, change: TreeChange, turn: Turn) -> _Steps[Written]:
    """Write below ``root``, whose path has no link in it.

    Raises as ``write_tree``, and ``OtherTurnError`` before anything is done.
    """
    wanted, force = encode_files(change.files), change.force
    with disk_errors(Code.WRITE_FAILED, "write", change.output, _HINT):
        folder = OutputFolder.below(root, change.output)
        area = StagingArea.of(folder)
        plan = plan_tree(read_tree(folder, wanted), wanted, force)
        if plan.is_done and not area.is_left_over():
            return _written(plan)
        # So far this may have been another process's work half-way: only under the lock does it count.
        with area.entered(turn) as staging, folder.held() as held:
            if staging.was_left:
                change.on_repair(repair_needed(staging))
            rescued = recover(staging, held)
            tree = read_tree(folder, wanted)
            plan = plan_tree(tree, wanted, force)
            if plan.blocked:
                raise DiagnosticError(*refusals(folder.path, tree, plan))
            if not plan.is_done:
                build_tree(held, staging.building, plan, wanted, turn.unsynced)
                yield
                rescued += yield from _exchange_steps(staging, held, tree, plan, force)
            return _written(plan, rescued)


def _exchange_steps(
    area: Staging, folder: Path, tree: Tree, plan: TreePlan, force: Collection[str]
) -> _Steps[tuple[str, ...]]:
    if not is_folder(folder) and _is_moved(area.building, folder, _IN_THE_WAY):
        area.unsynced.add_folder(str(folder.parent))
        yield
        return ()
    write_proof(area.folder, tree.ownership, plan.ownership)
    area.building.rename(area.swapping)
    area.unsynced.add_folder(str(area.folder))
    yield
    try:
        moved_in = (
            exchange(area.swapping, folder)
            if is_folder(folder)
            else _is_moved(area.swapping, folder, {errno.EXDEV})
        )
    except OSError:
        remove_old_tree(area.swapping, folder)
        raise
    if moved_in:
        area.unsynced.add_folder(str(folder.parent))
        area.unsynced.add_folder(str(area.folder))
        yield
        return remove_old_tree(area.swapping, folder, force)
    area.swapping.rename(area.replaying)
    area.unsynced.add_folder(str(area.folder))
    yield
    rescued = write_file_by_file(area.replaying, folder, force)
    drop(area, area.replaying)
    return rescued


#: The errors of a folder that is on another file system, or that came to be at this moment.
_IN_THE_WAY = frozenset({errno.EXDEV, errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})


def _is_moved(new: Path, folder: Path, cannot: Collection[int]) -> bool:
    """Move ``new`` to where no ``folder`` is, in one step; return False after an error of ``cannot``."""
    try:
        new.rename(folder)
    except OSError as error:
        if error.errno not in cannot:
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
