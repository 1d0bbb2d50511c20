"""Files that people edit: all of them are changed or none, whoever or whatever stops that."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from renderer.emit.edit_user_files import change_files
from renderer.model.diagnostic import DiagnosticError

BEFORE = {"a.yaml": b"old", "below/b.yaml": b"old", "gone/c.yaml": b"old"}
WRITES = {"a.yaml": b"new", "below/b.yaml": b"new", "made/d.yaml": b"new"}
_CALLS = ("open", "write", "replace", "unlink", "chmod", "fsync")


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class Faulty:
    """Calls of the system, one of which fails."""

    def __init__(self, stop: int, failure: BaseException) -> None:
        self.calls = 0
        self._stop = stop
        self._failure = failure

    def __call__(self, call: Callable[..., object]) -> Callable[..., object]:
        def called(*args: object, **named: object) -> object:
            self.calls += 1
            if self.calls == self._stop:
                raise self._failure
            return call(*args, **named)

        return called


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_fault_at_any_call_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    for stop in range(1, 200):
        folder, faulty = tmp_path / str(stop), Faulty(stop, failure)
        for path, text in BEFORE.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
        with monkeypatch.context() as patch:
            for name in _CALLS:
                patch.setattr(os, name, faulty(getattr(os, name)))
            try:
                change_files(folder, WRITES, ["gone/c.yaml"])
            except (DiagnosticError, KeyboardInterrupt):
                assert content(folder) in (BEFORE, WRITES), stop
            else:
                assert content(folder) == WRITES
        if faulty.calls < stop:
            assert stop > len(_CALLS)
            return
    pytest.fail("it makes more calls than were tried")
