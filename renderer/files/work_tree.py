"""The files of a project in a work tree of Git, as far as Flux and Argo CD see the same ones.

Git converts files at checkout (gitattributes(5)); go-git, with which Flux clones, does not. A clone leaves
submodules empty unless it is told otherwise; Argo CD fetches them, and Flux does with ``recurseSubmodules``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from renderer.files.checkout import ATTRIBUTES_FILE, CONVERTING, check_unconverted, top_of_checkout
from renderer.files.disk import ConfinedFolder, folder_exists, path_exists, readable_entries
from renderer.files.file_system import DiskFileSystem, SubmoduleError
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits

if TYPE_CHECKING:
    from renderer.files.git import Allowance, GitProcess

#: A file of attributes without one of these converts nothing, or only pointers of Git LFS.
_MAY_CONVERT = pattern(rb"working-tree-encoding=|\bident\b|\bfilter=(?!lfs\s)")
_SUBMODULE = "160000 "
#: The number of paths in a command, whose length the system limits.
_ASKED_AT_ONCE = 100


class WorkTree(DiskFileSystem):
    """The files of a project on disk; those that an engine would read otherwise are refused.

    These are tracked files that Git converts, and submodules that were not fetched. In a folder outside of
    any repository, there are none.
    """

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        super().__init__(root)
        self._environment = environment
        self._may_convert: dict[str, bool] = {}
        self._converting: dict[str, bool] = {}

    def read(self, path: str) -> bytes:
        content = super().read(path)
        if self._checkout and self._may_convert_in(self._lookup(path)[0].rpartition("/")[0]):
            check_unconverted(path, content, self._attributes.get(self.resolve(path), {}))
        return content

    def list(self, path: str) -> tuple[str, ...]:
        names = super().list(path)
        if not names and self._is_unfetched(self.resolve(path)):
            raise _unfetched(path)
        return names

    def differing(self, folder: str) -> Iterator[Diagnostic]:
        """Yield the errors about all that is refused in a folder and below it."""
        waiting = [folder] if self._checkout else []
        while waiting:
            folder = waiting.pop()
            entries = readable_entries(f"{self.root}/{folder}")
            if not entries and self._is_unfetched(folder):
                yield from _unfetched(folder).diagnostics
            for entry in entries:
                path = posixpath.normpath(f"{folder}/{entry.name}")
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif self._may_convert_in(f"{self.root}/{folder}"):
                    try:
                        self.read(path)
                    except DiagnosticError as error:
                        yield from error.diagnostics

    @cached_property
    def _checkout(self) -> str:
        """The top of the work tree; empty if the folder is in none."""
        if path_exists(f"{self._top}/.git"):
            return self._top
        found = top_of_checkout(self.root, self._environment)
        return found.as_posix() if found else ""

    @cached_property
    def _git(self) -> GitProcess:
        from renderer.files.git import GitProcess  # noqa: PLC0415 - few repositories need it

        return GitProcess(self.root, self._environment)

    def _asked(self, *arguments: str, allowance: Allowance | None = None) -> Sequence[str]:
        """Return the fields, each with a NUL after it, that a git command prints. Raises: git-unavailable."""
        from renderer.files.git import not_usable  # noqa: PLC0415 - as above

        answer = self._git.run(*arguments, allowance=allowance)
        if answer.code:
            raise not_usable(self.root, answer)
        return answer.output.split("\0")[:-1]

    def _is_unfetched(self, folder: str) -> bool:
        """Return True if the empty folder is a submodule, or may be one."""
        if not self._checkout or not path_exists(f"{self._checkout}/.gitmodules"):
            return False
        try:
            return folder in self._submodules
        except DiagnosticError:  # without git; a commit has no empty folder that is not a submodule
            return folder_exists(self.root / folder)

    @cached_property
    def _submodules(self) -> frozenset[str]:
        listed = self._asked("ls-files", "--stage", "-z")
        return frozenset(each.partition("\t")[2] for each in listed if each.startswith(_SUBMODULE))

    def _may_convert_in(self, folder: str) -> bool:
        """Return True if a file of attributes in or above the folder, by its real path, may convert files."""
        found = self._may_convert.get(folder)
        if found is None:
            place, found = folder, _converts(f"{self._checkout}/.git/info/attributes")
            while not found and len(place) >= len(self._checkout):
                if place not in self._converting:
                    self._converting[place] = _converts(f"{place}/{ATTRIBUTES_FILE}")
                found = self._converting[place]
                place = place.rpartition("/")[0]
            self._may_convert[folder] = found
        return found

    @cached_property
    def _attributes(self) -> Mapping[str, Mapping[str, str]]:
        """The ``CONVERTING`` attributes of all tracked files. Raises: git-unavailable."""
        from renderer.files.git import PATTERN_SECONDS, Allowance  # noqa: PLC0415 - few repositories need it

        tracked = self._asked("ls-files", "-z")
        allowance = Allowance(PATTERN_SECONDS)
        found: dict[str, dict[str, str]] = {}
        for start in range(0, len(tracked), _ASKED_AT_ONCE):
            asked = tracked[start : start + _ASKED_AT_ONCE]
            fields = iter(self._asked("check-attr", "-z", *CONVERTING, "--", *asked, allowance=allowance))
            for path, name, value in zip(fields, fields, fields, strict=False):
                found.setdefault(path, {})[name] = value
        return found


def _converts(file: str) -> bool:
    """Return True if a file of attributes may convert files; Git does not follow a link in its place."""
    if not path_exists(file):
        return False
    try:
        content = ConfinedFolder(file.rpartition("/")[0]).read(file, limits().file_size)
    except OSError:
        return False
    return len(content) > limits().file_size or bool(_MAY_CONVERT.search(content))


def _unfetched(path: str) -> SubmoduleError:
    return SubmoduleError(
        Diagnostic.in_file(
            path,
            Code.FILE_UNREADABLE,
            f"{path} is a submodule that is empty here; Argo CD fetches it, and so may Flux",
            "git submodule update --init fetches it; in GitHub Actions: submodules of actions/checkout",
        )
    )
