"""Write a rendered tree: all of it or nothing, and only vmrender's files.

The new tree is built in staging, on the same file system as the old one, and is on the disk before the two
folders are exchanged in one system call (``swap.exchange``). Until then the old tree is untouched; from then
on the new one is in place. The next run clears up after a killed one (``swap.recover``). If the system has no
such call (Windows, some network file systems), files are replaced one by one from the complete new tree, and
the next run finishes the work of a killed one.
"""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path, PurePosixPath
from typing import Self, TypeAlias, TypeVar

from renderer.emit.durable import Unsynced, link_or_copy
from renderer.emit.output_folder import OutputFolder, is_link
from renderer.emit.ownership import EncodedFiles, encode_files
from renderer.emit.plan import TreePlan, plan_tree, refusals
from renderer.emit.proof import write_proof
from renderer.emit.staging import OtherTurnError, Staging, StagingArea, Turn, has_staging_folder
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
from renderer.files.disk import opened_folder
from renderer.files.file_system import MOST_FOLDERS
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE

T = TypeVar("T")

#: The steps of a change: the writes of each must be on the disk before the next may begin.
_Steps: TypeAlias = Generator[None, None, T]

_HINT = "nothing is lost: free space or give access, then render again"
#: Trees in one batch; each keeps up to two folders open.
TREES_AT_ONCE = 32
#: The maximum in a batch; they may use a quarter of the files that this process may open.
_MOST_TREES_AT_ONCE = 256
#: The errors of a folder that is on another file system, or that has just been created.
_IN_THE_WAY = frozenset({errno.EXDEV, errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})


def is_at_work(root: Path, output: str) -> bool:
    """Return True if a run that changes trees is under way or was killed.

    Also return True for an ``output`` that is refused: writing to it reports why.
    """
    try:
        return has_staging_folder(OutputFolder.locate(root, output))
    except DiagnosticError:
        return True


def build_tree(old: Path, new: Path, plan: TreePlan, wanted: Mapping[str, bytes], unsynced: Unsynced) -> None:
    """Build ``new`` from ``old`` and ``plan``; keep the files in ``old`` that are not vmrender's.

    Kept and unchanged files are hard links to the old files, if the file system has hard links. Raises
    ``OSError``.
    """
    new.mkdir()
    folders = (
        _link_kept_files(old, new, {*plan.removed, *plan.updated, OWNERSHIP_FILE}) if is_folder(old) else {}
    )
    new_folders = {path.rpartition("/")[0] for path in (*plan.created, *plan.updated)} - {""}
    for folder in new_folders:
        (new / folder).mkdir(parents=True, exist_ok=True)
    for path in (*plan.created, *plan.updated):
        unsynced.write_new_file(f"{new}/{path}", wanted[path])
    unsynced.write_new_file(f"{new}/{OWNERSHIP_FILE}", plan.ownership)
    for path in plan.updated:
        _copy_rights(new / path, (old / path).lstat())
    for path, status in reversed(folders.items()):
        if is_folder(new / path):
            _copy_rights(new / path, status)
    if folders:
        places = {place for place, _, _ in os.walk(new)}
    else:  # there is nothing but what was just made
        below = (PurePosixPath(folder, "file").parents for folder in ("", *new_folders))
        places = {f"{new}/{place}" for above in below for place in above}
    for place in places:
        unsynced.add_folder(place)


def _link_kept_files(old: Path, new: Path, gone: set[str]) -> dict[str, os.stat_result]:
    """Link the files; return the folders of ``old``, outer first, without those that held only ``gone``."""
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
                    if len(folder.parts) >= MOST_FOLDERS:
                        raise OSError(errno.ENAMETOOLONG, "folders are nested too deeply", str(entry))
                    if status.st_dev != folders[""].st_dev:
                        raise OSError(errno.EXDEV, "another file system is mounted there", str(entry))
                    folders[path] = status
                    waiting.append(path)
                elif path not in gone:
                    (new / folder).mkdir(parents=True, exist_ok=True)
                    if is_link(status):
                        (new / path).symlink_to(entry.readlink())
                    else:
                        link_or_copy(entry, new / path)
    return folders


