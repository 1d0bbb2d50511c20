"""Where a tree is built before it takes the place of the old one.

``.vmrender/<name of the output>-<digest>/`` stands at the root of the repository, or, where that is read-only
or on another file system than the output, in the highest folder on the way to the output that is neither:
folders are renamed within a file system only. It exists while a run changes the tree, and after a run that
was killed. The names of the folders in it say how far that run came; ``recovery`` takes it from there.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from renderer.disk.pinned import pinned
from renderer.emit.durable import write_new_file
from renderer.emit.lock import LOCK, locked
from renderer.emit.output_folder import STAGING_FOLDER, OutputFolder
from renderer.emit.tree import is_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location

#: Other users cannot put anything into it, whatever they may do to the repository.
_MODE = 0o700


@dataclass(frozen=True, slots=True)
class Staging:
    """The area as long as it is this process's alone; ``was_left`` by a run that was killed."""

    folder: Path
    was_left: bool

    @property
    def building(self) -> Path:
        """A tree that is being built: of no value to anyone."""
        return self.folder / "building"

    @property
    def swapping(self) -> Path:
        """The complete new tree or, after the exchange, the old one."""
        return self.folder / "swapping"

    @property
    def replaying(self) -> Path:
        """The complete new tree, some of its files already in place."""
        return self.folder / "replaying"


@dataclass(frozen=True, slots=True)
class StagingArea:
    """The folder ``path`` below the folder ``top``; it need not exist."""

    top: Path
    path: PurePosixPath

    @classmethod
    def of(cls, output: OutputFolder) -> StagingArea:
        """Raises ``DiagnosticError``: output-invalid when a link or file stands where the area would."""
        place = _highest_usable(output)
        digest = sha256(output.path.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        path = f"{STAGING_FOLDER}/{output.folder.name}-{digest}"
        for part in (STAGING_FOLDER, path):
            if os.path.lexists(place / part) and not is_folder(place / part):
                raise _in_the_way(place / part, output)
        lock = place / path / LOCK
        if os.path.lexists(lock) and not stat.S_ISREG(lock.lstat().st_mode):
            raise _in_the_way(lock, output)
        return cls(place, PurePosixPath(path))

    def is_left_over(self) -> bool:
        """Whether a run is under way, or was killed, be it between the last two folders that it removes."""
        return is_folder(self.top / self.path) or _is_empty(self.top / self.path.parent)

    @contextmanager
    def entered(self) -> Iterator[Staging]:
        """The area for one process alone; removed at the end, unless something of value is in it."""
        try:
            with locked(self.top, self.path) as (folder, was_left):
                staging = Staging(folder, was_left or _holds_work(folder))
                ignore_file = folder / ".gitignore"
                try:
                    with suppress(OSError):  # another user's
                        folder.chmod(_MODE)
                    ignore_file.unlink(missing_ok=True)  # it may be there half-written
                    write_new_file(ignore_file, b"*\n")
                    yield staging
                finally:
                    discard(staging.building)
                    if not any(is_folder(tree) for tree in (staging.swapping, staging.replaying)):
                        ignore_file.unlink(missing_ok=True)
        finally:
            # Something may be left in it, or another process enters at this moment.
            with suppress(OSError), pinned(self.top, self.path.parent) as above:
                (above / self.path.name).rmdir()
                (self.top / self.path.parent).rmdir()


def has_staging_folder(output: OutputFolder) -> bool:
    """Whether any work is under way, or was left, where that on ``output`` would be: quicker to tell."""
    folders = [str(output.root)]
    for name in output.path.split("/")[:-1]:
        folders.append(f"{folders[-1]}/{name}")
    return any(os.path.lexists(f"{folder}/{STAGING_FOLDER}") for folder in folders)


def _is_empty(folder: Path) -> bool:
    try:
        return is_folder(folder) and not any(folder.iterdir())
    except OSError:  # it was removed at this moment, or is another user's
        return False


def _holds_work(folder: Path) -> bool:
    staging = Staging(folder, was_left=False)
    return any(is_folder(tree) for tree in (staging.building, staging.swapping, staging.replaying))


def discard(folder: Path) -> None:
    """Removes a folder with all that is in it, as far as that is possible."""
    if is_folder(folder):
        make_writable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def make_writable(folder: Path) -> None:
    """Lets the owner remove what is in ``folder`` and in the folders below it."""
    for place, _, _ in os.walk(folder):
        with suppress(OSError):
            Path(place).chmod(0o700)


def _in_the_way(place: Path, output: OutputFolder) -> DiagnosticError:
    path = place.relative_to(output.root).as_posix()
    return DiagnosticError(
        Diagnostic(
            code=Code.OUTPUT_INVALID,
            message=f"{path} is in the way of the folder in which vmrender works",
            location=Location(path),
            hint="vmrender did not make it; remove it, and from Git too if it was committed",
        )
    )


def _highest_usable(output: OutputFolder) -> Path:
    above = [folder for folder in output.folder.parents if folder.is_relative_to(output.root)]
    existing = [folder for folder in (output.folder, *above) if folder.exists()]
    device = existing[0].stat().st_dev
    usable = (
        folder
        for folder in reversed(above)
        if folder in existing and folder.stat().st_dev == device and os.access(folder, os.W_OK)
    )
    return next(usable, output.root)
