"""Change files that people edit, too: all of them, or none if the disk fails or a signal arrives.

Before the first file changes, the new content of every file is on the disk next to it, and so is a hard link
to the old file. From then on, files are only renamed, which needs no space. Undoing needs none either.
The names next to a file are new in each run: no file of the user has them.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from renderer.emit.durable import link_or_copy, write_new_file
from renderer.emit.output_folder import is_kept, is_link
from renderer.files.disk import ConfinedFolder, opened_folder, real_path
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.digest import sha256

if sys.platform != "win32":
    import fcntl

_NEW, _OLD = ".vmrender-new", ".vmrender-old"
#: The characters of a file's own name in the names next to it, which no file system finds too long.
_NAME = 40
#: The signals that end a process and can be deferred; Windows has the first two.
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def change_files(
    root: Path, writes: Mapping[str, bytes], removals: Iterable[str], before: Mapping[str, bytes | None]
) -> None:
    """Write the files, each atomically, then remove others and the folders left empty, in order.

    ``before`` has the content that the changes are based on, as it was read; None for a file that did not
    exist. Concurrent processes take turns. If a file has other content after the wait, the change is refused:
    it would undo the change of the other process. A signal that ends the process takes effect when all files
    are unchanged, or all are changed.

    Paths are relative to ``root``. Raises ``DiagnosticError``: write-failed if a file cannot be changed or is
    not as it was read (all others are then unchanged), and output-invalid for a path through a symbolic link
    or to a special file.
    """
    removals = tuple(dict.fromkeys(removals))
    check_writable(root, (*writes, *removals))
    with _locked(root), _deferred_signals() as check_signals:
        _check_unchanged(root, before)
        folders = {folder for path in writes for folder in PurePosixPath(path).parents}
        missing = [folder for folder in folders if not os.path.lexists(root / folder)]
        missing.sort(key=lambda folder: len(folder.parts), reverse=True)  # inner ones first
        changed: set[str] = set()
        run = os.urandom(8).hex()
        try:
            for path in (*writes, *removals):
                check_signals()
                _prepare(root, path, run, writes.get(path))
            check_signals()
            for path in (*writes, *removals):
                changed.add(path)
                _change(root, path, run, is_written=path in writes)
        except BaseException as error:
            for path in (*writes, *removals):
                _undo(root, path, run, is_changed=path in changed)
            _remove_empty(root, missing)
            if isinstance(error, OSError):
                raise write_failed(error) from error
            raise
        for path in (*writes, *removals):
            place = PurePosixPath(path)
            with suppress(OSError), opened_folder(root, place.parent) as folder:
                _, _, old = _file_new_old(folder, place, run)
                old.unlink(missing_ok=True)
        _remove_empty(root, {PurePosixPath(path).parent for path in removals})


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Wait until no other process changes files below ``root``, if the system supports locks."""
    with ExitStack() as lock:
        if sys.platform != "win32":
            with suppress(OSError):  # as on some network file systems
                descriptor = os.open(root, os.O_RDONLY)
                lock.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _deferred_signals() -> Iterator[Callable[[], None]]:
    """Defer the signals that end a process, and yield a check that raises ``KeyboardInterrupt``.

    A signal takes effect at the end. Only the main thread receives signals; ignored signals stay ignored. The
    timer of the CPU limit has no effect: what is written or put back now is not what takes long.
    """
    import signal  # noqa: PLC0415 - for commands that edit files, when they do

    received: list[int] = []

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    before = {}
    try:
        with suppress(ValueError):  # in another thread
            for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    before[number] = signal.signal(number, lambda number, _: received.append(number))
            if hasattr(signal, "SIGPROF") and callable(signal.getsignal(signal.SIGPROF)):
                before[signal.SIGPROF] = signal.signal(signal.SIGPROF, signal.SIG_IGN)
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def check_writable(root: Path, paths: Iterable[str]) -> None:
    """Raise ``DiagnosticError``: output-invalid for a path through a symbolic link, wherever it leads.

    The same applies to a path through a named pipe, a socket or a device, and to one in Git's folder, which a
    link among the sources may have led to.
    """
    for path in paths:
        kept = next(filter(is_kept, PurePosixPath(path).parts), None)
        if kept:
            raise Diagnostic.in_file(path, Code.OUTPUT_INVALID, f"{kept} is not a place for sources").error()
        for part in (Path(path), *Path(path).parents):
            place = root / part
            if not os.path.lexists(place):
                continue
            status = place.lstat()
            if is_link(status):
                raise _not_written(path, f"{part.as_posix()} is a symbolic link")
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise _not_written(path, f"{part.as_posix()} is not a regular file")