def _copy_rights(path: Path, status: os.stat_result) -> None:
    """Copy mode and, if permitted, owner: a run as root must not take a folder from its user."""
    path.chmod(stat.S_IMODE(status.st_mode))
    own = path.lstat()
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)


def most_trees_at_once() -> int:
    """Return the number of trees that may be built before any is put in place."""
    try:
        from resource import RLIMIT_NOFILE, getrlimit  # noqa: PLC0415 - Windows has none
    except ImportError:
        return TREES_AT_ONCE
    files, _ = getrlimit(RLIMIT_NOFILE)
    return _MOST_TREES_AT_ONCE if files < 0 else max(TREES_AT_ONCE, min(_MOST_TREES_AT_ONCE, files // 4))


class TreeChange(Record):
    """A tree that shall hold ``files``, text by path; other files that vmrender wrote are removed.

    With ``removes``, its folder is also removed, unless it holds other files. ``force`` names files to
    replace or remove even if they are not vmrender's. Leftovers of a killed run are repaired first, and
    ``on_repair`` is called, even if the run fails later.
    """

    output: str
    files: Mapping[str, str] | EncodedFiles
    force: Collection[str] = ()
    on_repair: Callable[[Repair], object] = lambda _: None
    removes: bool = False


class Written(Record):
    """The changes that a run made to a tree, as paths in it.

    ``rescued`` are files that someone else wrote during the run, under their present names.
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
    """Write ``files``, text by path, into ``output`` below ``root``, and remove vmrender's older files.

    Nothing is touched if the tree is up to date. Other files in the folder stay. Concurrent processes take
    turns. ``force`` and ``on_repair`` as in ``TreeChange``.

    Raises ``DiagnosticError``, with nothing written: foreign-file for each file that is in the way or was
    edited by hand, output-invalid, ownership-invalid, write-failed (a full or read-only disk).
    """
    [result] = write_trees(root, [TreeChange(output, files, force, on_repair)])
    if isinstance(result, DiagnosticError):
        raise result
    return result


def write_trees(root: Path, changes: Sequence[TreeChange]) -> Iterator[Written | DiagnosticError]:
    """Write each tree as ``write_tree`` does, several at once; yield the result of each, in order.

    Writing a tree is mostly waiting for the disk. Some trees are built first, then the disk is synced once,
    then they are put in place. A disk error for one of these fails all of them.
    """
    root = root.resolve()
    for start in range(0, len(changes), TREES_AT_ONCE):
        yield from _write_together(root, changes[start : start + TREES_AT_ONCE])


def _write_together(root: Path, changes: Sequence[TreeChange]) -> list[Written | DiagnosticError]:
    """Write all trees; those that need the lock of another folder are in a later batch."""
    results: dict[int, Written | DiagnosticError] = {}
    waiting = list(range(len(changes)))
    while waiting:
        with TreeBatch(root) as batch:
            for number in waiting:
                batch.build(changes[number])
            results |= {number: done for number, done in zip(waiting, batch.finish(), strict=True) if done}
        waiting = [number for number in waiting if number not in results]
    return [results[number] for number in range(len(changes))]


class TreeBatch:
    """Trees below ``root`` (a path without links) that are built one by one and put in place together.

    Other processes wait from the first tree on until the context ends. Then trees that were not put in place
    are removed, and so are folders above them that were created only for them.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._turn, self._begun = root, Turn(), ExitStack()
        self._above: dict[PurePosixPath, None] = {}
        self._writing: dict[int, _Steps[Written]] = {}
        self._results: dict[int, Written | DiagnosticError | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._turn:
            self._begun.close()
            for folder in reversed(self._above):
                with suppress(OSError), opened_folder(self._root, folder.parent) as above:  # it holds a tree
                    (above / folder.name).rmdir()

    def __len__(self) -> int:
        return len(self._writing) + len(self._results)

    def build(self, change: TreeChange) -> None:
        """Build the tree in staging; if it is up to date, or cannot be built, that is its result."""
        number, above = len(self), reversed(PurePosixPath(posixpath.normpath(change.output)).parents[:-1])
        missing = [each for each in above if not os.path.lexists(self._root / each)]
        self._writing[number] = self._begun.enter_context(
            closing(_write_steps(self._root, change, self._turn))
        )
        self._run_step(number, None)
        self._above |= dict.fromkeys(each for each in missing if os.path.lexists(self._root / each))

    def finish(self) -> list[Written | DiagnosticError | None]:
        """Wait for the disk, put the trees in place, and return the result of each, in order.

        The result is None for a tree that needs the lock of another folder. A disk error for one fails all of
        them.
        """
        while self._writing:
            failure = _sync(self._turn.unsynced)
            for number in tuple(self._writing):
                self._run_step(number, failure)
        _sync(self._turn.unsynced)  # sync the last steps: the trees are in place
        return [self._results[number] for number in range(len(self))]

    def _run_step(self, number: int, failure: OSError | None) -> None:
        """Run the next step of a tree, or end it with ``failure``."""
        steps = self._writing[number]
        try:
            steps.throw(failure) if failure else next(steps)
        except StopIteration as end:
            self._results[number] = end.value
        except DiagnosticError as error:
            self._results[number] = error
        except OtherTurnError:
            self._results[number] = None
        if number in self._results:
            del self._writing[number]


def _sync(unsynced: Unsynced) -> OSError | None:
    """Wait until everything is on the disk; return the error if the disk fails."""
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

    Raises ``DiagnosticError`` as ``write_tree`` does, with nothing removed; if only the folder cannot be
    removed, its files are removed.
    """
    [result] = write_trees(root, [TreeChange(output, {}, force, on_repair, removes=True)])
    if isinstance(result, DiagnosticError):
        raise result
    return result


def _write_steps(root: Path, change: TreeChange, turn: Turn) -> _Steps[Written]:
    """Write below ``root``, a path without links.

    Raises the errors of ``write_tree``, and ``OtherTurnError`` before anything is done.
    """
    wanted, force = encode_files(change.files), change.force
    with disk_errors(Code.WRITE_FAILED, "remove" if change.removes else "write", change.output, _HINT):
        folder = OutputFolder.below(root, change.output)
        area = StagingArea.of(folder)
        plan = plan_tree(read_tree(folder, wanted), wanted, force)
        if plan.is_done and not area.is_left_over() and not change.removes:
            return Written(*plan.changes)
        # Read again: without the lock, another process may have been half-way through a write.
        with area.entered(turn) as staging, folder.pinned() as pinned:
            if staging.was_left:
                change.on_repair(repair_needed(staging))
            rescued = recover(staging, pinned)
            tree = read_tree(folder, wanted)
            plan = plan_tree(tree, wanted, force)
            if plan.blocked:
                raise DiagnosticError(*refusals(folder.path, tree, plan))
            if not plan.is_done:
                build_tree(pinned, staging.building, plan, wanted, turn.unsynced)
                yield
                rescued += yield from _exchange_steps(staging, pinned, tree, plan, force)
            if change.removes:
                _remove_folder(pinned)
            return Written(*plan.changes, rescued)


def _remove_folder(folder: Path) -> None:
    """Remove the ownership file, and the folder unless it holds another file."""
    with suppress(FileNotFoundError), opened_folder(folder, PurePosixPath()) as inside:
        (inside / OWNERSHIP_FILE).unlink()
    with suppress(OSError):
        folder.rmdir()


def _exchange_steps(
    area: Staging, folder: Path, tree: Tree, plan: TreePlan, force: Collection[str]
) -> _Steps[tuple[str, ...]]:
    """Put the built tree in place of the old one; return the names of files that someone else wrote."""
    if not is_folder(folder) and _try_move(area.building, folder, _IN_THE_WAY):
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
            else _try_move(area.swapping, folder, {errno.EXDEV})
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


def _try_move(new: Path, folder: Path, cannot: Collection[int]) -> bool:
    """Move ``new`` to the free path ``folder`` in one step; return False after an error in ``cannot``."""
    try:
        new.rename(folder)
    except OSError as error:
        if error.errno not in cannot:
            raise
        return False
    return True
