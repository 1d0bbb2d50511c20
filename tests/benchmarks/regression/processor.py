"""Instructions of the processor as counted by Valgrind, including the work of libraries in C.

Another build of the same Python release needs more or fewer of them. So they are given in yardsticks: a
program without our code, counted along with the command.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from tests.benchmarks.inputs import virtual_machines
from tests.benchmarks.regression.workloads import Workload, run

_VALGRIND = "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"
_TOTAL = re.compile(r"I\s+refs:\s+([\d,]+)")
_YARDSTICK = """\
import click, yaml
documents = list(yaml.load_all(open("vms.yaml"), yaml.CSafeLoader))
yaml.dump_all(documents, Dumper=yaml.CSafeDumper)
"""
_VMS = 100


def is_at_hand() -> bool:
    return shutil.which("valgrind") is not None


def yardstick(folder: Path) -> int:
    """The instructions of starting, reading virtual machines and writing them with click and PyYAML alone."""
    folder.mkdir()
    (folder / "vms.yaml").write_text(virtual_machines(_VMS))
    program = sys.executable, "-c", _YARDSTICK
    run(folder, *program)
    return _total(run(folder, *_VALGRIND, *program))


def instructions(workload: Workload) -> int:
    return _total(workload.run(*_VALGRIND, sys.executable, "-m", "renderer"))


def _total(log: str) -> int:
    found = _TOTAL.search(log)
    if not found:
        raise SystemExit(f"Valgrind did not count:\n{log}")
    return int(found[1].replace(",", ""))
