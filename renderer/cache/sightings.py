"""What was seen of the repository earlier, and whether it still is as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from renderer.cache.file_digests import FileDigests
from renderer.model.json import Json
from renderer.source.file_system import FileSystem
from renderer.source.recorded_file_system import answer
from renderer.source.recorder import Question


class Sightings:
    """Asks the repository again, each question once in a run."""

    def __init__(self, fs: FileSystem, digests: FileDigests) -> None:
        self._fs = fs
        self._digests = digests
        self._answers: dict[Question, str] = {}

    def are_current(self, seen: Mapping[Question, str]) -> bool:
        return all(self._answer(question) == was for question, was in seen.items())

    def _answer(self, question: Question) -> str:
        if question not in self._answers:
            # By the signs of a file where it has any; a link has none.
            digest = self._digests.of(question.path) if question.method == "read" else None
            self._answers[question] = digest or answer(self._fs, question)
        return self._answers[question]


def seen_json(seen: Mapping[Question, str]) -> Json:
    return [[*question, was] for question, was in seen.items()]


def seen_of(value: Iterable[Any]) -> Mapping[Question, str]:
    return {Question(method, path): was for method, path, was in value}
