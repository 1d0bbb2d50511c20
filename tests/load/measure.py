"""Run vmrender on a load, and measure it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.load.loads import Load

_KIB = 1024
#: In a separate process: a program counts the memory of its parent as its own.
_MEASURING = """\
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CPU, (600, 602))
process = subprocess.Popen(sys.argv[2:], stdin=open(sys.argv[1]), stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class Took(NamedTuple):
    """Seconds of work of all processes, and bytes of the largest of them."""

    code: int
    seconds: float
    memory: int


def measured(load: Load, size: int) -> Took:
    """Measure a load; ``size`` replaces its default."""
    with tempfile.TemporaryDirectory() as folder:
        load.write(Path(folder), size)
        return measured_command(Path(folder), load.command)


def measured_command(folder: Path, command: tuple[str, ...], stdin: Path | None = None) -> Took:
    """Measure a command in a folder."""
    measuring = subprocess.run(
        (
            sys.executable,
            "-c",
            _MEASURING,
            str(stdin or os.devnull),
            sys.executable,
            "-m",
            "renderer",
            *command,
        ),
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": f"{folder}/.cache"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    code, seconds, memory = measuring.stdout.split()
    return Took(int(code), float(seconds), int(memory) * _KIB)
