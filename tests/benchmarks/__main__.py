"""The tables of BENCHMARKS.md, measured here and now: ``make bench``, or ``python -m tests.benchmarks``."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import expansion, kustomize, startup
from tests.benchmarks.comparison import TABLE_HEAD, row


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    options.add_argument("--catalog", type=Path, default=kustomize.upstream_catalog(), help="its folder")
    options.add_argument(
        "--runs", type=int, default=7, help="of each command, at most [default: %(default)s]"
    )
    options.add_argument("--slow", action="store_true", help="also what takes kustomize minutes")
    chosen = options.parse_args()
    catalog = chosen.catalog and chosen.catalog.resolve()

    with TemporaryDirectory() as folder:
        os.chdir(folder)
        python = platform.python_version()
        print(f"{machine()}, CPython {python}; CPU time, median of up to {chosen.runs} runs\n")
        print(TABLE_HEAD)
        if shutil.which("kubectl"):
            for comparison in kustomize.comparisons(catalog, chosen.runs, slow=chosen.slow):
                print(row(comparison), flush=True)
        else:
            print("no kubectl on this machine: nothing is compared with kustomize", file=sys.stderr)
        for comparison in startup.comparisons(chosen.runs):
            print(row(comparison), flush=True)
        startup.report(chosen.runs)
    expansion.report(chosen.runs)


def machine() -> str:
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{next(models, platform.processor() or platform.machine())}, {os.cpu_count()} CPUs"


if __name__ == "__main__":
    main()
