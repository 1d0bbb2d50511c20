"""Time of the steps of each command, for a thousand virtual machines in one overlay."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks.comparison import CACHE, Work, run
from tests.benchmarks.inputs import virtual_machines, write_overlay
from tests.benchmarks.table import table

_VMS = 1_000
_SAMPLED = str(Path(__file__).with_name("sampled.py"))
STEPS = (
    "start Python",
    "imports",
    "command line",
    "find, read",
    "parse",
    "compose",
    "expand",
    "validate",
    "admit",
    "rules",
    "encode",
    "hash",
    "write",
    "compare, write",
    "cache",
    "diff",
    "explain",
    "report",
    "other",
)
#: Commands with their arguments; cold ones find nothing of earlier runs.
_COMMANDS: Mapping[str, tuple[Sequence[str], bool]] = {
    "build": (("build", "prod"), True),
    "build --expand off": (("build", "--expand", "off", "prod"), True),
    "validate": (("validate",), True),
    "expand": (("expand", "plain.yaml"), True),
    "explain": (("explain", "vm/prod-vm-0000", "spec.runStrategy", "--overlay", "prod"), True),
    "render": (("render",), True),
    "render --check": (("render", "--check"), False),
    "diff": (("diff",), False),
}


def commands_table(runs: int) -> str:
    """Milliseconds of CPU time of each step of each command; the medians of ``runs``."""
    project = Path("commands")
    write_overlay(project, _VMS)
    (project / "plain.yaml").write_text(virtual_machines(_VMS), encoding="utf-8")
    _commit(project)
    columns = [_medians([_sampled(project, *_COMMANDS[name]) for _ in range(runs)]) for name in _COMMANDS]
    rows = [
        (step, *(_milliseconds(column.get(step, 0)) for column in columns))
        for step in STEPS
        if any(column.get(step) for column in columns)
    ]
    total = "all", *(_milliseconds(sum(column.values())) for column in columns)
    return table(("ms", *(f"`{name}`" for name in _COMMANDS)), [*rows, total])


def _commit(project: Path) -> None:
    """Make the project a Git repository, for ``diff`` to compare with."""
    author = "-c", "user.name=bench", "-c", "user.email=bench@example.org"
    for arguments in (("init", "-q"), ("add", "."), (*author, "commit", "-qm", "all of it")):
        subprocess.run(("git", *arguments), cwd=project, check=True)


def _sampled(project: Path, arguments: Sequence[str], is_cold: bool) -> dict[str, float]:  # noqa: FBT001 - from the table
    if is_cold:
        for kept in (project / "rendered", CACHE):
            shutil.rmtree(kept, ignore_errors=True)
    file = project.absolute() / "steps.json"
    run(Work([(sys.executable, "-P", _SAMPLED, str(file), *arguments)], 1, project))
    steps: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return steps


def _medians(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {step: statistics.median(run.get(step, 0) for run in runs) for step in STEPS}


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f}" if seconds >= 0.0005 else ""
