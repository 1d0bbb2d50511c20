"""The two files that are published, as they were built before (``VMRENDER_DIST``) or are built now."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Distribution:
    """The published files."""

    sdist: Path
    wheel: Path


def build(source: Path, folder: Path) -> Path:
    """Build a checkout or an unpacked sdist into ``folder`` by its backend; returns ``folder``."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)],
        check=True,
        capture_output=True,
        cwd=source,
        env=os.environ | {"SOURCE_DATE_EPOCH": _time()},
    )
    return folder


def _time() -> str:
    """The time that the release puts into its files, so that they can be compared; any other for an sdist."""
    if not (ROOT / ".git").exists():
        return "1580601600"
    of_the_commit: str = runpy.run_path(str(ROOT / ".ci/release/build.py"))["time_of_the_commit"]()
    return of_the_commit


def distribution_in(folder: Path) -> Distribution:
    [sdist], [wheel] = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Distribution(sdist, wheel)
