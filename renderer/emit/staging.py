"""The folder in which trees are built before they replace the old ones, and its lock.

``.vmrender/`` is at the root of the repository. If that is read-only or on another file system than the
output, it is in the highest folder above the output that is neither: folders can be renamed only within a
file system. If there is no such folder, it is at the root, and the files are written one by one. It exists
while a run changes trees, and after a run that was killed:

- ``lock`` is held by the run whose turn it is (``Turn``);
- ``building/<tree>`` is a tree that is being built. A first tree is renamed from there to its place;
- ``<tree>/`` is there while an old tree is replaced. The names of the folders in it say how far that came;
  ``swap.recover`` takes it from there.

``<tree>`` is the last name of the output and a digest of its path.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Self

from renderer.emit.durable import Unsynced, write_new_file
from renderer.emit.output_folder import STAGING_FOLDER, OutputFolder
from renderer.emit.proof import PROOF, unproved_tree
from renderer.emit.tree import OBSTACLE, is_folder, look_up_folder
from renderer.files.disk import named_as, opened_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256
from renderer.model.record import Record

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ATTEMPTS = 1000
#: The file that is locked, and the one that hides all of it from Git.
LOCK, _IGNORE = "lock", ".gitignore"
#: The errors of Windows' ``_locking`` for a file that another process has locked.
_HELD_BY_ANOTHER = frozenset({errno.EDEADLK, errno.EACCES})
#: Other users cannot write into it, whatever their rights in the repository.
_MODE = 0o700
_BUILDING, _SWAPPING, _REPLAYING = "building", "swapping", "replaying"


@contextmanager
def locked(top: Path) -> Iterator[Path]:
    """Create and lock the folder ``.vmrender`` below ``top``; wait for other processes.

    The lock is a file in it, which is removed on release. The system releases the lock when a process
    dies, however it dies. Raises ``OSError``.
    """
    with ExitStack() as lock:
        folder = _acquire(top, lock)
        try:
            with suppress(FileNotFoundError):  # it may be there half-written
                os.unlink(folder / _IGNORE)  # noqa: PTH108 - as the others here
            # A power cut may empty it: then Git sees the leftovers until the next run removes them.
            write_new_file(folder / _IGNORE, b"*\n", sync=False)
            yield folder
        finally:
            with suppress(OSError):
                if _trees_in(folder) == set():
                    (folder / _IGNORE).unlink()
            with suppress(OSError):  # Windows does not remove a file that another process has open
                (folder / LOCK).unlink()
    with suppress(OSError):  # it is not empty, or another process has just entered
        (top / STAGING_FOLDER).rmdir()


def _acquire(top: Path, lock: ExitStack) -> Path:
    """Return the folder ``.vmrender`` once it is locked; ``lock`` releases it."""
    below = PurePosixPath(STAGING_FOLDER)
    failure = OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(top / below))
    for _ in range(_ATTEMPTS):
        # The previous holder may be removing the lock and its folder right now: then try again.
        try:
            with ExitStack() as attempt:
                folder = attempt.enter_context(opened_folder(top, below, make=True))
                file = folder / LOCK
                descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o666)
                attempt.callback(os.close, descriptor)
                _lock(descriptor)
                if os.path.samestat(os.fstat(descriptor), file.lstat()):
                    lock.push(attempt.pop_all())
                    return folder
        except FileNotFoundError as error:
            failure = error
    raise failure


def _trees_in(folder: Path) -> set[str]:
    """Return the entries of ``.vmrender`` except the lock. Raises ``OSError``."""
    return {*os.listdir(folder)} - {LOCK, _IGNORE}  # noqa: PTH208 - names are what counts


def _lock(descriptor: int) -> None:
    """Lock the file; wait while another process has it locked."""
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


class OtherTurnError(Exception):
    """The tree needs the lock of another folder: its turn is after this one."""


class Turn:
    """The time in which only this process changes trees.

    It begins with the first tree that has to change, and ends with the context. One folder is locked at a
    time: two processes that each hold a lock never wait for each other. ``unsynced`` has the files written
    during the turn, which may not be on the disk yet.
    """

    def __init__(self) -> None:
        self.unsynced = Unsynced()
        self._held = ExitStack()
        self._top: Path | None = None
        self._folder = self._building = Path()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.unsynced.close()
        if self._top:
            with suppress(OSError):  # a tree is left in it
                (self._folder / _BUILDING).rmdir()
        self._held.close()

    def at(self, top: Path) -> tuple[Path, Path]:
        """Return the folders ``.vmrender`` and ``building`` below ``top``, locked.

        Raises ``OtherTurnError`` if another folder is locked, and ``OSError``.
        """
        if self._top is None:
            with ExitStack() as entered:
                self._folder = entered.enter_context(locked(top))
                building = opened_folder(self._folder, PurePosixPath(_BUILDING), make=True, mode=_MODE)
                self._building = entered.enter_context(building)
                with suppress(OSError):  # another user's
                    self._building.chmod(_MODE)
                self._held, self._top = entered.pop_all(), top
        if self._top != top:
            raise OtherTurnError
        return self._folder, self._building


class Staging:
    """The area of one tree while only this process uses it; ``was_left`` by a run that was killed.

    ``unsynced`` belongs to the turn.
    """

    def __init__(self, turn: Turn, area: StagingArea, stack: ExitStack) -> None:
        above, building = turn.at(area.top)
        name = area.path.name
        self.unsynced = turn.unsynced
        self._above, self._name, self._stack = above, name, stack
        #: A tree that is being built; it may be removed at any time.
        self.building = building / name
        self.was_left = is_folder(self.building)
        if is_folder(above / name):
            self.was_left |= any(self.folder.iterdir())

    @cached_property
    def folder(self) -> Path:
        """The folder of this tree alone, created on first use. Raises ``OSError``."""
        folder = opened_folder(self._above, PurePosixPath(self._name), make=True, mode=_MODE)
        opened = self._stack.enter_context(folder)
        with suppress(OSError):  # another user's
            opened.chmod(_MODE)
        return opened

    @property
    def is_made(self) -> bool:
        """True if ``folder`` is there."""
        return "folder" in self.__dict__

    @property
    def dropping(self) -> Path:
        """A superseded tree; it may be removed at any time."""
        return self.folder / _BUILDING

    @property
    def swapping(self) -> Path:
        """The complete new tree or, after the exchange, the old one."""
        return self.folder / _SWAPPING

    @property
    def replaying(self) -> Path:
        """The complete new tree, some of its files already in place."""
        return self.folder / _REPLAYING

    def leave(self) -> None:
        """Remove superseded trees, and ``folder`` unless a tree in it is still needed."""
        discard(self.building)
        if not self.is_made:
            return
        discard(self.dropping)
        if not any(is_folder(tree) for tree in (self.swapping, self.replaying)):
            for name in (PROOF, _IGNORE, LOCK):  # the last two by earlier releases
                (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # something is left in it
            (self._above / self._name).rmdir()


class StagingArea(Record):
    """The folder ``path`` below the folder ``top``; it need not exist."""

    top: Path
    path: PurePosixPath

    @classmethod
    def of(cls, output: OutputFolder) -> StagingArea:
        """Return the area for ``output``.

        Raises ``DiagnosticError``: output-invalid if a link or file is in the place of the area.
        """
        top = _staging_parent(output)
        digest = sha256(output.path)[:8]
        area = cls(top, PurePosixPath(STAGING_FOLDER, f"{output.folder.name}-{digest}"))
        found = look_up_folder(top / STAGING_FOLDER)
        if found is OBSTACLE:
            raise _in_the_way(top / STAGING_FOLDER, output)
        if found:
            area._check_places(output)
        return area

    def _check_places(self, output: OutputFolder) -> None:
        folder = f"{self.top}/{STAGING_FOLDER}"
        for place in (f"{self.top}/{self.path}", f"{folder}/{_BUILDING}"):
            if look_up_folder(place) is OBSTACLE:
                raise _in_the_way(Path(place), output)
        lock = f"{folder}/{LOCK}"
        with suppress(FileNotFoundError):  # another run may remove it at any moment
            if not stat.S_ISREG(os.lstat(lock).st_mode):  # noqa: PTH116, RUF100 - texts, for speed
                raise _in_the_way(Path(lock), output)

    def is_left_over(self) -> bool:
        """Return True if a run is under way, or was killed, even between removing its last two folders."""
        folder = self.top / STAGING_FOLDER
        if not is_folder(folder):
            return False
        try:
            trees = _trees_in(folder)
            if _BUILDING in trees:
                trees |= {*os.listdir(folder / _BUILDING)}  # noqa: PTH208 - as above
        except OSError:  # it was just removed, or belongs to another user
            return False
        return self.path.name in trees or trees <= {_BUILDING}

    def check(self) -> None:
        """Raise ``DiagnosticError`` (output-invalid) for a tree in it that vmrender did not leave there."""
        with suppress(FileNotFoundError, PermissionError):  # a run is under way, maybe of another user
            self._refuse(unproved_tree(self.top / self.path))

    def _refuse(self, tree: str | None) -> None:
        if tree:
            path = f"{self.path}/{tree}"
            raise Diagnostic.in_file(
                path,
                Code.OUTPUT_INVALID,
                f"{path} is not work that vmrender left for this user",
                "look through it, then remove it, and from Git too if it was committed",
            ).error()

    @contextmanager
    def entered(self, turn: Turn) -> Iterator[Staging]:
        """Yield the area for this process alone; remove it at the end, unless a tree in it is still needed.

        Raises ``DiagnosticError``: output-invalid, for a tree in it that vmrender did not leave there;
        ``OtherTurnError``.
        """
        folder, (above, building) = self.top / STAGING_FOLDER, turn.at(self.top)
        with named_as(folder, above), named_as(folder / _BUILDING, building), ExitStack() as stack:
            staging = Staging(turn, self, stack)
            if staging.is_made:
                self._refuse(unproved_tree(staging.folder))
            try:
                yield staging
            finally:
                staging.leave()


def has_staging_folder(output: OutputFolder) -> bool:
    """Return True if ``.vmrender`` exists above ``output``, with the staging folder of any output.

    This is a quick first check: without one, no change of ``output`` is in progress.
    """
    folders = [str(output.root)]
    for name in output.path.split("/")[:-1]:
        folders.append(f"{folders[-1]}/{name}")
    return any(os.path.lexists(f"{folder}/{STAGING_FOLDER}") for folder in folders)


def discard(folder: Path) -> None:
    """Remove a folder with its content, as far as possible."""
    if is_folder(folder):
        make_writable(folder)
        from shutil import rmtree  # noqa: PLC0415 - brings libraries for archives, for old trees

        rmtree(folder, ignore_errors=True)


def make_writable(folder: Path) -> None:
    """Let the owner list and remove the content of ``folder`` and of the folders below it."""
    with suppress(OSError):
        folder.chmod(_MODE)
    for place, names, _ in os.walk(folder):
        for name in names:  # they are listed after this
            inside = Path(place, name)
            with suppress(OSError):
                if is_folder(inside):
                    inside.chmod(_MODE)


def _in_the_way(place: Path, output: OutputFolder) -> DiagnosticError:
    path = place.relative_to(output.root).as_posix()
    return Diagnostic.in_file(
        path,
        Code.OUTPUT_INVALID,
        f"{path} is in the way of the folder in which vmrender works",
        "vmrender did not make it; remove it, and from Git too if it was committed",
    ).error()


def _staging_parent(output: OutputFolder) -> Path:
    """Return the highest folder above ``output`` that is writable and on its file system.

    If there is none, return the root of the repository: if ``output`` itself is a mount point, its files are
    written one by one (``swap.write_file_by_file``), and a read-only folder is reported by the first write.
    """
    *above, folder = accumulate((str(output.root), *output.path.split("/")), "{}/{}".format)
    devices: dict[str, int] = {}
    with suppress(FileNotFoundError, NotADirectoryError):  # the rest is made in what exists already
        for place in (*above, folder):
            devices[place] = os.stat(place).st_dev  # noqa: PTH116 - texts, for speed
    device = [*devices.values()][-1]
    usable = (place for place in above if devices.get(place) == device and os.access(place, os.W_OK))
    return Path(next(usable, output.root))
