"""Find the project of a path from the command line, and the location of the path in it.

Anyone can commit a symbolic link, and a glob or ``git diff --name-only`` may name a path through it. Such a
link must neither decide which folder is the project, nor lead out of that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from renderer.files.disk import folder_exists, is_symbolic_link, path_exists
from renderer.files.file_system import ROOT_HINT, DiskFileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.render_config import PROJECT_FILE, WRONG_PROJECT_FILES

#: The names of a project file, and of one that was meant to be one.
PROJECT_FILES = (PROJECT_FILE, *WRONG_PROJECT_FILES)
_MARKERS = (*PROJECT_FILES, ".git")


def find_project_root(path: Path, top: Path | None = None) -> Path:
    """Return the root, without links, of the project of ``path``.

    It is the nearest folder above with a ``vmrender.yaml``, else with ``.git``, else ``top``, else the
    working directory, or ``path`` itself if that is elsewhere. A link inside a project or checkout is
    followed only while it stays inside; any other link, such as a link to a project, is followed.
    """
    written = _absolute(path)
    real = Path(os.path.realpath(written))
    link = _first_link_in_project(written)
    if link is not None:
        found = _project_above(Path(os.path.realpath(link.parent)))
        if found and not real.is_relative_to(found):
            return found
    found = _project_above(_nearest_folder(real))
    if found:
        return found
    if top:
        return top
    here = Path.cwd()
    return here if real.is_relative_to(here) else _nearest_folder(real)


def path_in_project(root: Path, path: Path) -> str | None:
    """Return the real location of ``path``, relative to ``root``; None if it is outside."""
    real = Path(os.path.realpath(_absolute(path)))
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else None


def path_as_written(root: Path, path: Path | str) -> str | None:
    """Return ``path`` relative to ``root``, wherever links on it lead; None if it is outside."""
    written = _absolute(Path(path))
    return written.relative_to(root).as_posix() if written.is_relative_to(root) else None


def read_named_file(path: Path) -> bytes:
    """Return the content of a file. Raises ``DiagnosticError``: file-outside-root if a link leads out."""
    root = find_project_root(path)
    if path_in_project(root, path) is None:
        raise Diagnostic.in_file(
            str(path), Code.FILE_OUTSIDE_ROOT, f"{path} leads outside the repository", ROOT_HINT
        ).error()
    written = _absolute(path)
    return DiskFileSystem(written.parent).read(written.name)


def folder_in_checkout(root: Path) -> str:
    """Return the path of ``root`` in its Git checkout; ``.`` without a checkout."""
    top = next((folder for folder in _with_parents(root) if path_exists(folder / ".git")), root)
    return root.relative_to(top).as_posix()


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute() leaves .. in it


def _first_link_in_project(written: Path) -> Path | None:
    """Return the outermost link on the path ``written`` that is inside a project or checkout."""
    in_project = False
    for place in reversed((written, *written.parents)):
        if in_project and is_symbolic_link(place):
            return place
        in_project = in_project or any(path_exists(place / marker) for marker in _MARKERS)
    return None


def _project_above(folder: Path) -> Path | None:
    for marker in _MARKERS:
        found = next((place for place in _with_parents(folder) if path_exists(place / marker)), None)
        if found:
            return found
    return None


def _with_parents(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents


def _nearest_folder(path: Path) -> Path:
    return path if folder_exists(path) else path.parent
