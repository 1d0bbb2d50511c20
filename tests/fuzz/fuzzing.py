"""One target tried with many inputs, random or guided."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from tests.fuzz.bounds import bounds
from tests.fuzz.target import Target

#: Kept between runs: inputs that failed, and inputs that reached new code.
KEPT = Path(".hypothesis/fuzz")


class Fuzzing:
    """Tries inputs of one target; each method raises the error of the first failing one, reduced."""

    def __init__(
        self, fuzzed: Target, database: ExampleDatabase | None = None, *, is_bounded: bool = True
    ) -> None:
        self.tried = 0
        self._fuzzed = fuzzed
        self._is_bounded = is_bounded and not fuzzed.program
        self._settings = settings(
            database=database,
            deadline=None,
            phases=set(Phase) - {Phase.explain},  # which traces every line, and is slow
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )

    def try_some(self, examples: int, *, always_the_same: bool = False) -> None:
        """Yield the inputs that failed before, and so many more."""
        self._property(settings(self._settings, max_examples=examples, derandomize=always_the_same))()

    def steered(self) -> Callable[[bytes], object]:
        """Try the input encoded in bytes; keep a failing one for ``try_some`` to reduce."""
        tried: Any = self._property(self._settings)
        steered: Callable[[bytes], object] = tried.hypothesis.fuzz_one_input
        return steered

    def _property(self, chosen: settings) -> Callable[[], None]:
        @chosen
        @given(self._fuzzed.inputs)
        def run(value: object) -> None:
            self.tried += 1
            is_watched = not self._fuzzed.starts_programs
            with bounds(*self._fuzzed.folders, is_watched=is_watched) if self._is_bounded else nullcontext():
                self._fuzzed.check(value)

        return run


def kept_failures(name: str) -> DirectoryBasedExampleDatabase:
    """Of the target with this name."""
    return DirectoryBasedExampleDatabase(KEPT / name / "failed")
