"""A file system whose answers are noted, and asked for again later."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from renderer.model.diagnostic import DiagnosticError
from renderer.source.file_system import FileSystem
from renderer.source.recorder import UNANSWERED, Question, Recorder

T = TypeVar("T")


class RecordedFileSystem:
    """A file system of which a recorder notes what is asked."""

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
            self._recorder.note(Question(method, path), UNANSWERED)
            raise
        self._recorder.note(Question(method, path), noted(answer))
        return answer


def answer(fs: FileSystem, question: Question) -> str:
    """The answer now, in the form in which a recorder has it."""
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


def content_digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def names_digest(names: tuple[str, ...]) -> str:
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()
