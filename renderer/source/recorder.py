"""What of the repository each piece of work looked at: the questions it asked of the file system.

Pieces share what they have in common, such as a base or the catalogs. What one of them read, another one that
uses it has seen as well, although it did not ask again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

#: The answer to what could not be answered, which is never the same as another.
UNANSWERED = "?"


class Question(NamedTuple):
    """A method of ``FileSystem`` and the path it is asked about."""

    method: str
    path: str


class Work(NamedTuple):
    """A piece of work: what is done, and to what, if it is done to more than one thing."""

    kind: str
    name: str = ""


class _Record(NamedTuple):
    asked: set[Question]
    uses: set[Work]


class Recorder:
    """Notes what is asked, for each piece of work that is under way."""

    def __init__(self) -> None:
        self._answers: dict[Question, str] = {}
        self._records: dict[Work, _Record] = {}
        self._under_way: list[_Record] = []

    @contextmanager
    def using(self, work: Work) -> Iterator[None]:
        """``work``, which whatever is under way uses, is done or taken as done before."""
        record = self._records.setdefault(work, _Record(set(), set()))
        if self._under_way:
            self._under_way[-1].uses.add(work)
        self._under_way.append(record)
        try:
            yield
        finally:
            self._under_way.pop()

    def note(self, question: Question, answer: str) -> None:
        before = self._answers.setdefault(question, answer)
        if answer != before:  # it changed meanwhile, and nobody can say which of the two was used for what
            self._answers[question] = UNANSWERED
        if self._under_way:
            self._under_way[-1].asked.add(question)

    def recall(self, seen: Mapping[Question, str], used: Iterable[Work]) -> None:
        """The work under way is known from earlier: what it would have seen and used."""
        for question, answered in seen.items():
            self.note(question, answered)
        for work in used:
            with self.using(work):
                pass

    def used(self, work: Work) -> frozenset[Work]:
        """``work`` and all that it uses, directly or not."""
        used, left = {work}, [work]
        while left:
            record = self._records.get(left.pop())
            new = record.uses - used if record else ()
            used.update(new)
            left += new
        return frozenset(used)

    def seen(self, work: Work) -> Mapping[Question, str]:
        """What ``work``, and all that it uses, asked, and the answers; of content and lists their digests."""
        asked = {question for used in self.used(work) for question in self._records[used].asked}
        places = {question.path for question in asked} | {
            self._answers[question] for question in asked if question.method == "resolve"
        }
        read = (Question("read", place) for place in places)
        asked |= {question for question in read if question in self._answers}
        return {question: self._answers[question] for question in sorted(asked)}
