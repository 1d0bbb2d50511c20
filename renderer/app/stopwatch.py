"""How long things take, for ``--verbose``: the only place where vmrender looks at a clock."""

from __future__ import annotations

from time import perf_counter


class Stopwatch:
    """Runs from the moment it is made."""

    def __init__(self) -> None:
        self._start = self._last = perf_counter()

    def lap(self) -> str:
        """The time since the last lap, as ``12 ms`` or ``3.4 s``."""
        before, self._last = self._last, perf_counter()
        return _described(self._last - before)

    def total(self) -> str:
        return _described(self.seconds())

    def seconds(self) -> float:
        """The time since it was made."""
        return perf_counter() - self._start


def _described(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
