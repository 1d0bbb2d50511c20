"""Read files of one tree: on disk, in memory, or standard input."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Protocol

from renderer.files.disk import ConfinedFolder, NotRegularError, is_valid_on_windows, real_path
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.run.limits import limit_hint, limits
from renderer.model.run.work import note_read, spend

ROOT_HINT = "its root is the nearest folder above that has a vmrender.yaml, or else a .git"
#: Nothing exists there: the name is missing or impossible, or a link leads to itself.
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP})
#: A name that the system does not accept, such as on Windows, does not exist either.
_NO_FILE = _NOT_THERE | {errno.EINVAL, errno.EILSEQ}
#: A device or pipe has no names in it.
_NO_FOLDER = _NO_FILE | {errno.ENXIO, errno.EOPNOTSUPP}
#: Depth of nested folders up to which each folder is resolved once for everything in it.
_DEEP = 30
#: PATH_MAX of Linux. To resolve a longer path, of a template for example, takes time quadratic in its length.
_LONGEST_PATH = 4096
#: Steps of work (``model.run.work``) for each name in a folder that is searched.
_STEPS_PER_NAME = 12
#: Folders in one another that are listed, and those that a message names.
MOST_FOLDERS, _SHOWN_FOLDERS = 100, 4


def check_depth(folder: str) -> None:
    """Check that a folder to list is not nested too deeply: each step into it costs more than the one before.

    Raises: file-unreadable.
    """
    if folder.count("/") >= MOST_FOLDERS:
        top = "/".join(folder.split("/", _SHOWN_FOLDERS)[:_SHOWN_FOLDERS])
        message = f"{top} has more than {MOST_FOLDERS} folders in one another"
        raise Diagnostic.in_file(top, Code.FILE_UNREADABLE, message, "remove them, or nest them less").error()


def join_path(folder: str, path: str) -> str:
    """Return the normalised path of ``path`` relative to ``folder``."""
    return posixpath.normpath(posixpath.join(folder, path))


def normal_path(path: str) -> str:
    """Return a path from the top of the repository as Flux and Argo CD read it: it cannot lead out."""
    return posixpath.normpath(f"/{path}").lstrip("/") or "."


def folder_of(path: str) -> str:
    """Return the folder of a file, which is ``.`` at the top; also of a path from the root of the disk.

    A loop over the folders above a path ends at the top, whatever a repository writes as the path.
    """
    return posixpath.dirname(path).rstrip("/") or "."


def is_inside(path: str, folder: str) -> bool:
    """Return True if ``path`` is ``folder`` or below it."""
    return folder in (".", path) or path.startswith(f"{folder}/")


def files_named(fs: FileSystem, name: str, folder: str = ".") -> Iterator[str]:
    """Yield the files of a name in and below ``folder``, those of a folder before what is below it.

    Links to folders are not followed, and the repository of Git is left out, as are submodules: their files
    are about themselves, and whatever reads one of them reports it.
    """
    try:
        names = fs.list(folder)
    except SubmoduleError:
        return
    spend(_STEPS_PER_NAME * len(names), f"looking for {name}")
    paths = {each: each if folder == "." else f"{folder}/{each}" for each in names}
    if name in names and fs.is_file(paths[name]):
        yield paths[name]
    for each, path in paths.items():
        if each != ".git" and fs.is_folder(path) and fs.resolve(path) == path:
            yield from files_named(fs, name, path)


def present_content(fs: FileSystem, path: str) -> bytes | None:
    """Return the content of a file; None if there is none. Raises ``DiagnosticError`` if it is unreadable."""
    return fs.read(path) if fs.is_file(path) else None


def readable_content(fs: FileSystem, path: str) -> bytes | None:
    """Return the content of a file; None if there is none, or if it cannot be read.

    The error is for whoever needs the file to report.
    """
    try:
        return present_content(fs, path)
    except DiagnosticError:
        return None


def read_limited(file: BinaryIO, path: str) -> bytes:
    """Return the rest of an open file, such as standard input. Raises: yaml-limit."""
    content = file.read(limits().file_size + 1)
    check_size(len(content), path)
    note_read("", len(content))
    return content


def check_size(size: int, path: str) -> None:
    """Check a size in bytes, of the file or of the part that was read. Raises: yaml-limit."""
    most = limits().file_size
    if size > most:
        raise Diagnostic.in_file(
            path, Code.YAML_LIMIT, f"the file is larger than {most} bytes", limit_hint("file_size")
        ).error()


#: The name of standard input among files, as on the command line.
STANDARD_INPUT = "-"


class SubmoduleError(DiagnosticError):
    """The folder is a submodule of Git whose files are not there."""


class FileSystem(Protocol):
    """Read access to one tree. Paths are relative to its root, with ``/``, normalised, without ``..``."""

    def read(self, path: str) -> bytes:
        """Return the content of a file.

        Raises: file-not-found, file-outside-root, file-unreadable, yaml-limit.
        """

    def is_file(self, path: str) -> bool:
        """Return True if it is a regular file. Raises: file-outside-root, file-unreadable."""

    def is_folder(self, path: str) -> bool:
        """Return True if it is a folder. Raises like ``is_file``."""

    def list(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder, sorted; none if there is no folder. Raises like ``is_file``."""

    def resolve(self, path: str) -> str:
        """Return the path of the same place without symbolic links. Raises: file-outside-root."""


