"""Paths as the tree of a repository has them: relative to its root, with ``/``."""

from __future__ import annotations

import posixpath


def joined(folder: str, path: str) -> str:
    """The path that ``path`` means in ``folder``, normalised."""
    return posixpath.normpath(posixpath.join(folder, path))


def is_inside(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it."""
    return folder in (".", path) or path.startswith(f"{folder}/")
