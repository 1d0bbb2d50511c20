"""The bounds for handling an input: time, memory, and access to the system."""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

#: Seconds of work that one input may cause.
MAX_SECONDS = 5
#: Bytes that it may need beyond what the process has.
MAX_MEMORY = 1 << 30

_REPOSITORY = Path(__file__).resolve().parents[2]
#: What the program itself consists of.
_PROGRAM = (
    *(str(_REPOSITORY / name) for name in ("renderer", "schemas", "catalog", "tests")),
    *(path for path in map(os.path.realpath, sys.path) if not _REPOSITORY.is_relative_to(path)),
)
_COMPILED = "__pycache__"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REACHING = (
    *("socket.", "http.", "urllib.", "ssl.", "ftplib.", "smtplib.", "webbrowser.", "subprocess.", "pty."),
    *("os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "open"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.utime"),
)


class TooSlowError(AssertionError):
    """An input that takes longer than any valid one of its size."""


class ReachedOutError(AssertionError):
    """An input that made the program open a socket, a process or a foreign file."""


class _Watch:
    """An audit hook: Python reports system calls to it from the first use until the process ends."""

    def __init__(self) -> None:
        self.is_hooked = False
        self.is_on = False
        self.own: tuple[str, ...] = ()
        self.attempt = ""

    def on(self, own: tuple[str, ...]) -> None:
        if not self.is_hooked:
            self.is_hooked = True
            sys.addaudithook(self._hook)
        self.is_on, self.own, self.attempt = True, own, ""

    def off(self) -> None:
        self.is_on = False

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_on and event.startswith(_REACHING) and not self._is_own(event, arguments):
            self.attempt = f"{event} {arguments!r}"[:300]
            raise ReachedOutError(self.attempt)

    def _is_own(self, event: str, arguments: tuple[object, ...]) -> bool:
        path = arguments[0]
        if event == "open" and isinstance(path, int):  # it is open already
            return True
        if not isinstance(path, str | bytes):
            return False
        real = os.path.realpath(os.fsdecode(path))
        if _COMPILED in real or real.startswith(self.own):
            return True
        flags = arguments[-1]
        is_read = event == "open" and isinstance(flags, int) and not flags & _WRITING
        return is_read and real.startswith(_PROGRAM)


_WATCH = _Watch()


@contextmanager
def bounds(*folders: str, is_watched: bool = True) -> Iterator[None]:
    """Time is the processor's, so that a busy machine is not a finding.

    ``folders`` may be read and changed; what is not watched may do anything in time.

    Raises ``AssertionError`` or ``MemoryError``.
    """
    before = signal.signal(signal.SIGPROF, _too_slow)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_size() + MAX_MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        if is_watched:
            _WATCH.on(folders)
        yield
    finally:
        _WATCH.off()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)
    if is_watched and _WATCH.attempt:  # what was raised for it has been caught
        raise ReachedOutError(_WATCH.attempt)


def _size() -> int:
    """Bytes of address space that the process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"more than {MAX_SECONDS} s of work")
