"""The artifact that source-controller makes of a repository: all that a Kustomization can read.

source-controller ``gitrepository_controller.go`` reconcileArtifact, ``fluxcd/pkg``
``artifact/storage/archive.go``; ``sourceignore`` and ``gitignore`` for the files that it leaves out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from renderer.files.file_system import DelegatingFileSystem, FileSystem, files_named, folder_of
from renderer.golang.glob import file_path_match
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.engines import SOURCE_IGNORE
from renderer.model.run.work import spend

_HIDDEN_HINT = (
    f"Flux does not see the file that is there: it is a symbolic link, or {SOURCE_IGNORE} leaves it out"
)

_VERSION_CONTROL = (".git/", ".gitignore", ".gitmodules", ".gitattributes")
_SPECIAL = re.compile(r"[*?\[\\]")
#: Steps for a part of a pattern with more than a name or a suffix, which may be compiled anew; the characters
#: of a pattern that are compared in one step.
_STEPS_PER_GLOB, _CHARACTERS_PER_STEP = 40, 16
_ACTIVITY = f"matching patterns of {SOURCE_IGNORE}"
#: Apply only if the repository has no pattern of its own.
DEFAULT_PATTERNS = (
    *("*.jpg", "*.jpeg", "*.gif", "*.png", "*.wmv", "*.flv", "*.tar.gz", "*.zip"),
    *(".github/", ".circleci/", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".drone.yml"),
    *("cloudbuild.yaml", "codeship-services.yml", "codeship-steps.yml"),
    *("**/.goreleaser.yml", "**/.sops.yaml", "**/.flux.yaml"),
)


class IgnorePattern(NamedTuple):
    """One line of an ignore file (``gitignore/pattern.go``).

    ``folder`` is the path of its folder, in parts.
    """

    folder: tuple[str, ...]
    parts: tuple[str, ...]
    includes: bool
    folders_only: bool
    steps: int

    @classmethod
    def parse(cls, line: str, folder: tuple[str, ...] = ()) -> IgnorePattern:
        includes = line.startswith("!")
        text = line[includes:]
        if not text.endswith("\\ "):
            text = text.rstrip(" ")
        folders_only = text.endswith("/")
        parts = tuple(text.removesuffix("/").split("/"))
        globs = sum(_SPECIAL.search(part.removeprefix("*")) is not None for part in parts if part != "**")
        steps = 1 + len(text) // _CHARACTERS_PER_STEP + _STEPS_PER_GLOB * globs
        return cls(folder, parts, includes, folders_only, steps)

    def matches(self, path: Sequence[str], *, is_folder: bool) -> bool:
        """Return True if the pattern matches the path (given in parts) or one of its parent folders."""
        above = len(self.folder)
        if len(path) <= above or tuple(path[:above]) != self.folder:
            return False
        below = path[above:]
        if len(self.parts) > 1:
            return self._matches_parts(below, is_folder=is_folder)
        for index, name in enumerate(below):
            if _matches(self.parts[0], name):
                return is_folder or not self.folders_only or index < len(below) - 1
        return False

    def _matches_parts(self, path: Sequence[str], *, is_folder: bool) -> bool:
        """Match as upstream's ``globMatch``: ``**`` skips to the first name that matches the next part."""
        left, matched, any_depth = list(path), False, False
        for index, part in enumerate(self.parts):
            if part == "":
                any_depth = False
            elif part == "**":
                if index == len(self.parts) - 1:
                    break
                any_depth = True
            elif "**" in part or not left:
                return False
            elif any_depth:
                any_depth = matched = False
                while left and not matched:
                    matched = _matches(part, left.pop(0))
            elif not _matches(part, left.pop(0)):
                return False
            else:
                matched = True
        return matched and (is_folder or bool(left) or not self.folders_only)


class SourceIgnore:
    """All patterns of a source; later patterns take precedence."""

    def __init__(self, patterns: Iterable[IgnorePattern] = ()) -> None:
        own = tuple(patterns)
        above = _VERSION_CONTROL if own else (*_VERSION_CONTROL, *DEFAULT_PATTERNS)
        self._patterns = (*map(IgnorePattern.parse, above), *own)

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Return True if the file or folder at ``path`` is left out of the artifact."""
        parts = path.split("/")
        steps, ignored = 0, False
        for pattern in reversed(self._patterns):
            steps += pattern.steps
            if pattern.matches(parts, is_folder=is_folder):
                ignored = not pattern.includes
                break
        spend(steps * (1 + len(parts)) // 2, _ACTIVITY)
        return ignored


def read_patterns(text: str, folder: str = ".") -> Iterator[IgnorePattern]:
    """Yield the patterns of an ignore file in ``folder``, or of ``GitRepository.spec.ignore``."""
    parts = () if folder == "." else tuple(folder.split("/"))
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield IgnorePattern.parse(line, parts)


def _matches(part: str, name: str) -> bool:
    """Match a path as ``file_path_match`` does; most patterns are a name, or a star and a suffix."""
    rest = part.removeprefix("*")
    if not _SPECIAL.search(rest):
        return name.endswith(rest) if rest != part else name == part
    return file_path_match(part, name)


class ArtifactFileSystem(DelegatingFileSystem):
    """A repository without its ignored files and symbolic links."""

    def __init__(
        self, below: FileSystem, ignore: str = "", ignore_files: Iterable[str] | None = None
    ) -> None:
        """``ignore`` is ``spec.ignore`` of the GitRepository; ``ignore_files`` are the known ignore files."""
        super().__init__(below)
        files = files_named(below, SOURCE_IGNORE) if ignore_files is None else ignore_files
        self._ignore = SourceIgnore((*_patterns_in(below, files), *read_patterns(ignore)))
        self._ignored: dict[tuple[str, bool], bool] = {}

    def leaves_out(self, path: str) -> bool:
        """Return True if a file at ``path``, which need not exist, would be ignored."""
        return self._ignore.ignores(path)

    def read(self, path: str) -> bytes:
        if not self.is_file(path):
            hint = _HIDDEN_HINT if self._below.is_file(path) else None
            raise Diagnostic.in_file(path, Code.FILE_NOT_FOUND, f"no such file: {path}", hint).error()
        return self._below.read(path)

    def is_file(self, path: str) -> bool:
        path = posixpath.normpath(path)
        is_included = self._below.is_file(path) and not self._is_ignored(path, is_folder=False)
        return is_included and self._below.resolve(path) == path

    def is_folder(self, path: str) -> bool:
        path = posixpath.normpath(path)
        if path == ".":
            return True
        if not self._below.is_folder(path) or self._below.resolve(path) != path:
            return False
        return not self._is_ignored(path, is_folder=True) or bool(self.list(path))

    def list(self, path: str) -> tuple[str, ...]:
        folder = posixpath.normpath(path)
        paths = {name: _joined(folder, name) for name in self._below.list(folder)}
        return tuple(
            name
            for name, inner in paths.items()
            if (self.is_folder(inner) if self._below.is_folder(inner) else self.is_file(inner))
        )

    def _is_ignored(self, path: str, *, is_folder: bool) -> bool:
        key = path, is_folder
        if key not in self._ignored:
            self._ignored[key] = self._ignore.ignores(path, is_folder=is_folder)
        return self._ignored[key]


def _patterns_in(fs: FileSystem, files: Iterable[str]) -> Iterator[IgnorePattern]:
    """Yield the patterns of ignore files, from the top down (``sourceignore.go`` LoadIgnorePatterns)."""
    for path in files:
        yield from read_patterns(fs.read(path).decode(errors="replace"), folder_of(path))


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
