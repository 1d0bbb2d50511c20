"""Nothing is lost: a file that someone else wrote while vmrender was at work stays in the rendered tree."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from renderer.emit.tree import is_folder

#: Not loaded by Argo CD or Flux.
_SUFFIX = ".edited"


def rescue(file: Path, folder: Path, path: str) -> str | None:
    """Moves ``file`` to ``path`` in ``folder``, or to a name after it where that is taken; returns the name.

    None, and nothing is moved, when the way there leads through something that is no folder, or the system
    refuses.
    """
    names = (path, f"{path}{_SUFFIX}", *(f"{path}{_SUFFIX}-{number}" for number in range(2, 100)))
    try:
        make_folders(folder, PurePosixPath(path).parent)
        name = next((name for name in names if not _is_taken(folder / name)), None)
        if name:
            file.rename(folder / name)
    except OSError:
        return None
    return name


def make_folders(folder: Path, parent: PurePosixPath) -> None:
    """Makes ``folder`` and ``parent`` below it, through no link. Raises ``OSError``."""
    for part in (*reversed(parent.parents), parent):
        if not is_folder(folder / part):
            (folder / part).mkdir(parents=part == PurePosixPath())


def _is_taken(path: Path) -> bool:
    return path.exists() or path.is_symlink()
