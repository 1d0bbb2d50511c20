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


def test_each_task_records_its_own_questions(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    fs.read("c/z")
    with recorder.using(A):
        fs.read("a/x")
    with recorder.using(B):
        fs.read("b/y")
    assert recorder.inputs(A) == {FileQuestion("read", "a/x"): content_digest(b"x")}
    assert paths(recorder, B) == {"b/y"}


def test_reused_result_adds_its_inputs_to_the_task(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A), recorder.using(SHARED):
        fs.read("c/z")
    with recorder.using(B), recorder.using(SHARED):
        pass
    assert paths(recorder, A) == paths(recorder, B) == {"c/z"}
    assert recorder.used(B) == {B, SHARED}


def test_task_that_reads_a_file_depends_on_the_shared_result(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A):
        fs.read("c/z")
    with recorder.using(B):
        fs.is_file("c/z")
    assert recorder.inputs(B)[FileQuestion("read", "c/z")] == content_digest(b"z")


def test_recorded_answers_match_later_ones(files: MemoryFileSystem) -> None:
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


def test_file_changed_during_use_is_not_recorded(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A):
        fs.read("a/x")
        files.files["a/x"] = b"other"
        fs.read("a/x")
    assert recorder.inputs(A) == {FileQuestion("read", "a/x"): UNANSWERED}


def test_unreadable_file_is_not_recorded(files: MemoryFileSystem) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(files, recorder)
    with recorder.using(A), pytest.raises(DiagnosticError):
        fs.read("none")
    assert recorder.inputs(A) == {FileQuestion("read", "none"): UNANSWERED}
