"""Record the questions to the file system, by task, and the answers.

Tasks share common parts, such as a base or the catalogs. If one of them has read a file, another one that
uses it depends on that file as well, although it did not ask again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import DiagnosticError
from renderer.model.record import Record

#: The answer to a question that failed, or whose answer changed during the run. No result that depends on it
#: is cached (``cache.known_results``).
UNANSWERED = "?"


class FileQuestion(Record):
    """A method of ``FileSystem`` and the path it is asked about."""

    method: str
    path: str


class Task(Record):
    """The kind of task, and the name of its object, if there are several."""

    kind: str
    name: str = ""


class _Observed(Record):
    asked: set[FileQuestion]
    uses: set[Task]


class Recorder:
    """Records every question for each task in progress."""

    def __init__(self) -> None:
        self._answers: dict[FileQuestion, str] = {}
        self._records: dict[Task, _Observed] = {}
        self._under_way: list[_Observed] = []

    @contextmanager
    def using(self, task: Task) -> Iterator[None]:
        """Record that the current task depends on ``task``, which runs now or ran before."""
        record = self._records.setdefault(task, _Observed(set(), set()))
        if self._under_way:
            self._under_way[-1].uses.add(task)
        self._under_way.append(record)
        try:
            yield
        finally:
            self._under_way.pop()

    def note_use(self, task: Task) -> None:
        """Record that the current task depends on ``task``, if that ran before."""
        if self._under_way and task in self._records:
            self._under_way[-1].uses.add(task)

    def note(self, question: FileQuestion, answer: str) -> None:
        before = self._answers.setdefault(question, answer)
        if answer != before:  # it changed, and either answer may have been used
            self._answers[question] = UNANSWERED
        if self._under_way:
            self._under_way[-1].asked.add(question)

    def recall(self, seen: Mapping[FileQuestion, str], used: Iterable[Task]) -> None:
        """Record the questions and dependencies that the current task had in an earlier run."""
        for question, answered in seen.items():
            self.note(question, answered)
        for task in used:
            with self.using(task):
                pass

    def used(self, task: Task) -> frozenset[Task]:
        """Return ``task`` and all tasks that it uses, directly or not."""
        used, left = {task}, [task]
        while left:
            record = self._records.get(left.pop())
            new = record.uses - used if record else ()
            used.update(new)
            left += new
        return frozenset(used)

    def inputs(self, task: Task) -> Mapping[FileQuestion, str]:
        """Return the questions of ``task`` and of all tasks that it uses, with the answers as text.

        An answer is a digest of content or names, ``True`` or ``False``, or a path.
        """
        asked = {question for used in self.used(task) for question in self._records[used].asked}
        places = {question.path for question in asked} | {
            self._answers[question] for question in asked if question.method == "resolve"
        }
        read = (FileQuestion("read", place) for place in places)
        asked |= {question for question in read if question in self._answers}
        # A path that was read is a file: while the answer of read is valid, so is the answer of is_file.
        are_files = {FileQuestion("is_file", path) for method, path in asked if method == "read"} & asked
        asked -= {question for question in are_files if self._answers[question] == str(True)}
        return {question: self._answers[question] for question in sorted(asked)}


T = TypeVar("T")


class RecordedFileSystem:
    """A file system whose questions a recorder records."""

    def __init__(self, below: FileSystem, recorder: Recorder) -> None:
        self._below = below
        self._recorder = recorder

    def read(self, path: str) -> bytes:
        return self._ask("read", path, self._below.read, content_digest)

    def is_file(self, path: str) -> bool:
        return self._ask("is_file", path, self._below.is_file, str)

    def is_folder(self, path: str) -> bool:
        return self._ask("is_folder", path, self._below.is_folder, str)

    def list(self, path: str) -> tuple[str, ...]:
        return self._ask("list", path, self._below.list, names_digest)

    def resolve(self, path: str) -> str:
        return self._ask("resolve", path, self._below.resolve, str)

    def _ask(self, method: str, path: str, ask: Callable[[str], T], noted: Callable[[T], str]) -> T:
        try:
            answer = ask(path)
        except DiagnosticError:
            self._recorder.note(FileQuestion(method, path), UNANSWERED)
            raise
        self._recorder.note(FileQuestion(method, path), noted(answer))
        return answer


def answer(fs: FileSystem, question: FileQuestion) -> str:
    """Return the current answer, in the form in which a recorder stores it."""
    method, path = question
    try:
        match method:
            case "read":
                return content_digest(fs.read(path))
            case "list":
                return names_digest(fs.list(path))
            case "is_file":
                return str(fs.is_file(path))
            case "is_folder":
                return str(fs.is_folder(path))
            case _:
                return fs.resolve(path)
    except DiagnosticError:
        pass
    return UNANSWERED


def content_digest(content: bytes | str) -> str:
    """Return the digest of the content of a file."""
    from renderer.model.digest import sha256  # noqa: PLC0415 - for runs with a cache

    return sha256(content)


def names_digest(names: tuple[str, ...]) -> str:
    """Return the digest of the names in a folder."""
    return content_digest("\0".join(names))
