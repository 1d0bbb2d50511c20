from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.files.recorder import (
    UNANSWERED,
    FileQuestion,
    RecordedFileSystem,
    Recorder,
    Task,
    answer,
    content_digest,
)
from renderer.model.diagnostic import DiagnosticError

A, B, SHARED = Task("overlay", "a"), Task("overlay", "b"), Task("catalogs")


@pytest.fixture
def files() -> MemoryFileSystem:
    return MemoryFileSystem({"a/x": b"x", "b/y": b"y", "c/z": b"z"})


def paths(recorder: Recorder, work: Task) -> set[str]:
    return {question.path for question in recorder.inputs(work)}


def test_each_piece_of_work_saw_what_it_asked(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    fs.read("c/z")
    with recorder.using(A):
        fs.read("a/x")
    with recorder.using(B):
        fs.read("b/y")
    assert recorder.inputs(A) == {FileQuestion("read", "a/x"): content_digest(b"x")}
    assert paths(recorder, B) == {"b/y"}


def test_what_is_used_was_seen_too_by_whoever_did_not_ask_again(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A), recorder.using(SHARED):
        fs.read("c/z")
    with recorder.using(B), recorder.using(SHARED):
        pass
    assert paths(recorder, A) == paths(recorder, B) == {"c/z"}
    assert recorder.used(B) == {B, SHARED}


def test_whoever_asks_for_a_file_may_have_seen_what_another_read_of_it(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A):
        fs.read("c/z")
    with recorder.using(B):
        fs.is_file("c/z")
    assert recorder.inputs(B)[FileQuestion("read", "c/z")] == content_digest(b"z")


def test_answers_are_those_that_are_given_later(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A):
        fs.read("a/x")
        fs.is_file("a/none")
        fs.is_folder("a")
        fs.list("b")
        fs.resolve("b/y")
    seen = recorder.inputs(A)
    assert len(seen) == 5
    assert {question: answer(files, question) for question in seen} == seen
    for path, content in (("a/x", b"other"), ("a/none", b""), ("b/new", b"")):
        changed = MemoryFileSystem({**files.files, path: content})
        assert {question: answer(changed, question) for question in seen} != seen


def test_what_changes_while_it_is_used_is_not_known(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A):
        fs.read("a/x")
        files.files["a/x"] = b"other"
        fs.read("a/x")
    assert recorder.inputs(A) == {FileQuestion("read", "a/x"): UNANSWERED}


def test_what_cannot_be_read_is_not_known(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A), pytest.raises(DiagnosticError):
        fs.read("none")
    assert recorder.inputs(A) == {FileQuestion("read", "none"): UNANSWERED}
