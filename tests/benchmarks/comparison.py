"""Two ways to the same thing, taking turns: the CPU time of each, and what the one is of the other.

CPU time (user and system, of the programs and their threads) is what a pipeline pays for and what a busy
machine disturbs least.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

Command = Sequence[str]


class Work(NamedTuple):
    """Commands that are run one after the other in ``folder``.

    The time is the median of ``runs`` of them all; of several, one more warms the caches first. Each finds
    nothing at ``fresh``.
    """

    name: str
    commands: Sequence[Command]
    runs: int
    folder: Path = Path()
    fresh: Path | None = None


class Comparison(NamedTuple):
    """``limit`` is the ratio of our CPU time to theirs that we promise, None for no promise."""

    ours: Work
    theirs: Work
    limit: float | None = None


TABLE_HEAD = "| | CPU | against | CPU | ratio | at most |\n|---|--:|---|--:|--:|--:|"


def row(comparison: Comparison) -> str:
    """The line of the table, measured now."""
    ours, theirs = measure([comparison.ours, comparison.theirs])
    limit = "" if comparison.limit is None else f"{comparison.limit:g}"
    cells = comparison.ours.name, shown(ours), comparison.theirs.name, shown(theirs), f"{ours / theirs:.3f}"
    return f"| {' | '.join((*cells, limit))} |"


def measure(works: Sequence[Work]) -> list[float]:
    """The CPU time of each in seconds, while they take turns."""
    times: list[list[float]] = [[] for _ in works]
    for turn in range(max(work.runs for work in works) + 1):
        for work, measured in zip(works, times, strict=True):
            if turn < work.runs + (work.runs > 1):
                measured.append(cpu_time(work))
    return [statistics.median(measured[-work.runs :]) for work, measured in zip(works, times, strict=True)]


def cpu_time(work: Work) -> float:
    if work.fresh and work.fresh.exists():
        # Not removed: some file systems are slow for seconds after that.
        work.fresh.rename(Path(mkdtemp(dir=".")) / work.fresh.name)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for command in work.commands:
        subprocess.run(
            command, cwd=work.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def output(command: Command, folder: Path = Path()) -> bytes:
    run = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return run.stdout


def shown(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds * 1000:.0f} ms"
