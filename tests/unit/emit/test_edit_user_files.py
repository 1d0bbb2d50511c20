"""Files that people edit: all of them are changed or none, whatever interrupts the change."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from renderer.emit.edit_user_files import change_files
from renderer.model.diagnostic import DiagnosticError

BEFORE = {"a.yaml": b"old", "below/b.yaml": b"old", "gone/c.yaml": b"old"}
WRITES = {"a.yaml": b"new", "below/b.yaml": b"new", "made/d.yaml": b"new"}
_CALLS = ("open", "write", "replace", "unlink", "chmod", "fsync", "link", "mkdir")
#: Those for which a full disk has no space.
_NEED_SPACE = ("write", "link", "mkdir")
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


class Stopped(BaseException):
    """Raised by the handlers of signals."""


def fail() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupt(number: signal.Signals) -> Callable[[], None]:
    return lambda: signal.raise_signal(number)


@pytest.fixture
def _signals_that_raise() -> Iterator[None]:
    def handler(*_: object) -> None:
        raise Stopped

    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    yield
    for number, each in before.items():
        signal.signal(number, each)


class Faulty:
    """Calls of the system, with ``fault`` before the ``stop``-th and all later ones of ``for_good``."""

    def __init__(self, stop: int, fault: Callable[[], None], for_good: Collection[str] = ()) -> None:
        self.calls = 0
        self._stop = stop
        self._fault = fault
        self._for_good = for_good

    def __call__(self, name: str) -> Callable[..., object]:
        call = getattr(os, name)

        def called(*args: object, **named: object) -> object:
            self.calls += 1
            if self.calls == self._stop or (self.calls > self._stop and name in self._for_good):
                self._fault()
            return call(*args, **named)

        for known in (os.supports_dir_fd, os.supports_follow_symlinks):
            if call in known:
                known.add(called)
        return called


@pytest.mark.usefixtures("_signals_that_raise")
@pytest.mark.parametrize(
    ("fault", "for_good"),
    [
        pytest.param(fail, (), id="one call fails"),
        pytest.param(fail, _NEED_SPACE, id="the disk stays full"),
        *(pytest.param(interrupt(number), (), id=number.name) for number in _SIGNALS),
    ],
)
def test_fault_at_any_call_changes_nothing(
    fault: Callable[[], None], for_good: Collection[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stop in range(1, 200):
        folder, faulty = tmp_path / str(stop), Faulty(stop, fault, for_good)
        for path, text in BEFORE.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
        with monkeypatch.context() as patch:
            for name, replacement in [(name, faulty(name)) for name in _CALLS]:
                patch.setattr(os, name, replacement)
            try:
                change_files(folder, WRITES, ["gone/c.yaml"], {"made/d.yaml": None, **BEFORE})
            except DiagnosticError:
                assert content(folder) == BEFORE, stop
                assert not (folder / "made").exists()
            except Stopped:
                assert content(folder) in (BEFORE, WRITES), stop
            else:
                assert content(folder).items() >= WRITES.items(), stop
        if faulty.calls < stop:
            assert stop > len(_CALLS)
            return
    pytest.fail("it makes more calls than were tried")


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="the system has no such timer")
def test_timer_of_the_cpu_limit_interrupts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGPROF, handler)
    try:
        faulty = Faulty(2, interrupt(signal.SIGPROF), _CALLS)  # the first one waits for the lock
        for name, replacement in [(name, faulty(name)) for name in _CALLS]:
            monkeypatch.setattr(os, name, replacement)
        change_files(tmp_path, WRITES, [], {})
        monkeypatch.undo()
        assert signal.getsignal(signal.SIGPROF) is handler
    finally:
        signal.signal(signal.SIGPROF, before)
    assert content(tmp_path) == WRITES


@pytest.mark.parametrize(
    ("path", "before"), [("a.yaml", b"older"), ("a.yaml", None), ("made/d.yaml", b""), ("gone/c.yaml", b"ol")]
)
def test_concurrent_changes_are_not_reverted(tmp_path: Path, path: str, before: bytes | None) -> None:
    for name, text in BEFORE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    with pytest.raises(DiagnosticError) as raised:
        change_files(tmp_path, WRITES, ["gone/c.yaml"], {**BEFORE, path: before})
    [found] = raised.value.diagnostics
    assert found.message == f"{path} was changed by someone else while this command was at work"
    assert content(tmp_path) == BEFORE


def test_ignored_signals_stay_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        change_files(tmp_path, WRITES, [], {})
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert content(tmp_path) == WRITES


def test_files_named_like_remains_of_a_killed_run_are_kept(tmp_path: Path) -> None:
    remains = {".a.yaml.vmrender-new": b"a source", ".a.yaml.vmrender-old": b"another"}
    for name, text in remains.items():
        (tmp_path / name).write_bytes(text)

    change_files(tmp_path, WRITES, [], {})

    assert content(tmp_path) == {**WRITES, **remains}


def test_files_with_the_longest_names_are_changed(tmp_path: Path) -> None:
    writes = {"a" * 255: b"new", "ä" * 127: b"new", "a" * 254: b"new"}

    change_files(tmp_path, writes, [], {})

    assert content(tmp_path) == writes


def test_file_system_without_hard_links_is_supported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    (tmp_path / "a.yaml").write_bytes(b"old")
    (tmp_path / "made").write_bytes(b"a file where a folder has to be")
    monkeypatch.setattr(os, "link", link)
    with pytest.raises(DiagnosticError):
        change_files(tmp_path, WRITES, [], {})
    assert content(tmp_path) == {"a.yaml": b"old", "made": b"a file where a folder has to be"}
    (tmp_path / "made").unlink()
    change_files(tmp_path, WRITES, [], {})
    assert content(tmp_path) == WRITES
