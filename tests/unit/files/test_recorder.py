from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.files import recorder as recorder_module
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

TASKS = [Task("overlay", str(number)) for number in range(5)]
PLACES = st.sampled_from(["a/x", "b/y", "c/z", "none"])
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


def together(recorder: Recorder, task: Task) -> Mapping[FileQuestion, str]:
    """The inputs of a task out of all its parts."""
    inputs = recorder.inputs_in_parts(task)
    shared = [asked for part in inputs.shared for asked in json.loads(part.text)]
    return {**inputs.own, **{FileQuestion(method, path): answered for method, path, answered in shared}}


def test_part_of_many_questions_is_collected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "WORTH_SHARING", 3)
    recorder = Recorder()
    fs = RecordedFileSystem(MemoryFileSystem({str(number): b"" for number in range(9)}), recorder)
    for name in ("a", "b", "c"):
        with recorder.using(Task("overlay", name)):
            fs.is_folder(f"{name}-alone")
            with recorder.using(SHARED):
                for number in range(3):
                    fs.read(str(number))

    first, second = (recorder.inputs_in_parts(Task("overlay", name)) for name in ("a", "b"))

    assert first.own == {FileQuestion("is_folder", "a-alone"): "False"}
    assert second.own == {FileQuestion("is_folder", "b-alone"): "False"}
    assert first.shared[0] is second.shared[0]
    with recorder.using(SHARED):
        fs.is_file("4")
    (third,) = recorder.inputs_in_parts(Task("overlay", "c")).shared
    assert "is_file" in third.text
    with recorder.using(A):
        fs.read("4")
    (fourth,) = recorder.inputs_in_parts(Task("overlay", "c")).shared
    assert '["read","4"' in fourth.text


@given(
    st.lists(
        st.tuples(
            st.sampled_from(TASKS), st.sampled_from(TASKS), st.sampled_from(["read", "is_file"]), PLACES
        )
    ),
    st.sampled_from([1, 2, 200]),
)
def test_parts_are_all_inputs_at_every_moment(steps: list[tuple[Task, Task, str, str]], worth: int) -> None:
    recorder = Recorder()
    fs = RecordedFileSystem(MemoryFileSystem({"a/x": b"x", "b/y": b"y", "c/z": b"z"}), recorder)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recorder_module, "WORTH_SHARING", worth)
        for one, other, method, path in steps:
            with recorder.using(one), recorder.using(other):
                if method == "is_file" or path != "none":
                    getattr(fs, method)(path)
            for task in {one, other}:
                whole, parts = recorder.inputs(task), together(recorder, task)
                needless = {FileQuestion("is_file", path) for method, path in whole if method == "read"}
                assert {each: parts[each] for each in parts if each not in needless} == whole
