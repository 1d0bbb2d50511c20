"""Record the questions to the file system, by task, and the answers.

Tasks share common parts, such as a base or the catalogs. If one of them has read a file, another one that
uses it depends on that file as well, although it did not ask again. The questions of a part that several
tasks use are collected once: a search in all overlays asks thousands, and every overlay may depend on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from renderer.files.file_system import FileSystem, files_named
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.record import Record

#: The answer to a question that failed, or whose answer changed during the run. No result that depends on it
#: is cached (``cache.known_results``).
UNANSWERED = "?"


class FileQuestion(Record):
    """A method of ``FileSystem`` and the path it is asked about, or ``named`` and the name of a file.

    ``named`` asks where files of that name are. The answer does not change with other files.
    """

    method: str
    path: str


class Task(Record):
    """The kind of task, and the name of its object, if there are several."""

    kind: str
    name: str = ""


class SharedInputs(Record):
    """The questions of a part that several tasks use, and the answers, as the text of ``inputs_json``.

    It ``is_answered`` if no answer is ``UNANSWERED``.
    """

    digest: str
    text: str
    is_answered: bool

    def answers(self) -> Iterator[tuple[FileQuestion, str]]:
        """Yield the questions, each with its answer."""
        import json  # noqa: PLC0415 - for runs with many overlays

        for method, path, answered in json.loads(self.text):
            yield FileQuestion(method, path), answered


class Inputs(Record):
    """The questions that a result depends on, and the answers: its ``own``, and parts shared with others."""

    own: Mapping[FileQuestion, str]
    shared: tuple[SharedInputs, ...] = ()

    @property
    def are_answered(self) -> bool:
        """True if every question has an answer."""
        return UNANSWERED not in self.own.values() and all(part.is_answered for part in self.shared)


def inputs_json(seen: Mapping[FileQuestion, str]) -> Json:
    """Return the questions and their answers as JSON, for an entry of the cache."""
    return [[*question, earlier] for question, earlier in seen.items()]


#: The number of questions from which a shared part is stored by itself. A smaller part is copied into the
#: inputs of every task that uses it, as a file of the cache for each would cost more.
WORTH_SHARING = 200


class _Observed(Record):
    asked: set[FileQuestion]
    uses: set[Task]
    users: set[Task]


class _Part(Record):
    """The ``inputs`` of a task that others use; as ``shared`` inputs if there are many."""

    inputs: Mapping[FileQuestion, str] = {}
    shared: SharedInputs | None = None


class Recorder:
    """Records every question for each task in progress."""

    def __init__(self) -> None:
        self._answers: dict[FileQuestion, str] = {}
        self._records: dict[Task, _Observed] = {}
        self._under_way: list[Task] = []
        self._parts: dict[Task, _Part] = {}
        #: The tasks in ``_parts`` that change with another task, or once a path is read.
        self._depending: defaultdict[Task | str, set[Task]] = defaultdict(set)

    @contextmanager
    def using(self, task: Task) -> Iterator[None]:
        """Record that the current task depends on ``task``, which runs now or ran before."""
        if task not in self._records:
            self._records[task] = _Observed(set(), set(), set())
        self.note_use(task)
        self._under_way.append(task)
        try:
            yield
        finally:
            self._under_way.pop()

    def note_use(self, task: Task) -> None:
        """Record that the current task depends on ``task``, if that ran before."""
        if not self._under_way or task not in self._records:
            return
        user = self._under_way[-1]
        if task not in self._records[user].uses:
            self._records[user].uses.add(task)
            self._records[task].users.add(user)
            self._forget_parts(user)

    def note(self, question: FileQuestion, answer: str) -> None:
        before = self._answers.get(question)
        if before is None:
            self._answers[question] = answer
            if question.method == "read":
                self._forget_parts(question.path)
        elif answer != before:  # it changed, and either answer may have been used
            self._answers[question] = UNANSWERED
            self._parts.clear()
        if self._under_way:
            task = self._under_way[-1]
            if question not in self._records[task].asked:
                self._records[task].asked.add(question)
                self._forget_parts(task)

    def ask_for_named(self, fs: FileSystem, name: str) -> tuple[str, ...]:
        """Return all files of a name, and record that as one question. Raises ``DiagnosticError``."""
        question, answered = FileQuestion("named", name), UNANSWERED
        under_way, self._under_way = self._under_way, []
        try:
            found = tuple(files_named(fs, name))
            answered = names_digest(found)
        finally:
            self._under_way = under_way
            self.note(question, answered)
        return found

    def _forget_parts(self, changed: Task | str) -> None:
        for task in self._depending.pop(changed, ()):
            self._parts.pop(task, None)

    def recall(self, seen: Mapping[FileQuestion, str], used: Iterable[Task]) -> None:
        """Record the questions and dependencies that the current task had in an earlier run."""
        for question, answered in seen.items():
            self.note(question, answered)
        for task in used:
            with self.using(task):
                pass

    def used(self, task: Task, *, known: Collection[Task] = ()) -> frozenset[Task]:
        """Return ``task`` and all tasks that it uses, directly or not, except through ``known`` ones."""
        used, left = {task}, [task]
        while left:
            record = self._records.get(left.pop())
            new = record.uses.difference(used, known) if record else ()
            used.update(new)
            left += new
        return frozenset(used)

    def count_questions(self, task: Task) -> int:
        """Return the number of questions that ``task`` has asked itself so far."""
        return len(self._records[task].asked)

    def answers(self, task: Task) -> Mapping[FileQuestion, str]:
        """Return the questions that ``task`` has asked itself so far, with the answers as text."""
        return {question: self._answers[question] for question in self._records[task].asked}

    def inputs(self, task: Task) -> Mapping[FileQuestion, str]:
        """Return the questions of ``task`` and of all tasks that it uses, with the answers as text.

        An answer is a digest of content or names, ``True`` or ``False``, or a path.
        """
        return self._answered({each for used in self.used(task) for each in self._records[used].asked})

    def inputs_in_parts(self, task: Task) -> Inputs:
        """Return the same as ``inputs``, with large parts that other tasks use as well by themselves."""
        asked, known = set[FileQuestion](), dict[FileQuestion, str]()
        shared: dict[str, SharedInputs] = {}
        used, left = {task}, [task]
        while left:
            each = left.pop()
            if each != task and len(self._records[each].users) > 1:
                part = self._part(each)
                if part.shared:
                    shared[part.shared.digest] = part.shared
                else:
                    known.update(part.inputs)
                continue
            asked |= self._records[each].asked
            new = self._records[each].uses - used
            used |= new
            left += new
        own = {**known, **self._answered(asked)}
        return Inputs({question: own[question] for question in sorted(own)}, tuple(shared.values()))

    def _part(self, task: Task) -> _Part:
        """Return the inputs of a task that others use; collect them again only if they have changed."""
        if task not in self._parts:
            inputs = self.inputs(task)
            is_large = len(inputs) >= WORTH_SHARING
            self._parts[task] = _Part(shared=_shared_inputs(inputs)) if is_large else _Part(inputs)
            for used in self.used(task):
                self._depending[used].add(task)
            for place in self._places(inputs):
                if FileQuestion("read", place) not in self._answers:
                    self._depending[place].add(task)
        return self._parts[task]

    def _answered(self, asked: Collection[FileQuestion]) -> Mapping[FileQuestion, str]:
        """Return the questions in order, with their answers and with the files among their paths."""
        read = (FileQuestion("read", place) for place in self._places(asked))
        needed = {*asked, *(question for question in read if question in self._answers)}
        # A path that was read is a file: while the answer of read is valid, so is the answer of is_file.
        are_files = {FileQuestion("is_file", path) for method, path in needed if method == "read"} & needed
        needed -= {question for question in are_files if self._answers[question] == str(True)}
        return {question: self._answers[question] for question in sorted(needed)}

    def _places(self, asked: Collection[FileQuestion]) -> Collection[str]:
        """Return the paths that questions are about, and the ones that links lead to."""
        resolved = {self._answers[question] for question in asked if question.method == "resolve"}
        return {question.path for question in asked} | resolved


def _shared_inputs(inputs: Mapping[FileQuestion, str]) -> SharedInputs:
    import json  # noqa: PLC0415 - for runs with many overlays

    text = json.dumps(inputs_json(inputs), separators=(",", ":"))
    return SharedInputs(content_digest(text), text, is_answered=UNANSWERED not in inputs.values())


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
            case "named":
                return names_digest(tuple(files_named(fs, path)))
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
