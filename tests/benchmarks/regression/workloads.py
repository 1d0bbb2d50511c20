"""The counted commands, the repositories made for them, and how they are run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.inputs import virtual_machines, write_overlay

_VMS = 100
_ROOT = Path(__file__).parents[3]
#: After so many seconds, files are known by their times to the cache, however coarse the clock is.
_SETTLED = 2.5
#: Seconds of CPU time that a command may take: each instruction takes long where it is counted.
_SECONDS = 3600


class Workload(NamedTuple):
    """``arguments`` of vmrender in ``project``; ``is_cold`` where nothing of earlier runs may be there;
    ``code`` is how it ends."""

    name: str
    arguments: Sequence[str]
    project: Path
    is_cold: bool = True
    code: int = 0

    def run(self, *program: str) -> str:
        """What Python writes to standard error that is started with ``program`` and the arguments."""
        if self.is_cold:
            for folder in (self.project / "rendered", kept_by(self.project) / "cache"):
                shutil.rmtree(folder, ignore_errors=True)
        return run(self.project, *program, *self.arguments, code=self.code)


def kept_by(project: Path) -> Path:
    """The folder of a project's caches and compiled modules, next to it."""
    return project.with_name(f"{project.name}.kept")


def write_workloads(folder: Path) -> list[Workload]:
    """All of them, with modules compiled, and the unchanged repository known to the cache."""
    cold, warm, one, wrong = (folder / name for name in ("cold", "warm", "one", "wrong"))
    write_overlay(one, 1)
    write_overlay(wrong, _VMS)
    machines = wrong / "base/virtual-machines.yaml"
    machines.write_text(machines.read_text(encoding="utf-8").replace("disk: {}", "disk: {buss: virtio}"))
    write_overlay(cold, _VMS)
    write_overlay(warm, _VMS)
    (cold / "vm.yaml").write_text(virtual_machines(1, matchers=False))
    workloads = [
        Workload("--version", ["--version"], cold),
        Workload("--help", ["--help"], cold),
        Workload("validate vm.yaml", ["validate", "vm.yaml"], cold),
        Workload("build --expand off of a VM", ["build", "--expand", "off", "prod"], one),
        Workload("build of a VM", ["build", "prod"], one),
        Workload("render of a VM", ["render"], one),
        Workload(f"build of {_VMS} VMs", ["build", "--expand", "off", "prod"], cold),
        Workload(f"render of {_VMS} VMs", ["render"], cold),
        Workload(f"build of {_VMS} VMs with errors", ["build", "prod"], wrong, code=1),
        Workload(f"render --check of {_VMS} VMs, unchanged", ["render", "--check"], warm, is_cold=False),
    ]
    run(warm, sys.executable, "-m", "renderer", "render")
    time.sleep(_SETTLED)
    for workload in workloads:
        workload.run(sys.executable, "-m", "renderer")
    return workloads


def run(project: Path, *command: str, code: int = 0) -> str:
    """What it writes to standard error, with hashes of text and what earlier runs kept as in every count."""
    kept = {
        "XDG_CACHE_HOME": str(kept_by(project) / "cache"),
        "XDG_STATE_HOME": str(kept_by(project)),
        "PYTHONPYCACHEPREFIX": str(kept_by(project) / "compiled"),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(_ROOT),
        "VMRENDER_LIMITS": f"cpu={_SECONDS}",
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=project, env=environment | kept, capture_output=True, text=True, check=False
    )
    if done.returncode != code:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stderr
