"""A bound on the CPU time of a command, for work that no stage counts.

Steps (``model.run.work``) decide what is too much, the same on every machine. But a loop that nobody thought
of as expensive counts none, and a pull request may be written for it. Such a run ends after the CPU time that
its steps and files explain several times over.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from types import FrameType

from renderer.model.run.work import CpuLimitError, allowed_seconds

#: Seconds of CPU time between two looks at it, and for what is undone after the end.
_INTERVAL, _FOR_UNDOING = 1, 5


@contextmanager
def limited_cpu(*, of_process: bool = False) -> Iterator[None]:
    """End the block with ``CpuLimitError`` when this process has used more CPU time than it may.

    ``of_process``: all its time counts, also that of earlier blocks.
    A timer of the system (``ITIMER_PROF``) interrupts the block to look. Nothing is bounded where there is
    none (Windows), outside of the main thread, which alone gets signals, and while a profiler uses the timer.
    """
    import signal  # noqa: PLC0415 - makes sixty constants

    is_main = threading.current_thread() is threading.main_thread()
    # A forked worker inherits the handler of its parent, but not the timer.
    if not is_main or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_PROF) != (0.0, 0.0):
        yield
        return
    begin, ended = 0 if of_process else process_time(), float("-inf")

    def check(_signal: int, _frame: FrameType | None) -> None:
        nonlocal ended
        seconds = process_time() - begin  # signals during one call of C arrive as one
        if seconds >= max(allowed_seconds(), ended + _FOR_UNDOING):
            ended = seconds
            raise CpuLimitError(int(seconds))

    former = signal.signal(signal.SIGPROF, check)
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    try:
        check(signal.SIGPROF, None)  # many short blocks may end before the timer does
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former or signal.SIG_DFL)  # None: not of Python
