"""Programs that take turns: the CPU time, the wall-clock time and the memory of each.

CPU time (user and system, of the programs and those they wait for) is what a pipeline pays for and what a
busy machine disturbs least.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from filecmp import cmp
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from time import perf_counter
from typing import NamedTuple

Command = Sequence[str]

VMRENDER = str(Path(sys.executable).with_name("vmrender"))
#: Caches that runs leave for later ones, not the user's own. The key of the cache is next to it.
CACHE = Path("cache")
_STATE = Path("state")


class Work(NamedTuple):
    """Commands that are run one after the other in ``folder``, all of them ``runs`` times.

    Each time, what ``missing`` names is moved away first, and ``before`` is called. ``code``: how they end.
    """

    commands: Sequence[Command]
    runs: int
    folder: Path = Path()
    missing: Sequence[Path] = ()
    before: Callable[[], object] | None = None
    code: int = 0


class Usage(NamedTuple):
    """Seconds of all commands, and bytes of the largest process among them."""

    cpu: float
    wall: float
    peak: float


def measure(works: Sequence[Work]) -> list[Usage]:
    """The median of each figure for each workload; they take turns in this order."""
    usages: list[list[Usage]] = [[] for _ in works]
    for turn in range(max(work.runs for work in works)):
        for work, measured in zip(works, usages, strict=True):
            if turn < work.runs:
                measured.append(run(work))
    return [Usage(*map(statistics.median, zip(*measured, strict=True))) for measured in usages]


def run(work: Work) -> Usage:
    for path in work.missing:
        if path.exists():
            # Not removed: some file systems are slow for seconds after that.
            path.rename(Path(mkdtemp(dir=".")) / path.name)
    if work.before:
        work.before()
    usages = [_run(command, work.folder, work.code) for command in work.commands]
    cpu, wall, peak = zip(*usages, strict=True)
    return Usage(sum(cpu), sum(wall), max(peak))


def _run(command: Command, folder: Path, code: int) -> Usage:
    began = perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        log = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != code:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}\n{log.decode()}")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Usage(used.ru_utime + used.ru_stime, perf_counter() - began, peak)


def _environment() -> dict[str, str]:
    return os.environ | {"XDG_CACHE_HOME": str(CACHE.absolute()), "XDG_STATE_HOME": str(_STATE.absolute())}


def check_same_output(ours: Command, theirs: Command) -> None:
    """End the run if the outputs of the programs differ."""
    with TemporaryDirectory() as folder:
        our_file, their_file = Path(folder, "ours"), Path(folder, "theirs")
        print_into(our_file, ours)
        print_into(their_file, theirs)
        if not cmp(our_file, their_file, shallow=False):
            raise SystemExit(f"`{' '.join(ours)}` and `{' '.join(theirs)}` print different things")


def print_into(file: Path, command: Command) -> None:
    with file.open("wb") as opened:
        subprocess.run(command, env=_environment(), check=True, stdout=opened, stderr=subprocess.DEVNULL)
