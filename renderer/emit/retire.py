"""The old tree goes, once the new one is in its place."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from renderer.emit.output_folder import is_link
from renderer.emit.ownership import OWNERSHIP_FILE, decode_ownership, digest
from renderer.emit.rescue import rescue
from renderer.emit.staging import make_writable
from renderer.emit.tree import is_folder, read_file
from renderer.model.diagnostic import DiagnosticError


def retire(tree: Path, folder: Path, given_up: Collection[str] = ()) -> tuple[str, ...]:
    """Removes ``tree``, which has changed places with ``folder`` or was about to.

    A file goes when it stands in ``folder`` too, when it is vmrender's, or when it is ``given_up``; what is
    left was written by someone else at the last moment and is moved to ``folder``. Returns the names it has
    there. What the system refuses to remove stays, for the next run.
    """
    if not is_folder(tree):  # a link or file, put there at the last moment
        name = rescue(tree, folder, folder.name)
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
                    kept.append(rescue(file, folder, path))
    _remove_last(tree)
    return tuple(name for name in kept if name)


def read_ownership(tree: Path) -> Mapping[str, str] | None:
    """The digests by path that ``tree`` itself says vmrender wrote; None when it does not say so."""
    content = read_file(tree, OWNERSHIP_FILE)
    try:
        return decode_ownership(content, OWNERSHIP_FILE) if isinstance(content, bytes) else None
    except DiagnosticError:
        return None


def _remove_last(tree: Path) -> None:
    """The ownership file stays as long as anything else does: by it the next run knows what is vmrender's."""
    with suppress(OSError):
        if {path.name for path in tree.iterdir()} <= {OWNERSHIP_FILE}:
            (tree / OWNERSHIP_FILE).unlink(missing_ok=True)
            tree.rmdir()


def _is_dispensable(file: Path, path: str, folder: Path, owned: Mapping[str, str]) -> bool:
    status, twin = file.lstat(), folder / path
    if _is_same_file(status, twin):
        return True
    if is_link(status):
        return twin.is_symlink() and twin.readlink() == file.readlink()
    if not stat.S_ISREG(status.st_mode):
        return False
    content = file.read_bytes()
    return digest(content) == owned.get(path) or read_file(folder, path) == content


def _is_same_file(status: os.stat_result, twin: Path) -> bool:
    try:
        return os.path.samestat(status, twin.lstat())
    except OSError:
        return False
