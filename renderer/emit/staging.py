"""The folder in which a tree is built before it takes the place of the old one, and the lock on it.

``.vmrender/<name of the output>-<digest>/`` stands at the root of the repository, or, where that is read-only
or on another file system than the output, in the highest folder on the way to the output that is neither:
folders are renamed within a file system only. Where no folder is, it stands at the root, and the files are
written one by one. It exists while a run changes the tree, and after a run that was killed. The names of the
folders in it say how far that run came; ``swap.recover`` takes it from there.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath

from renderer.disk import opened_folder
from renderer.emit.durable import write_new_file
from renderer.emit.output_folder import STAGING_FOLDER, OutputFolder
from renderer.emit.proof import PROOF, unproved_tree
from renderer.emit.tree import OBSTACLE, is_folder, look_up_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.model.record import Record

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ATTEMPTS = 1000
#: The file that is locked.
LOCK = "lock"
_HELD = b"held\n"
#: The errors of Windows' ``_locking`` for a file that another process has locked.
_HELD_BY_ANOTHER = frozenset({errno.EDEADLK, errno.EACCES})
#: Other users cannot put anything into it, whatever they may do to the repository.
_MODE = 0o700
_BUILDING, _SWAPPING, _REPLAYING = "building", "swapping", "replaying"


class Locked(Record):
    """A folder for one process alone, and whether who had it before died with it."""

    folder: Path
    was_left: bool


@contextmanager
def locked(top: Path, below: PurePosixPath) -> Iterator[Locked]:
    """Hold the folder ``below`` the folder ``top``, which is made for the purpose; wait for others.

    The lock is a file in it: who holds it writes into it, and who lets it go removes it. The system lets go
    of the lock when a process dies, however it dies. Raises ``OSError``.
    """
    with ExitStack() as held:
        folder, descriptor = _acquire(top, below, held)
        try:
            was_left = os.fstat(descriptor).st_size > 0
            os.write(descriptor, _HELD)
            yield Locked(folder, was_left)
        finally:
            os.ftruncate(descriptor, 0)
            with suppress(OSError):  # Windows does not remove a file that another process has open
                (folder / LOCK).unlink()


def _acquire(top: Path, below: PurePosixPath, held: ExitStack) -> tuple[Path, int]:
    failure = OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(top / below))
    for _ in range(_ATTEMPTS):
        # Who held the lock before may be removing it and its folder at this moment: then once more.
        try:
            with ExitStack() as attempt:
                folder = attempt.enter_context(opened_folder(top, below, make=True, mode=_MODE))
                file = folder / LOCK
                descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
                attempt.callback(os.close, descriptor)
                _wait_for(descriptor)
                if os.path.samestat(os.fstat(descriptor), file.lstat()):
                    held.push(attempt.pop_all())
                    return folder, descriptor
        except FileNotFoundError as error:
            failure = error
    raise failure


def _wait_for(descriptor: int) -> None:
    if sys.platform == "win32":
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                break
            except OSError as error:  # it tries ten times, with a second between, and gives up
                if error.errno not in _HELD_BY_ANOTHER:
                    raise
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


class Staging(Record):
    """The area as long as it is this process's alone; ``was_left`` by a run that was killed."""

    folder: Path
    was_left: bool

    @property
    def building(self) -> Path:
        """A tree that is being built; it may be removed at any time."""
        return self.folder / _BUILDING

    @property
    def swapping(self) -> Path:
        """The complete new tree or, after the exchange, the old one."""
        return self.folder / _SWAPPING

    @property
    def replaying(self) -> Path:
        """The complete new tree, some of its files already in place."""
        return self.folder / _REPLAYING