class DelegatingFileSystem:
    """A file system in front of ``below``, which answers everything that a subclass does not override."""

    def __init__(self, below: FileSystem) -> None:
        self._below = below

    def read(self, path: str) -> bytes:
        fs, inner = self._answering(path)
        return fs.read(inner)

    def is_file(self, path: str) -> bool:
        fs, inner = self._answering(path)
        return fs.is_file(inner)

    def is_folder(self, path: str) -> bool:
        fs, inner = self._answering(path)
        return fs.is_folder(inner)

    def list(self, path: str) -> tuple[str, ...]:
        fs, inner = self._answering(path)
        return fs.list(inner)

    def resolve(self, path: str) -> str:
        fs, inner = self._answering(path)
        return fs.resolve(inner)

    def _answering(self, path: str) -> tuple[FileSystem, str]:
        """Return the file system that is responsible for ``path``, and its path there."""
        return self._below, path


class DiskFileSystem:
    """A folder on disk. Symbolic links are followed only if they stay inside the root.

    This holds for every read, even if a path is replaced by a link between check and use
    (``renderer.files.disk``).
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._top = self.root.as_posix()
        self._inside = self._top.rstrip("/") + "/"
        self._confined = ConfinedFolder(self._top)
        self._folders = {"": self._top}

    def read(self, path: str) -> bytes:
        file, mode = self._lookup(path)
        try:
            content = self._confined.read(file, limits().file_size, mode)
        except NotRegularError:
            raise Diagnostic.in_file(
                path, Code.FILE_UNREADABLE, f"not a regular file: {path}"
            ).error() from None
        except (OSError, ValueError) as error:  # ValueError: a name that no system has
            if not isinstance(error, OSError) or error.errno in _NOT_THERE:
                raise Diagnostic.in_file(path, Code.FILE_NOT_FOUND, f"no such file: {path}").error() from None
            raise Diagnostic.in_file(
                path, Code.FILE_UNREADABLE, f"cannot read {path}: {error.strerror}"
            ).error() from error
        check_size(len(content), path)
        note_read(file, len(content))
        return content

    def is_file(self, path: str) -> bool:
        return stat.S_ISREG(self._mode(path))

    def is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._mode(path))

    def list(self, path: str) -> tuple[str, ...]:
        try:
            names = tuple(sorted(self._confined.list(self._lookup(path)[0])))
        except OSError as error:
            if error.errno in _NO_FOLDER:
                return ()
            raise Diagnostic.in_file(
                path, Code.FILE_UNREADABLE, f"cannot list {path}: {error.strerror}"
            ).error() from error
        check_depth(path)
        return names

    def resolve(self, path: str) -> str:
        return self._lookup(path)[0][len(self._top) :].strip("/") or "."

    def _mode(self, path: str) -> int:
        """Return the mode of the file, 0 if it is missing. A folder that cannot be searched is an error."""
        try:
            place, mode = self._lookup(path)
            return os.stat(place).st_mode if mode is None else mode  # noqa: PTH116 - texts, for speed
        except (OSError, ValueError) as error:
            if not isinstance(error, OSError) or error.errno in _NO_FILE:
                return 0
            folder = folder_of(path)
            raise Diagnostic.in_file(
                path, Code.FILE_UNREADABLE, f"cannot look into {folder}: {error.strerror}"
            ).error() from error

    def _lookup(self, path: str) -> tuple[str, int | None]:
        """Return the real path, and the mode of the file: 0 if missing, None if it is not yet known.

        Folders are resolved once per object, files every time.
        """
        if "\0" in path:
            raise Diagnostic.in_file(
                path.replace("\0", "\\0"), Code.FILE_NOT_FOUND, "a file name cannot hold a NUL character"
            ).error()
        if len(path) > _LONGEST_PATH:
            return self._inside + path, 0  # every call to the system refuses it
        if os.sep != "/" and not is_valid_on_windows(path):
            hint = "on Windows, write / between folders, and rename files that have a reserved name"
            raise Diagnostic.in_file(
                path, Code.FILE_NOT_FOUND, f"Windows has no such path: {path}", hint
            ).error()
        real, mode = self._resolved(path)
        if real != self._top and not real.startswith(self._inside):
            raise Diagnostic.in_file(
                path, Code.FILE_OUTSIDE_ROOT, f"{path} leads outside the repository", ROOT_HINT
            ).error()
        return real, mode

    def _resolved(self, path: str) -> tuple[str, int | None]:
        folder, _, name = path.rpartition("/")
        if name in ("", ".", "..") or path[0] == "/":
            return _real(posixpath.join(self._top, path)), None
        if folder not in self._folders:
            is_deep = folder.count("/") > _DEEP  # an untrusted path, which would recurse as deep
            real = _real(posixpath.join(self._top, folder)) if is_deep else self._resolved(folder)[0]
            self._folders[folder] = real
        place = f"{self._folders[folder]}/{name}" if folder else self._inside + name
        try:
            mode = os.lstat(place).st_mode  # noqa: PTH116, RUF100 - as above
        except FileNotFoundError:
            return place, 0
        except (OSError, ValueError):  # reported when something other than the path is asked for
            return place, None
        return (_real(place), None) if stat.S_ISLNK(mode) else (place, mode)


def _real(path: str) -> str:
    """Return the path without links; unchanged if more links are chained than the system follows.

    Nothing can be opened by such a path. ``realpath`` would recurse once for each link.
    """
    try:
        os.stat(path)  # noqa: PTH116 - as above
    except OSError as error:
        if error.errno == errno.ELOOP:
            return posixpath.normpath(path)
    # Not Path.resolve(): it raises RuntimeError on a loop of links, and is slower.
    return real_path(path)


class MemoryFileSystem:
    """A tree in memory, for tests and for documents from standard input."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = {posixpath.normpath(path): content for path, content in files.items()}

    def read(self, path: str) -> bytes:
        path = posixpath.normpath(path)
        try:
            note_read(path, len(self.files[path]))
            return self.files[path]
        except KeyError:
            raise Diagnostic.in_file(path, Code.FILE_NOT_FOUND, f"no such file: {path}").error() from None

    def is_file(self, path: str) -> bool:
        return posixpath.normpath(path) in self.files

    def is_folder(self, path: str) -> bool:
        return bool(self.list(path))

    def list(self, path: str) -> tuple[str, ...]:
        return self._names.get(posixpath.normpath(path), ())

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        """The sorted names in each folder. Of many files, each list would otherwise look at all of them."""
        names: dict[str, set[str]] = {}
        for file in self.files:
            path = file
            while path:
                folder, _, name = path.rpartition("/")
                known = names.setdefault(folder or ".", set())
                if name in known:
                    break
                known.add(name)
                path = folder
        return {folder: tuple(sorted(each)) for folder, each in names.items()}

    def resolve(self, path: str) -> str:
        return posixpath.normpath(path)


