"""Progress of a use case: what it tells while it is at work, and how long its steps take.

This is the only module of the use cases that looks at a clock.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from time import perf_counter
from typing import Protocol

from renderer.app.tree_result import TreeResult


class Reporter(Protocol):
    """Receives the progress of a use case; a use case prints nothing itself."""

    def doing(self, what: str) -> AbstractContextManager[None]:
        """Tell that ``what`` is being done as long as the context lasts."""

    def detail(self, text: str) -> None:
        """Tell what was done and how long it took, for those who want to know."""

    def note(self, text: str) -> None:
        """Tell what the user should know but what is no finding, such as a repair."""

    def tree(self, result: TreeResult) -> None:
        """Tell that one rendered tree was written, compared or removed."""


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
