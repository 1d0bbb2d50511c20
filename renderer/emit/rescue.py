"""Nothing is lost: a file that someone else wrote while vmrender was at work stays in the rendered tree."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path, PurePosixPath

from renderer.disk.pinned import pinned

#: Not loaded by Argo CD or Flux.
_SUFFIX = ".edited"
_NUMBERS = tuple(f"-{number}" for number in range(2, 100))


def rescue(file: Path, folder: Path, path: str) -> str | None:
    """Moves ``file`` to ``path`` in ``folder``, or to a name after it where that is taken; returns the name.

    None, and nothing is moved, when the way there leads through something that is no folder, or the system
    refuses.
    """
    place = PurePosixPath(path)
    names = (place.name, *(f"{place.name}{_SUFFIX}{number}" for number in ("", *_NUMBERS)))
    try:
        with suppress(FileExistsError):
            folder.mkdir()
        with pinned(folder, place.parent, make=True) as inside:
            name = next((name for name in names if not _is_taken(inside / name)), None)
            if name:
                file.rename(inside / name)
    except OSError:
        return None
    return str(place.with_name(name)) if name else None


def _is_taken(path: Path) -> bool:
    return path.exists() or path.is_symlink()