class StagingArea(Record):
    """The folder ``path`` below the folder ``top``; it need not exist."""

    top: Path
    path: PurePosixPath

    @classmethod
    def of(cls, output: OutputFolder) -> StagingArea:
        """Return the area for ``output``.

        Raises ``DiagnosticError``: output-invalid when a link or file stands where the area would.
        """
        place = _staging_parent(output)
        digest = sha256(output.path.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        path = f"{STAGING_FOLDER}/{output.folder.name}-{digest}"
        for part in (STAGING_FOLDER, path):
            if look_up_folder(place / part) is OBSTACLE:
                raise _in_the_way(place / part, output)
        lock = place / path / LOCK
        with suppress(FileNotFoundError):  # most often; another run may remove it at any moment
            if not stat.S_ISREG(lock.lstat().st_mode):
                raise _in_the_way(lock, output)
        return cls(place, PurePosixPath(path))

    def is_left_over(self) -> bool:
        """Return True if a run is under way, or was killed, even between removing its last two folders."""
        return is_folder(self.top / self.path) or _is_empty(self.top / self.path.parent)

    def check(self) -> None:
        """Raises ``DiagnosticError``: output-invalid, for a tree in it that vmrender did not leave there."""
        with suppress(FileNotFoundError, PermissionError):  # a run is under way, maybe of another user
            self._refuse(unproved_tree(self.top / self.path))

    def _refuse(self, tree: str | None) -> None:
        if tree:
            raise DiagnosticError(_foreign(f"{self.path}/{tree}"))

    @contextmanager
    def entered(self) -> Iterator[Staging]:
        """The area for one process alone; removed at the end, unless something of value is in it.

        Raises ``DiagnosticError``: output-invalid, for a tree in it that vmrender did not leave there.
        """
        try:
            with locked(self.top, self.path) as (folder, was_left):
                self._refuse(unproved_tree(folder))
                staging = Staging(folder, was_left or _holds_work(folder))
                ignore_file = folder / ".gitignore"
                try:
                    with suppress(OSError):  # another user's
                        folder.chmod(_MODE)
                    ignore_file.unlink(missing_ok=True)  # it may be there half-written
                    # A power cut may empty it: then Git sees what is left until the next run clears it up.
                    write_new_file(ignore_file, b"*\n", sync=False)
                    yield staging
                finally:
                    discard(staging.building)
                    if not any(is_folder(tree) for tree in (staging.swapping, staging.replaying)):
                        ignore_file.unlink(missing_ok=True)
                        (folder / PROOF).unlink(missing_ok=True)
        finally:
            # Something may be left in it, or another process enters at this moment.
            with suppress(OSError), opened_folder(self.top, self.path.parent) as above:
                (above / self.path.name).rmdir()
                (self.top / self.path.parent).rmdir()


def has_staging_folder(output: OutputFolder) -> bool:
    """Return True if ``.vmrender`` stands above ``output``, with the staging folder of any output in it.

    That is a quick first check: without one nothing of ``output`` is under way.
    """
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
    return any(is_folder(folder / tree) for tree in (_BUILDING, _SWAPPING, _REPLAYING))


def discard(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as that is possible."""
    if is_folder(folder):
        make_writable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def make_writable(folder: Path) -> None:
    """Let the owner list and remove what is in ``folder`` and in the folders below it."""
    with suppress(OSError):
        folder.chmod(_MODE)
    for place, names, _ in os.walk(folder):
        for name in names:  # they are listed after this
            inside = Path(place, name)
            with suppress(OSError):
                if is_folder(inside):
                    inside.chmod(_MODE)


def _foreign(path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.OUTPUT_INVALID,
        message=f"{path} is no work that vmrender left for this user",
        location=Location(path),
        hint="look through it, then remove it, and from Git too if it was committed",
    )


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


def _staging_parent(output: OutputFolder) -> Path:
    """Return the highest folder above ``output`` that is writable and on its file system.

    That is the root of the repository if none is: where ``output`` itself is a mount point, its files are
    written one by one (``swap.write_file_by_file``), and what is read-only is told by the first write.
    """
    above = [folder for folder in output.folder.parents if folder.is_relative_to(output.root)]
    devices = {}
    for folder in (output.folder, *above):
        with suppress(FileNotFoundError, NotADirectoryError):
            devices[folder] = folder.stat().st_dev
    device = next(iter(devices.values()))  # of what exists already; the rest is made in it
    usable = (
        folder for folder in reversed(above) if devices.get(folder) == device and os.access(folder, os.W_OK)
    )
    return next(usable, output.root)