class FilesAsFirstRead(DelegatingFileSystem):
    """A tree whose files keep the content that they had when they were first read."""

    def __init__(self, below: FileSystem) -> None:
        super().__init__(below)
        self._contents: dict[str, bytes] = {}

    def read(self, path: str) -> bytes:
        if path not in self._contents:
            self._contents[path] = super().read(path)
        return self._contents[path]


class FoldersAsFirstListed(DelegatingFileSystem):
    """A tree whose folders keep the names that they had when they were first listed."""

    def __init__(self, below: FileSystem) -> None:
        super().__init__(below)
        self._names: dict[str, tuple[str, ...]] = {}

    def list(self, path: str) -> tuple[str, ...]:
        if path not in self._names:
            self._names[path] = super().list(path)
        return self._names[path]


class FilesAbove(DelegatingFileSystem):
    """A few files by name, such as standard input, in front of another tree; folders do not list them."""

    def __init__(self, files: Mapping[str, bytes], below: FileSystem) -> None:
        super().__init__(below)
        self._files = files

    def read(self, path: str) -> bytes:
        return self._files[path] if path in self._files else super().read(path)

    def is_file(self, path: str) -> bool:
        return path in self._files or super().is_file(path)

    def is_folder(self, path: str) -> bool:
        return super().is_folder(path) or any(file.startswith(f"{path}/") for file in self._files)

    def resolve(self, path: str) -> str:
        return path if path in self._files else super().resolve(path)


class EditedFiles(FilesAbove):
    """A tree in which a few files have other content, or exist in addition; folders list them."""

    def list(self, path: str) -> tuple[str, ...]:
        start = "" if path == "." else f"{path}/"
        edited = {file[len(start) :].partition("/")[0] for file in self._files if file.startswith(start)}
        names = super().list(path) if super().is_folder(path) else ()
        return names if edited.issubset(names) else tuple(sorted(edited.union(names)))
