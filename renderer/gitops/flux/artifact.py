"""The artifact that source-controller makes of a repository, which is all that a Kustomization can see.

source-controller ``gitrepository_controller.go`` reconcileArtifact, ``fluxcd/pkg``
``artifact/storage/archive.go``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.gitops.flux.source_ignore import IGNORE_FILE, IgnorePattern, SourceIgnore, read_patterns
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.source.file_system import FileSystem


class ArtifactFileSystem:
    """A repository without its ignored files and symbolic links."""

    def __init__(self, below: FileSystem, ignore: str = "") -> None:
        """``ignore`` is ``spec.ignore`` of the GitRepository."""
        self._below = below
        patterns = (*_ignore_files(below), *read_patterns(ignore))
        self._ignore = SourceIgnore(patterns)
        self._ignored: dict[tuple[str, bool], bool] = {}

    def read(self, path: str) -> bytes:
        if not self.is_file(path):
            location = Location(path)
            message, hint = f"no such file: {path}", self._hint(path)
            raise DiagnosticError(
                Diagnostic(code=Code.FILE_NOT_FOUND, message=message, location=location, hint=hint)
            )
        return self._below.read(path)

    def is_file(self, path: str) -> bool:
        path = posixpath.normpath(path)
        return self._below.is_file(path) and self._is_kept(path, is_folder=False)

    def is_folder(self, path: str) -> bool:
        path = posixpath.normpath(path)
        if path == ".":
            return True
        if not self._below.is_folder(path) or self._below.resolve(path) != path:
            return False
        return not self._is_ignored(path, is_folder=True) or bool(self.list(path))

    def list(self, path: str) -> tuple[str, ...]:
        folder = posixpath.normpath(path)
        return tuple(name for name in self._below.list(folder) if self._exists(_joined(folder, name)))

    def resolve(self, path: str) -> str:
        return self._below.resolve(path)

    def _exists(self, path: str) -> bool:
        return self.is_folder(path) if self._below.is_folder(path) else self.is_file(path)

    def _is_kept(self, path: str, *, is_folder: bool) -> bool:
        return not self._is_ignored(path, is_folder=is_folder) and self._below.resolve(path) == path

    def _is_ignored(self, path: str, *, is_folder: bool) -> bool:
        key = path, is_folder
        if key not in self._ignored:
            self._ignored[key] = self._ignore.ignores(path, is_folder=is_folder)
        return self._ignored[key]

    def _hint(self, path: str) -> str | None:
        if not self._below.is_file(path):
            return None
        return (
            f"Flux does not see the file that is there: it is a symbolic link, or {IGNORE_FILE} leaves it out"
        )


def _ignore_files(fs: FileSystem, folder: str = ".") -> Iterator[IgnorePattern]:
    """The patterns of all ignore files in and below ``folder`` (``sourceignore.go`` LoadIgnorePatterns)."""
    names = fs.list(folder)
    if IGNORE_FILE in names:
        path = _joined(folder, IGNORE_FILE)
        if fs.is_file(path):
            yield from read_patterns(fs.read(path).decode(errors="replace"), folder)
    for name in names:
        path = _joined(folder, name)
        if name != ".git" and fs.is_folder(path) and fs.resolve(path) == path:
            yield from _ignore_files(fs, path)


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
