"""Writing a rendered tree: all of it or nothing, and only what is vmrender's.

The new tree is built in staging, beside the old one and on the same file system, and is on the disk before
the two folders change places in one system call (``exchange``). Until then the old tree is untouched; from
then on the new one is there. What a killed run leaves in staging is cleared up by the next one
(``recovery``). Where the system has no such call (Windows, some network file systems), files are replaced one
by one from the complete new tree, and a run that was killed half-way is finished by the next (``replay``).
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from renderer.disk.pinned import pinned
from renderer.emit.build import build_tree
from renderer.emit.disk_errors import disk_errors
from renderer.emit.durable import sync_folder
from renderer.emit.exchange import exchange
from renderer.emit.output_folder import OutputFolder
from renderer.emit.ownership import OWNERSHIP_FILE, is_tree_path
from renderer.emit.plan import Plan, plan_tree, refusals
from renderer.emit.recovery import Repair, drop, recover, repair_needed
from renderer.emit.replay import replay
from renderer.emit.retire import retire
from renderer.emit.staging import Staging, StagingArea
from renderer.emit.tree import is_folder, read_tree
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError

_HINT = "nothing is lost: free space or give access, then render again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a run did to a tree, as paths in it.

    ``rescued`` are files that someone else wrote while it was at work, under the names that they have now.
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
    """Makes the folder ``output`` below ``root`` hold ``files``, text by path, and nothing older of ours.

    Nothing is touched when everything is as it should be. ``force`` names files to replace or remove although
    they are not vmrender's. Other files in the folder stay. Two processes at once take turns. What a run
    that was killed has left is repaired first, and ``on_repair`` is told, whatever comes then.

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
                rescued += _change(staging, held, plan, wanted, force)
            return _written(plan, rescued)


def remove_tree(
    root: Path,
    output: str,
    *,
    force: Collection[str] = (),
    on_repair: Callable[[Repair], object] = lambda _: None,
) -> Written:
    """Removes what vmrender wrote into ``output``, and the folder too unless others have files in it.

    Raises ``DiagnosticError`` as ``write_tree`` does, with nothing removed.
    """
    written = write_tree(root, output, {}, force=force, on_repair=on_repair)
    with (
        disk_errors(Code.WRITE_FAILED, "remove", output, _HINT),
        OutputFolder.locate(root, output).held() as folder,
    ):
        with suppress(FileNotFoundError), pinned(folder, PurePosixPath()) as inside:
            (inside / OWNERSHIP_FILE).unlink()
        with suppress(OSError):  # somebody's file is in it
            folder.rmdir()
    return written


def encode_files(files: Mapping[str, str]) -> Mapping[str, bytes]:
    """The bytes of ``files``. Raises ``ValueError``, for a bug of ours: a path that no tree may hold."""
    for path in files:
        if not is_tree_path(path):
            raise ValueError(f"no path in a rendered tree: {path!r}")
    return {path: text.encode() for path, text in files.items()}


def _change(
    area: Staging, folder: Path, plan: Plan, wanted: Mapping[str, bytes], force: Collection[str]
) -> tuple[str, ...]:
    build_tree(folder, area.building, plan, wanted)
    area.building.rename(area.swapping)
    sync_folder(area.folder)
    try:
        moved_in = _move_in(area.swapping, folder)
    except OSError:
        retire(area.swapping, folder)
        raise
    if moved_in:
        sync_folder(folder.parent)
        sync_folder(area.folder)
        return retire(area.swapping, folder, force)
    area.swapping.rename(area.replaying)
    sync_folder(area.folder)
    rescued = replay(area.replaying, folder, force)
    drop(area, area.replaying)
    return rescued


def _move_in(new: Path, folder: Path) -> bool:
    """Gives ``new`` the place of ``folder``, in one step; False where that is not possible."""
    if is_folder(folder):
        return exchange(new, folder)
    try:
        new.rename(folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return False
    return True


def _written(plan: Plan, rescued: tuple[str, ...] = ()) -> Written:
    return Written(
        created=plan.created,
        updated=plan.updated,
        removed=plan.removed,
        unchanged=plan.unchanged,
        rescued=rescued,
    )
