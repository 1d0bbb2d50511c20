"""The files of a project that may hold manifests, found by their names."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator

from renderer.model.diagnostic import DiagnosticError
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.project import PROJECT_FILE

_SUFFIXES = (".yaml", ".yml", ".json")
_TOP = "."


class Candidates:
    """Everything in one tree but what vmrender wrote there: what that was made of is judged instead."""

    def __init__(self, fs: FileSystem, outputs: Collection[str], ownership_file: str) -> None:
        """``outputs`` are the folders that the project is rendered into.

        A file called ``ownership_file`` says that a folder was rendered into before.
        """
        self._fs = fs
        self._outputs = frozenset(posixpath.normpath(output) for output in outputs)
        self._ownership_file = ownership_file
        self._rendered: dict[str, bool] = {}
        self._below: dict[str, tuple[str, ...]] = {}

    def below(self, folder: str) -> tuple[str, ...]:
        """The candidates in ``folder`` and below it, but for hidden folders and projects of their own."""
        if folder not in self._below:
            self._below[folder] = tuple(self._walk(folder))
        return self._below[folder]

    def _walk(self, top: str) -> Iterator[str]:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            folders: list[str] = []
            for name in () if self.is_rendered(folder) else self._fs.list(folder):
                path = posixpath.normpath(posixpath.join(folder, name))
                if self.is_candidate(path):
                    yield path
                elif not name.startswith(".") and self._is_own_folder(path):
                    folders.append(path)
            waiting += reversed(folders)

    def is_candidate(self, path: str) -> bool:
        """Whether it is a file with the name of a manifest or kustomization."""
        is_named_so = path.lower().endswith(_SUFFIXES) or posixpath.basename(path) in KUSTOMIZATION_FILES
        return is_named_so and _confined(self._fs.is_file, path)

    def is_rendered(self, folder: str) -> bool:
        """Whether the folder is one that vmrender writes, or is in one."""
        if folder not in self._rendered:
            self._rendered[folder] = (
                folder in self._outputs
                or self._fs.is_file(posixpath.join(folder, self._ownership_file))
                or (folder != _TOP and self.is_rendered(posixpath.dirname(folder) or _TOP))
            )
        return self._rendered[folder]

    def _is_own_folder(self, path: str) -> bool:
        """Whether it is a folder of this project, and no link, which might lead round in a circle."""
        return (
            _confined(self._fs.is_folder, path)
            and self._fs.resolve(path) == path
            and not self._fs.is_file(posixpath.join(path, PROJECT_FILE))
        )


def _confined(is_one: Callable[[str], bool], path: str) -> bool:
    """Whether it is one, which something that leads out of the repository is not."""
    try:
        return is_one(path)
    except DiagnosticError:
        return False
