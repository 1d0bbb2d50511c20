"""The files that two sides of a comparison share, and the results that depend on no other files."""

from __future__ import annotations

from itertools import starmap
from typing import NamedTuple

from renderer.files.file_system import FileSystem
from renderer.files.git_repository import GitFileSystem, id_of_blob
from renderer.files.recorder import UNANSWERED, FileQuestion, Recorder, Task, answer
from renderer.model.diagnostic import DiagnosticError
from renderer.model.run.work import spend
from renderer.pipeline.run_context import FINDING_OVERLAYS

#: Tasks that are looked up in one step (``model.run.work``).
_TASKS_PER_STEP = 10


class SideFiles(NamedTuple):
    """The files of a side. ``tree`` is the Git tree of a revision; None for the work tree."""

    fs: FileSystem
    tree: GitFileSystem | None


class CommonFiles:
    """Tells which files two sides share. Files of two revisions are compared by id, without reading them."""

    def __init__(self, one: SideFiles, other: SideFiles) -> None:
        self._one = one
        self._other = other
        self._answers: dict[FileQuestion, bool] = {}
        #: The number of questions of each task with the same answer so far; None if one has another answer.
        self._tasks: dict[Task, int | None] = {}

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

    def have_all(self, recorder: Recorder, task: Task) -> bool:
        """Return True if ``one`` gives the same answer to each question that a task asked ``other``.

        Both have the same overlays, so that what was asked only to find them does not count.
        """
        used = recorder.used(task, known=(FINDING_OVERLAYS,))
        spend(len(used) // _TASKS_PER_STEP, "looking for what sides have in common")
        return all(self._tasks.get(each, 0) is not None for each in used) and all(
            self._have_task(recorder, each) for each in used
        )

    def _have_task(self, recorder: Recorder, task: Task) -> bool:
        count = recorder.count_questions(task)
        if self._tasks.get(task) != count:  # a task that several overlays use may ask more later
            is_same = all(starmap(self._has_same_answer, recorder.answers(task).items()))
            self._tasks[task] = count if is_same else None
        return self._tasks[task] is not None

    def _has_same_answer(self, question: FileQuestion, answered: str) -> bool:
        if answered == UNANSWERED:
            return False
        if question not in self._answers:
            is_read = question.method == "read" and self._one.tree and self._other.tree
            self._answers[question] = (
                self.have(question.path) if is_read else answer(self._one.fs, question) == answered
            )
        return self._answers[question]
