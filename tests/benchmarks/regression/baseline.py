"""The baseline counts: a file for each minor release of Python."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.regression.verdict import Counts

_FOLDER = Path(__file__).parent / "baselines"
FILE = _FOLDER / f"{sys.version_info.major}.{sys.version_info.minor}.json"


def read() -> dict[str, Counts]:
    """Return the counts by the names of commands.

    If this release of Python was not counted, return the processor's counts of the nearest one that was. They
    are in yardsticks, which are counted in each Python, while no two releases have the same bytecode.
    """
    if FILE.exists():
        return _read(FILE)
    nearest = min(_FOLDER.glob("*.json"), key=lambda file: abs(_minor(file) - sys.version_info.minor))
    return {name: counts._replace(bytecode={}) for name, counts in _read(nearest).items()}


def _minor(file: Path) -> int:
    return int(file.stem.partition(".")[2])


def _read(file: Path) -> dict[str, Counts]:
    return {name: Counts(**counts) for name, counts in json.loads(file.read_text(encoding="utf-8")).items()}


def write(counted: Mapping[str, Counts]) -> None:
    content = {name: counts._asdict() for name, counts in counted.items()}
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
