"""The tree of a Git revision, read from Git's objects as if it were checked out; nothing is written."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.source.file_system import ROOT_HINT
from renderer.source.git_objects import (
    LINK_MODE,
    PARTIAL_CLONE_HINT,
    SUBMODULE_MODE,
    TREE_MODE,
    GitObject,
    GitObjects,
    TreeEntry,
)

#: As many symbolic links as Linux follows in one path (``path_resolution(7)``).
_MAX_LINKS = 40
#: And as long as a target may be there (``PATH_MAX``).
_LONGEST_TARGET = 4095

_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\n"


class _Place(NamedTuple):
    """A path without symbolic links, and what is there; None when nothing is."""

    path: str
    entry: TreeEntry | None


class GitFileSystem:
    """One tree of a repository, as a ``FileSystem``.

    ``root`` is the id of the tree, ``revision`` what the user calls it. Symbolic links are followed only as
    far as they stay inside that tree, as on disk; an absolute one never does.
    """

    def __init__(self, objects: GitObjects, root: str, revision: str) -> None:
        self.revision = revision
        self._objects = objects
        self._root = _Place(".", TreeEntry(TREE_MODE, root))
        self._folders: dict[str, _Place] = {}

    def read(self, path: str) -> bytes:
        place = self._find(path)
        if place.entry is None:
            raise _error(Code.FILE_NOT_FOUND, f"no such file in {self.revision}: {path}", path)
        if place.entry.mode == SUBMODULE_MODE:
            raise self._submodule(place.path)
        if place.entry.mode == TREE_MODE:
            raise _error(Code.FILE_UNREADABLE, f"not a regular file: {path}", path)
        found = self._object(place.entry.oid, path)
        if found is None:
            message = f"{path} of {self.revision} is not in this clone"
            raise _error(Code.FILE_UNREADABLE, message, path, PARTIAL_CLONE_HINT)
        if found.content.startswith(_LFS_POINTER):
            message = f"{path} of {self.revision} is a pointer to a file in Git LFS"
            raise _error(Code.FILE_UNREADABLE, message, path, "keep manifests out of LFS: see .gitattributes")
        return found.content

    def is_file(self, path: str) -> bool:
        entry = self._find(path).entry
        return entry is not None and entry.mode not in (TREE_MODE, SUBMODULE_MODE)

    def is_folder(self, path: str) -> bool:
        entry = self._find(path).entry
        return entry is not None and entry.mode in (TREE_MODE, SUBMODULE_MODE)

    def list(self, path: str) -> tuple[str, ...]:
        place = self._find(path)
        if place.entry is None or place.entry.mode not in (TREE_MODE, SUBMODULE_MODE):
            return ()
        return tuple(sorted(self._names(place)))

    def resolve(self, path: str) -> str:
        return self._find(path).path

    def below(self, folder: str) -> GitFileSystem:
        """The tree of a folder, with that as its root. Raises ``DiagnosticError``: file-not-found."""
        place = self._find(folder)
        if place.entry is None or place.entry.mode != TREE_MODE:
            message = f"{self.revision} has no folder {folder.rstrip('/.') or folder}"
            raise _error(Code.FILE_NOT_FOUND, message, place.path)
        return GitFileSystem(self._objects, place.entry.oid, self.revision)

    def _object(self, oid: str, path: str) -> GitObject | None:
        """What is wrong with the object is said of the file."""
        try:
            return self._objects.find(oid)
        except DiagnosticError as error:
            raise DiagnosticError(
                *(replace(found, location=Location(path)) for found in error.diagnostics)
            ) from None

    def _find(self, path: str) -> _Place:
        """What is at a path; every folder is walked to once."""
        folder, name = posixpath.split(posixpath.normpath(path))
        if folder not in self._folders:
            self._folders[folder] = self._walk(self._root, folder, path, _links())
        return self._walk(self._folders[folder], name, path, _links())

    def _walk(self, start: _Place, path: str, wanted: str, links: Iterator[int]) -> _Place:
        """The place that ``path`` leads to from ``start``; ``wanted`` is what the user asked for.

        ``links`` has an item for each symbolic link that may still be followed on the way.
        """
        if path.startswith("/"):
            raise self._outside(wanted)
        place = start
        for name in path.split("/"):
            if name == "..":
                place = self._parent(place, wanted)
            elif name not in ("", "."):
                place = self._step(place, name, wanted, links)
        return place

    def _step(self, folder: _Place, name: str, wanted: str, links: Iterator[int]) -> _Place:
        path = posixpath.normpath(posixpath.join(folder.path, name))
        entry = self._names(folder).get(name)
        if entry is None or entry.mode != LINK_MODE:
            return _Place(path, entry)
        target = self._objects.find(entry.oid)
        if target is None or len(target.content) > _LONGEST_TARGET or next(links, None) is None:
            return _Place(path, None)  # a loop, most likely; it leads nowhere
        return self._walk(folder, os.fsdecode(target.content), wanted, links)

    def _parent(self, place: _Place, wanted: str) -> _Place:
        if place.path == ".":
            raise self._outside(wanted)
        parent = posixpath.dirname(place.path)
        return self._walk(self._root, parent, wanted, iter(()))  # it has no link in it

    def _names(self, folder: _Place) -> dict[str, TreeEntry]:
        if folder.entry is None:
            return {}
        if folder.entry.mode == SUBMODULE_MODE:
            raise self._submodule(folder.path)
        return self._objects.tree(folder.entry.oid) if folder.entry.mode == TREE_MODE else {}

    def _submodule(self, path: str) -> DiagnosticError:
        message = (
            f"{path} of {self.revision} is a submodule, whose files are not in this repository's revisions"
        )
        return _error(Code.FILE_UNREADABLE, message, path, "vendor it: copy it into this repository")

    def _outside(self, path: str) -> DiagnosticError:
        message = f"{path} of {self.revision} leads outside the repository"
        return _error(Code.FILE_OUTSIDE_ROOT, message, path, ROOT_HINT)


def _links() -> Iterator[int]:
    return iter(range(_MAX_LINKS))


def _error(code: Code, message: str, path: str, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, message=message, location=Location(path), hint=hint))
