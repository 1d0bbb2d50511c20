"""The physical floor of a cold render: to start Python, read the input, hash the output and write it.

Nothing of the floor is of ours: it is what no renderer in Python can leave out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.comparison import Usage, Work, measure, run
from tests.benchmarks.inputs import write_overlay
from tests.benchmarks.kustomize import build, cold_render
from tests.benchmarks.steps import measured
from tests.benchmarks.table import megabytes, table, time

_VMS = 1_000


class Floor(NamedTuple):
    """CPU seconds of each part of the floor, and of the two commands above it."""

    parts: Mapping[str, float]
    build: Usage
    render: Usage

    @property
    def of_build(self) -> float:
        """Seconds of the parts of a command that writes to standard output."""
        start, read, *_ = self.parts.values()
        return start + read

    @property
    def of_render(self) -> float:
        return sum(self.parts.values())


def measure_floor(runs: int) -> Floor:
    """Render a project, and repeat the work that no renderer can avoid."""
    project = Path("floor")
    write_overlay(project, _VMS)
    run(cold_render(project, 1))
    sources = [file for folder in ("base", "prod") for file in (project / folder).iterdir()]
    outputs = {file.name: file.read_bytes() for file in (project / "rendered").rglob("*") if file.is_file()}
    size = sum(file.stat().st_size for file in sources)
    written = sum(map(len, outputs.values()))
    python = Work([(sys.executable, "-c", "pass")], runs)
    start, built, rendered = measure(
        [python, Work([build(project / "prod")], runs), cold_render(project, runs)]
    )
    parts = {
        "start Python": start.cpu,
        f"read {megabytes(size)}": measured(lambda: [file.read_bytes() for file in sources], runs),
        f"hash {megabytes(written)}": measured(lambda: [sha256(each) for each in outputs.values()], runs),
        f"write {len(outputs):,} files": measured(lambda: _write(outputs), runs),
    }
    return Floor(parts, built, rendered)


def _write(files: Mapping[str, bytes]) -> None:
    """Write the files into a new folder so that they survive a crash."""
    folder = Path(f"floor-{os.getpid()}")
    folder.mkdir()
    for name, content in files.items():
        with (folder / name).open("wb") as opened:
            opened.write(content)
            os.fsync(opened.fileno())


def first_line(floor: Floor) -> str:
    """Return the sentence that the page begins with."""
    return (
        f"Above the floor of what a machine has to do, `vmrender render` of {_VMS:,} VMs takes "
        f"**{floor.render.cpu / floor.of_render:.1f} times** its CPU time, and `vmrender build --expand off` "
        f"{floor.build.cpu / floor.of_build:.1f} times."
    )


def floor_table(floor: Floor) -> str:
    return table(("", "CPU", "of the floor"), _rows(floor))


def _rows(floor: Floor) -> Iterator[tuple[str, str, str]]:
    whole = floor.of_render
    for part, seconds in floor.parts.items():
        yield part, _shown(seconds), f"{seconds / whole:.2f}"
    yield "the floor of `vmrender render`", time(whole), "1.00"
    yield f"`vmrender render`, {_VMS:,} VMs, cold", time(floor.render.cpu), f"{floor.render.cpu / whole:.2f}"
    yield "the floor of `vmrender build`, without output files", time(floor.of_build), "1.00"
    above = floor.build.cpu / floor.of_build
    yield f"`vmrender build --expand off`, {_VMS:,} VMs", time(floor.build.cpu), f"{above:.2f}"


def _shown(seconds: float) -> str:
    return time(seconds) if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"
