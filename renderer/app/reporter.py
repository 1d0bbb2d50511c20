"""Progress of a use case: its reports while it works, and the duration of its steps.

This is the only module of the use cases that reads a clock.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Protocol

from renderer.app.tree_result import TreeResult


class Reporter(Protocol):
    """Receives the progress of a use case; a use case prints nothing itself."""

    def doing(self, what: str) -> AbstractContextManager[None]:
        """Report that ``what`` is being done while the context is active."""

    def detail(self, text: str) -> None:
        """Report a finished step and its duration, for verbose output."""

    def note(self, text: str) -> None:
        """Report something to the user that is not a finding, such as a repair."""

    def tree(self, result: TreeResult) -> None:
        """Report that one rendered tree was written, compared or removed."""


class Silent:
    """A reporter that shows nothing."""

    def doing(self, _what: str) -> AbstractContextManager[None]:
        return nullcontext()

    def detail(self, text: str) -> None:
        """Ignore the detail."""

    def note(self, text: str) -> None:
        """Ignore the note."""

    def tree(self, result: TreeResult) -> None:
        """Ignore the tree."""


class Stopwatch:
    """Measures time from the moment it is made."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()

    def lap(self) -> str:
        """Return the time since the last lap, as ``12 ms`` or ``3.4 s``."""
        before, self._last = self._last, perf_counter()
        return _time_text(self._last - before)

    def total(self) -> str:
        """Return the time since the stopwatch was made, as ``12 ms`` or ``3.4 s``."""
        return _time_text(self.seconds())

    def seconds(self) -> float:
        """Return the time since the stopwatch was made, in seconds."""
        return perf_counter() - self._start


def _time_text(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
