"""The repository as git generators see it: listed once, its files read once, patterns matched within bounds.

A matrix may ask a git generator again for each of thousands of parameter sets, each time with other patterns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile

from renderer.files.file_system import FileSystem, SubmoduleError
from renderer.gitops.argocd.parameters import SetError
from renderer.golang.glob import Glob, literal_start, path_glob, pathspec_glob, pathspec_match
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_yaml11

#: Steps for a name in the tree, for a pattern and each of its characters, for a file that was read before.
_STEPS_PER_NAME, _STEPS_PER_PATTERN, _STEPS_PER_CHARACTER, _STEPS_PER_READ = 10, 20, 2, 2
#: Steps for matching a path; the characters of it that are compared in another one, and the pairs of a
#: character and a class of the pattern.
_STEPS_PER_MATCH, _COMPARED, _PAIRS = 3, 200, 50
#: The number of patterns whose matches are kept.
_MOST_PATTERNS = 64


class RepositoryTree:
    """The files and folders of a repository, as the generator ``git`` selects them."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        self._asked: set[str] = set()
        self._objects: dict[str, tuple[JsonObject, ...]] = {}
        self._matches: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._submodules: dict[str, SubmoduleError] = {}  # whose files are not here

    def files(self, pattern: str) -> tuple[str, ...]:
        """Return the files that ``git ls-files -- PATTERN`` lists, in the order of their paths."""
        return self._matching(pattern, is_pathspec=True)

    def folders(self, pattern: str) -> tuple[str, ...]:
        """Return the folders that Go's ``path.Match`` matches."""
        return self._matching(pattern, is_pathspec=False)

    def in_order_of_a_walk(self, folders: set[str]) -> list[str]:
        """Return the folders, each before its subfolders."""
        return sorted(folders, key=self._place_in_walk.__getitem__)

    def objects(self, path: str) -> tuple[JsonObject, ...]:
        """Return the mapping in a file, or the mappings in its list. Raises ``SetError``."""
        spend(_STEPS_PER_READ, "reading files of git generators")
        self._asked.add(path)
        if path not in self._objects:
            self._objects[path] = self._read(path)
        return self._objects[path]

    @property
    def files_read(self) -> frozenset[str]:
        """The files that were asked for so far."""
        return frozenset(self._asked)

    def _matching(self, pattern: str, *, is_pathspec: bool) -> tuple[str, ...]:
        key = pattern, is_pathspec
        if key not in self._matches:
            if len(self._matches) >= _MOST_PATTERNS:
                self._matches.clear()
            self._matches[key] = tuple(self._search(pattern, is_pathspec=is_pathspec))
        found = self._matches[key]
        spend(1 + len(found) // 8, _MATCHING)
        return found

    def _search(self, pattern: str, *, is_pathspec: bool) -> Iterator[str]:
        spend(_STEPS_PER_PATTERN + _STEPS_PER_CHARACTER * len(pattern), _MATCHING)
        paths = self._files if is_pathspec else self._folders
        if is_pathspec and pattern.rstrip("/") in ("", "."):
            yield from paths
            return
        if not is_pathspec:  # git ls-files lists no files of submodules
            self._check_known(pattern)
        glob = pathspec_glob(pattern) if is_pathspec else path_glob(pattern)
        start = literal_start(pattern).rstrip("/")
        first = bisect_left(paths, start)
        for path in takewhile(lambda each: each.startswith(start), islice(paths, first, None)):
            count_match(glob, path)
            if pathspec_match(pattern, path) if is_pathspec else glob is not None and glob.matches(path):
                yield path

    def _names(self, folder: str) -> tuple[str, ...]:
        try:
            return self._fs.list(folder)
        except SubmoduleError as error:
            self._submodules[folder] = error
            return ()

    def _check_known(self, pattern: str) -> None:
        """Raise ``SubmoduleError`` if the pattern may match folders in a submodule that is empty here."""
        for submodule, error in self._submodules.items():
            depth = submodule.count("/") + 1
            above, inside = pattern.split("/")[:depth], pattern.split("/")[depth:]
            glob = path_glob("/".join(above))
            if inside and glob is not None and glob.matches(submodule):
                raise error

    @cached_property
    def _files(self) -> list[str]:
        """All files of the repository except Git's own."""
        found: list[str] = []
        left = ["."]
        while left:
            folder = left.pop()
            names = self._names(folder)
            spend(_STEPS_PER_NAME * len(names), _LISTING)
            for name in names:
                path = name if folder == "." else f"{folder}/{name}"
                if name == ".git":
                    continue
                if self._fs.is_folder(path) and self._fs.resolve(path) == path:
                    left.append(path)
                elif self._fs.is_file(path):
                    found.append(path)
        return sorted(found)

    @cached_property
    def _place_in_walk(self) -> dict[str, int]:
        """All folders that are not hidden, with their places in a walk: each comes before its subfolders."""
        found: dict[str, int] = {}
        left = ["."]
        while left:
            folder = left.pop()
            if folder != ".":
                found[folder] = len(found)
            names = self._names(folder)
            spend(_STEPS_PER_NAME * len(names), _LISTING)
            paths = [name if folder == "." else f"{folder}/{name}" for name in names if name[:1] != "."]
            left += [
                path
                for path in reversed(paths)
                if self._fs.is_folder(path) and self._fs.resolve(path) == path
            ]
        return found

    @cached_property
    def _folders(self) -> list[str]:
        return sorted(self._place_in_walk)

    def _read(self, path: str) -> tuple[JsonObject, ...]:
        try:
            found: Json = decode_yaml11(self._fs.read(path), path)
        except DiagnosticError as error:
            raise SetError(f"the git generator cannot read {path}: {error}") from None
        if found is None:
            return ({},)
        listed = list(found) if isinstance(found, list) else [found]
        objects = tuple(each for each in listed if isinstance(each, dict))
        if len(objects) < len(listed):
            raise SetError(
                f"{path}, which a git generator reads, is neither a mapping nor a list of mappings"
            )
        return objects


_LISTING, _MATCHING = "listing files for git generators", "matching patterns of git generators"


def count_match(glob: Glob | None, path: str) -> None:
    """Count the steps of matching a path."""
    width = glob.width if glob else 0
    spend(_STEPS_PER_MATCH + len(path) // _COMPARED + len(path) * width // _PAIRS, _MATCHING)
