"""What two sides of a comparison have in common: files, and so what is rendered from them alone."""

from __future__ import annotations

from itertools import starmap
from typing import NamedTuple

from renderer.files.file_system import FileSystem
from renderer.files.git_repository import GitFileSystem, id_of_blob
from renderer.files.recorder import FileQuestion, Inputs, SharedInputs, answer
from renderer.model.diagnostic import DiagnosticError


class SideFiles(NamedTuple):
    """The files of a side; ``tree`` has those of a revision, and is None for the work tree."""

    fs: FileSystem
    tree: GitFileSystem | None


class CommonFiles:
    """The files that two sides have in common; those of revisions are compared by their ids, and not read."""

    def __init__(self, one: SideFiles, other: SideFiles) -> None:
        self._one = one
        self._other = other
        self._answers: dict[FileQuestion, bool] = {}
        self._parts: dict[str, bool] = {}

    def have(self, path: str) -> bool:
        """Return True if both sides certainly have a file with the same content."""
        tree, files = (self._one.tree, self._other) if self._one.tree else (self._other.tree, self._one)
        if tree is None:
            return False
        try:
            if files.tree is not None:
                return tree.content_id(path) == files.tree.content_id(path)
            known = tree.blob_id(path)
            return known == id_of_blob(files.fs.read(path), known)
        except DiagnosticError:  # reported where the file is used
            return False

    def have_all(self, inputs: Inputs) -> bool:
        """Return True if what ``other`` answered to each question is the answer of ``one``."""
        return (
            inputs.are_answered
            and all(starmap(self._is_answered_alike, inputs.own.items()))
            and all(self._have_part(part) for part in inputs.shared)
        )

    def _have_part(self, part: SharedInputs) -> bool:
        if part.digest not in self._parts:
            self._parts[part.digest] = all(starmap(self._is_answered_alike, part.answers()))
        return self._parts[part.digest]

    def _is_answered_alike(self, question: FileQuestion, answered: str) -> bool:
        if question not in self._answers:
            is_read = question.method == "read" and self._one.tree and self._other.tree
            self._answers[question] = (
                self.have(question.path) if is_read else answer(self._one.fs, question) == answered
            )
        return self._answers[question]
