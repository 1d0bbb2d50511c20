"""``python -m tests.benchmarks``: the table of BENCHMARKS.md, measured here and now.

CPU time (user and system, of the program and its threads) is what a pipeline pays for and what a busy machine
disturbs least. The commands that are compared take turns; the table has the median of their runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import expansion

ROOT = Path(__file__).parents[2]
UPSTREAM_CATALOG = ROOT / "../shared/catalogs/common-instancetypes-v1.7.0"
OUR_CATALOG = ROOT / "catalog/common-instancetypes/v1.7.0"
#: What the catalog is called while it is measured, wherever it stands.
CATALOG = "common-instancetypes"
VMRENDER = str(Path(sys.executable).with_name("vmrender"))


@dataclass(frozen=True)
class Comparison:
    """Two commands; ``limit`` is the ratio of our CPU time to theirs that we promise, None for no promise."""

    ours: Sequence[str]
    theirs: Sequence[str]
    limit: float | None = None


START_COMPARISONS = (
    Comparison((VMRENDER, "--version"), (sys.executable, "-c", "import click"), limit=2),
    Comparison((VMRENDER, "--version"), (sys.executable, "-c", "pass")),
)


def main() -> None:
    options = argparse.ArgumentParser(prog="make bench", description=__doc__)
    options.add_argument("--catalog", type=Path, default=upstream_catalog(), help="a kustomization to build")
    options.add_argument("--runs", type=int, default=15, help="of each command [default: %(default)s]")
    chosen = options.parse_args()

    with TemporaryDirectory() as folder:
        os.chdir(folder)
        copy_catalog(chosen.catalog)
        print(f"{machine()}, CPython {platform.python_version()}; median CPU time of {chosen.runs} runs.\n")
        print("| command | CPU | against | CPU | ratio | at most |")
        print("|---|--:|---|--:|--:|--:|")
        for comparison in (*kustomize_comparison(chosen.catalog), *START_COMPARISONS):
            print(row(comparison, measure([comparison.ours, comparison.theirs], chosen.runs)))
    expansion.report(chosen.runs)


def upstream_catalog() -> Path | None:
    """The release as upstream published it, where this machine has it."""
    named = os.environ.get("VMRENDER_BENCH_CATALOG")
    if named:
        return Path(named)
    return UPSTREAM_CATALOG if UPSTREAM_CATALOG.is_dir() else None


def copy_catalog(catalog: Path | None) -> None:
    """Puts it into ``CATALOG``; else ours as plain resources, as kustomize does not know our generators."""
    if catalog:
        shutil.copytree(catalog, CATALOG)
        return
    Path(CATALOG).mkdir()
    Path(CATALOG, "kustomization.yaml").write_text("resources: [manifests.yaml]\n")
    Path(CATALOG, "manifests.yaml").write_bytes(output((VMRENDER, "build", str(OUR_CATALOG))))


def kustomize_comparison(catalog: Path | None) -> Sequence[Comparison]:
    if not shutil.which("kubectl"):
        print("no kubectl on this machine: vmrender build is not compared with kustomize", file=sys.stderr)
        return ()
    ours, theirs = (VMRENDER, "build", CATALOG), ("kubectl", "kustomize", CATALOG)
    if output(ours) != output(theirs):
        print(f"vmrender and kustomize print different things for {CATALOG}", file=sys.stderr)
    if not catalog:
        print("no upstream catalog on this machine: ours is built, as plain resources", file=sys.stderr)
    return (Comparison(ours, theirs, limit=0.25 if catalog else None),)


def measure(commands: Sequence[Sequence[str]], runs: int) -> Mapping[Sequence[str], float]:
    """The median CPU time of each command in seconds; its first run warms the caches and is left out."""
    times: dict[Sequence[str], list[float]] = {command: [] for command in commands}
    for _ in range(runs + 1):
        for command, measured in times.items():
            measured.append(cpu_time(command))
    return {command: statistics.median(measured[1:]) for command, measured in times.items()}


def cpu_time(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def output(command: Sequence[str]) -> bytes:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def row(comparison: Comparison, times: Mapping[Sequence[str], float]) -> str:
    ours, theirs = times[comparison.ours], times[comparison.theirs]
    cells = (
        f"`{shown(comparison.ours)}`",
        f"{ours * 1000:.0f} ms",
        f"`{shown(comparison.theirs)}`",
        f"{theirs * 1000:.0f} ms",
        f"{ours / theirs:.2f}",
        "" if comparison.limit is None else f"{comparison.limit:g}",
    )
    return f"| {' | '.join(cells)} |"


def shown(command: Sequence[str]) -> str:
    program, *arguments = command
    quoted = (f'"{argument}"' if " " in argument else argument for argument in arguments)
    return " ".join((Path(program).name, *quoted))


def machine() -> str:
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{next(models, platform.processor() or platform.machine())}, {os.cpu_count()} CPUs"


if __name__ == "__main__":
    main()
