"""The figures of BENCHMARKS.md, measured here and now: ``make bench``, or ``python -m tests.benchmarks``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.benchmarks import (
    commands,
    expansion,
    findings,
    floor,
    growth,
    kustomize,
    startup,
    steps,
    unchanged,
)
from tests.benchmarks.page import write_figures
from tests.benchmarks.table import Row, promises

_COMMANDS = (
    "Where the CPU time of each command goes, in milliseconds: 1,000 VMs in one overlay, median of 3 runs."
)
_LONG = 3  # runs of benchmarks that take seconds


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    options.add_argument("--catalog", type=Path, default=kustomize.upstream_catalog(), help="its folder")
    options.add_argument("--runs", type=int, default=7, help="of what is short [default: %(default)s]")
    options.add_argument("--slow", action="store_true", help="also what takes kustomize minutes")
    options.add_argument("--write", action="store_true", help="put the figures into BENCHMARKS.md")
    chosen = options.parse_args()
    catalog = chosen.catalog and chosen.catalog.resolve()

    with TemporaryDirectory() as folder, chdir(folder):
        figures = measured(catalog, chosen.runs, slow=chosen.slow)
    print(figures)
    if chosen.write:
        write_figures(figures)


def measured(catalog: Path | None, runs: int, *, slow: bool) -> str:
    """Return all tables in Markdown; progress goes to standard error."""
    rows: list[Row] = []
    began = monotonic()
    if shutil.which("kubectl"):
        say("against kubectl kustomize")
        rows += kustomize.against_kustomize(catalog, runs)
    else:
        say("no kubectl on this machine: nothing is compared with kustomize")
    say("growth to 10,000 VMs")
    grown = growth.measure_growth(runs, min(runs, _LONG), slow=slow)
    rows += growth.growth_rows(grown)
    say("the cost of findings")
    rows += findings.findings_rows(min(runs, _LONG))
    say("what runs take from earlier ones")
    rows += unchanged.against_cold_runs(min(runs, _LONG))
    say("the start of every command")
    started = startup.measure_startup(runs)
    rows += startup.startup_rows(started)
    rows.append(growth.per_vm_row(grown, started.programs[startup.REFERENCE]))
    say("the floor")
    least = floor.measure_floor(min(runs, _LONG))
    say("each step alone")
    measured = commands.commands_table(min(runs, _LONG))
    parts = (
        floor.first_line(least),
        f"{machine()}. CPU time, median of up to {runs} runs.",
        promises(rows),
        "### The floor",
        floor.floor_table(least),
        "### Growth",
        growth.growth_table(grown),
        "### Start-up",
        startup.startup_table(started),
        "### Steps",
        printed(lambda: steps.report(min(runs, steps.RUNS))),
        "### Commands",
        _COMMANDS,
        measured,
        "### Expansion",
        printed(lambda: expansion.report(min(runs, _LONG))),
    )
    say(f"done in {(monotonic() - began) / 60:.1f} minutes")
    for row in rows:
        if row.is_missed:
            say(f"missed: {row.what}")
    return "\n".join(f"{part.strip()}\n" for part in parts)


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def printed(report: Callable[[], None]) -> str:
    with redirect_stdout(StringIO()) as output:
        report()
    return output.getvalue()


def machine() -> str:
    """The processor, and the releases that matter."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    packages = ", ".join(f"{name} {version(name)}" for name in ("click", "PyYAML", "jsonschema-rs"))
    model = next(models, platform.processor() or platform.machine())
    return f"{model}, {os.cpu_count()} CPUs; CPython {platform.python_version()}, {packages}{kubectl()}"


def kubectl() -> str:
    if not shutil.which("kubectl"):
        return ""
    command = "kubectl", "version", "--client", "--output", "json"
    versions = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return f"; kustomize {versions['kustomizeVersion']} in kubectl {versions['clientVersion']['gitVersion']}"


if __name__ == "__main__":
    main()
