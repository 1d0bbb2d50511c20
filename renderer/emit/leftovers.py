"""Find trees whose overlays no longer exist, and files in trees that vmrender did not write."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import takewhile
from os.path import lexists
from pathlib import Path

from renderer.emit.output_folder import is_link
from renderer.files.disk import readable_entries, same_path_key
from renderer.model.engines import is_read_by_engines
from renderer.model.render_config import OWNERSHIP_FILE

_ANY_DEPTH = 100


def find_stale_trees(
    root: Path, outputs: Collection[str], patterns: Iterable[str], other_project: str
) -> tuple[str, ...]:
    """Return the trees below ``root`` that vmrender wrote and that are not among ``outputs``, sorted.

    The search covers the places that match ``patterns``, outputs with placeholders in braces. A folder
    with a file called ``other_project`` belongs to another project and is skipped.
    """
    current = {same_path_key(output) for output in outputs}
    places: dict[str, int] = {}  # the depth of the search in each folder
    for pattern in sorted(patterns):
        parts = pattern.split("/")
        fixed = tuple(takewhile(lambda part: "{" not in part, parts[:-1]))
        if fixed:
            places["/".join(fixed)] = _ANY_DEPTH
        else:  # the root is searched only as deep as the pattern goes
            places["."] = len(parts)
    found = {
        tree for place, depth in places.items() for tree in _trees(root, place, depth, other_project, current)
    }
    return tuple(sorted(tree for tree in found if same_path_key(tree) not in current))


def _trees(
    root: Path, folder: str, depth: int, other_project: str, current: Collection[str]
) -> Iterator[str]:
    """Yield the trees in ``folder``; of the ``current`` ones, not all."""
    names: dict[str, os.DirEntry[str]] = {}
    with suppress(OSError):  # a folder that cannot be listed is never an output
        place = root / folder
        if not is_link(place.lstat()):
            names = {entry.name: entry for entry in os.scandir(place)}
    if OWNERSHIP_FILE in names:
        yield folder
    elif depth and not (folder != "." and other_project in names):
        for name, entry in sorted(names.items()):
            below = name if folder == "." else f"{folder}/{name}"
            if (
                not name.startswith(".")
                and entry.is_dir(follow_symlinks=False)
                and not (same_path_key(below) in current and lexists(f"{root}/{below}/{OWNERSHIP_FILE}"))
            ):
                yield from _trees(root, below, depth - 1, other_project, current)


def foreign_files(folder: Path, listed: Collection[str]) -> Iterator[str]:
    """Yield the paths below ``folder`` of files that an engine reads and that are not ``listed``.

    Links are not followed, and unreadable files are skipped.
    """
    folders = [""]
    while folders:
        below = folders.pop()
        for entry in readable_entries(f"{folder}/{below}"):
            path = below + entry.name
            if path in listed and entry.is_file(follow_symlinks=False):
                continue
            if _is_folder(entry):
                if not entry.is_symlink():
                    folders.append(f"{path}/")
            elif is_read_by_engines(entry.name):
                yield path


def holds_only(folder: str, files: Collection[str], folders: Collection[str]) -> bool:
    """Return True if engines read only ``files`` of ``folder``, and it has no folders but ``folders``."""
    for below in folders:
        for entry in readable_entries(f"{folder}/{below}"):
            path = posixpath.join(below, entry.name)
            is_read = is_read_by_engines(entry.name)
            if not is_read and (entry.is_symlink() or not _is_folder(entry)):
                continue
            if path not in folders and not (path in files and entry.is_file(follow_symlinks=False)):
                return False
    return True


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return True for a folder and for a link to one."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False
