"""Paths of files inside images (``storageadmitters.ValidatePath``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.model.field_path import FieldPath


def check_path(at: FieldPath, path: str, reported: FieldPath | None = None) -> Causes:
    if path == "/":
        yield invalid(at, "the path is the root, not a file", reported=reported)
    elif not _is_clean(path.removesuffix("/")):
        yield invalid(at, f"{path!r} is not an absolute path without '.', '..' and '//'", reported=reported)


def _is_clean(path: str) -> bool:
    root, *segments = path.split("/")
    return path == "/" or (not root and not any(segment in ("", ".", "..") for segment in segments))