def _check_unchanged(root: Path, before: Mapping[str, bytes | None]) -> None:
    """Raise ``DiagnosticError``: write-failed for a file that is not as it was read."""
    folder = ConfinedFolder(real_path(str(root)))
    for path, content in before.items():
        try:
            present = folder.read(f"{folder.top}/{path}", len(content or b""))
        except (FileNotFoundError, NotADirectoryError):
            present = None
        except OSError as error:
            raise write_failed(error) from error
        if present != content:
            raise Diagnostic.in_file(
                path,
                Code.WRITE_FAILED,
                f"{path} was changed by someone else while this command was at work",
                "nothing was written: run the command again",
            ).error()


def _prepare(root: Path, path: str, run: str, content: bytes | None) -> None:
    """Put the new content next to the file, with its mode, and a hard link to the old file."""
    place = PurePosixPath(path)
    is_written = content is not None
    with (
        suppress(*() if is_written else (FileNotFoundError,)),
        opened_folder(root, place.parent, make=is_written) as folder,
    ):
        file, new, old = _file_new_old(folder, place, run)
        exists = file.exists()
        if content is not None:
            write_new_file(new, content)
        if content is not None and exists:
            new.chmod(file.stat().st_mode & 0o7777)
        if exists:
            link_or_copy(file, old)


def _change(root: Path, path: str, run: str, *, is_written: bool) -> None:
    place = PurePosixPath(path)
    with suppress(*() if is_written else (FileNotFoundError,)), opened_folder(root, place.parent) as folder:
        file, new, _ = _file_new_old(folder, place, run)
        if is_written:
            os.replace(new, file)  # noqa: PTH105 - the call that is atomic on Windows as well
        else:
            file.unlink()


def _undo(root: Path, path: str, run: str, *, is_changed: bool) -> None:
    """Restore the old content of the file, if it had any; if that fails, the hard link stays."""
    place = PurePosixPath(path)
    with suppress(OSError), opened_folder(root, place.parent) as folder:  # the first failure is reported
        file, new, old = _file_new_old(folder, place, run)
        new.unlink(missing_ok=True)
        if is_changed and old.exists():
            os.replace(old, file)  # noqa: PTH105 - as above
        elif is_changed:
            file.unlink(missing_ok=True)
        old.unlink(missing_ok=True)  # renaming one hard link to another of the same file does nothing


def _file_new_old(folder: Path, place: PurePosixPath, run: str) -> tuple[Path, Path, Path]:
    """Return the file, and the paths next to it of its new and its old content, which only ``run`` uses."""
    beside = f".{place.name[:_NAME]}.{sha256(f'{run} {place}')[:16]}"
    return folder / place.name, folder / f"{beside}{_NEW}", folder / f"{beside}{_OLD}"


def _remove_empty(root: Path, folders: Iterable[PurePosixPath]) -> None:
    for folder in folders:
        with suppress(OSError), opened_folder(root, folder.parent) as above:  # most are not empty
            (above / folder.name).rmdir()


def _not_written(path: str, problem: str) -> DiagnosticError:
    return Diagnostic.in_file(
        path,
        Code.OUTPUT_INVALID,
        f"{problem}, through which nothing is written",
        "put a file or folder in its place",
    ).error()


def write_failed(error: OSError) -> DiagnosticError:
    """Return the error about a file or folder that cannot be written."""
    message = f"cannot write {error.filename or 'the files'}: {error.strerror or error}"
    return Diagnostic(
        Code.WRITE_FAILED,
        message,
        hint="nothing was changed: free space, give access or clear the way, then try again",
    ).error()
