"""Time saved by caches and more processors, in a repository of 10,000 virtual machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from shlex import quote

from tests.benchmarks.comparison import CACHE, VMRENDER, Command, Work, measure, run
from tests.benchmarks.inputs import write_repository
from tests.benchmarks.kustomize import cold_render
from tests.benchmarks.table import Row, ratio

_OVERLAYS, _VMS = 200, 50
_CHECK: Command = VMRENDER, "render", "--check"
_EDITIONS = count(1)


def against_cold_runs(runs: int) -> Iterator[Row]:
    project = Path("repository")
    write_repository(project, _OVERLAYS, _VMS)
    edited = project / "overlays/site-100/virtual-machines.yaml"

    one_job = cold_render(project, runs, "--jobs", "1")
    two_jobs = cold_render(project, runs, "--jobs", "2")
    check = Work([_CHECK], runs, project)
    edit = Work([(VMRENDER, "render")], runs, project, before=lambda: _edit(edited))
    halves = _side_by_side(runs)
    # The tree equals that of a run without cache and workers.
    anew = Work([(*_CHECK, "--no-cache", "--jobs", "1")], 1, project)
    for work in (one_job, edit, anew, two_jobs, anew):
        run(work)

    # The first check reads the new tree, as after a checkout; later ones know its files by their times.
    works = [one_job, check, check, edit, two_jobs, halves]
    cold, first, unchanged, changed, parallel, at_once = measure(works)
    repository, reference = f"{_OVERLAYS} overlays of {_VMS} VMs", "`vmrender render`, cold"
    yield ratio(
        f"`vmrender render --check`, {repository}, nothing changed", unchanged.cpu, reference, cold.cpu, 0.04
    )
    yield ratio("the same, the first check of a new tree", first.cpu, reference, cold.cpu)
    yield ratio(f"`vmrender render`, {repository}, one file changed", changed.cpu, reference, cold.cpu, 0.06)
    yield ratio(
        f"`vmrender render --jobs 2`, {repository}, cold, on the clock",
        parallel.wall,
        "`--jobs 1`",
        cold.wall,
        0.6,
    )
    yield ratio(
        "the same, against two runs at once",
        parallel.wall,
        "half of the overlays each, `--jobs 1`",
        at_once.wall,
    )


def _side_by_side(runs: int) -> Work:
    """Two repositories with half of the overlays each, rendered at once, each by one process."""
    halves = [Path("first-half"), Path("second-half")]
    for half in halves:
        write_repository(half, _OVERLAYS // 2, _VMS)
    first, second = (f"(cd {half} && {quote(VMRENDER)} render --jobs 1)" for half in halves)
    missing = (*(half / "rendered" for half in halves), CACHE)
    return Work([("sh", "-ec", f"{first} & first=$!; {second}; wait $first")], runs, missing=missing)


def _edit(file: Path) -> None:
    """Another description of its first virtual machine."""
    line = f"description: Edition {next(_EDITIONS)}."
    file.write_text(re.sub(r"description: .*", line, file.read_text(), count=1))
