"""A bound on the CPU time of a command, for work that no stage counts.

Steps (``model.run.work``) decide what is too much, the same on every machine. But a loop that nobody thought
of as expensive counts none, and a pull request may be written for it. Such a run ends after the CPU time that
its steps and files explain several times over.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from renderer.model.run.work import CpuLimitError, allowed_seconds

#: Seconds of CPU time between two signals of the timer.
_INTERVAL = 1


@contextmanager
def limited_cpu() -> Iterator[None]:
    """End the block with ``CpuLimitError`` when this process has taken more CPU time than it may.

    A timer of the system tells (``ITIMER_PROF``). Windows does not have it, only the main thread can use it,
    and a profiler may need it: then nothing is bounded.
    """
    import signal  # noqa: PLC0415 - makes sixty constants

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or signal.getsignal(signal.SIGPROF) != signal.SIG_DFL:
        yield
        return
    seconds = 0

    def count(_signal: int, _frame: FrameType | None) -> None:
        nonlocal seconds
        seconds += _INTERVAL
        if seconds >= allowed_seconds():
            raise CpuLimitError(seconds)

    signal.signal(signal.SIGPROF, count)
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
