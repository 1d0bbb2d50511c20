"""Paths that lead into rendered trees. A tree is never its own source: no change would ever arrive in it."""

from __future__ import annotations

import posixpath

from renderer.files.file_system import FileSystem
from renderer.model.render_config import OWNERSHIP_FILE

#: Says in messages why a path in a tree is an error.
IS_RENDERED = "which vmrender renders: a tree is never its own source"


def tree_around(fs: FileSystem, path: str) -> str:
    """Return the rendered tree that is at ``path`` or holds it; empty if there is none."""
    if path.startswith(("../", "/")):  # it is outside, and refused where it is used
        return ""
    parts = path.split("/")
    folders = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return next((each for each in folders if is_tree(fs, each)), "")


def tree_at(fs: FileSystem, path: str) -> str:
    """Return the rendered tree that is at ``path`` or holds it, or a ``path`` with nothing but trees."""
    found = tree_around(fs, path)
    if found or path in (".", "..") or path.startswith(("../", "/")):
        return found
    return path if _holds_only_trees(fs, path) else ""


def is_tree(fs: FileSystem, folder: str) -> bool:
    """Return True if a run has rendered into the folder."""
    return fs.is_file(posixpath.join(folder, OWNERSHIP_FILE))


def _holds_only_trees(fs: FileSystem, folder: str) -> bool:
    below = [posixpath.join(folder, name) for name in fs.list(folder)]
    return bool(below) and all(is_tree(fs, each) or _holds_only_trees(fs, each) for each in below)
