"""What is fuzzed: inputs, what is done with each, and the bounds within which it has to be done."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase

#: Seconds of work that one input may cause.
MAX_SECONDS = 5
#: Bytes that it may need beyond what the process has.
MAX_MEMORY = 1 << 30

SEEDS = Path(__file__).parent / "seeds"
NAMES = tuple(
    sorted(
        module.stem
        for module in (Path(__file__).parent / "targets").glob("*.py")
        if not module.stem.startswith("_")
    )
)


class Target(NamedTuple):
    """``check`` raises for an input that is neither used nor refused with a ``DiagnosticError``."""

    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], object]


class TooSlowError(AssertionError):
    """An input that is worked on for longer than anything of its size needs."""


def target(name: str) -> Target:
    """The target in the module ``targets.<name>``."""
    found: Target = import_module(f"tests.fuzz.targets.{name}").TARGET
    return found


def fuzz(
    fuzzed: Target, examples: int, *, database: ExampleDatabase | None = None, derandomize: bool = False
) -> int:
    """Tries so many inputs. Returns how many there were; raises what the first bad one, made small, did."""
    tried = 0

    @settings(
        max_examples=examples,
        database=database,
        derandomize=derandomize,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(fuzzed.inputs)
    def run(value: object) -> None:
        nonlocal tried
        tried += 1
        with _bounds():
            fuzzed.check(value)

    run()
    return tried


@contextmanager
def _bounds() -> Iterator[None]:
    """Time is the processor's, so that a busy machine is no finding."""
    before = signal.signal(signal.SIGPROF, _too_slow)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_size() + MAX_MEMORY, limits[1]))
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _size() -> int:
    """Bytes of address space that the process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _too_slow(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlowError(f"more than {MAX_SECONDS} s of work")
