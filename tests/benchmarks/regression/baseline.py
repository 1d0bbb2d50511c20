"""The counts that later ones are compared with: a file for each minor release of Python."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.regression.verdict import Counts

FILE = Path(__file__).parent / f"baselines/{sys.version_info.major}.{sys.version_info.minor}.json"


def read() -> dict[str, Counts] | None:
    """By the names of commands; None where this release of Python has none."""
    if not FILE.exists():
        return None
    return {name: Counts(**counts) for name, counts in json.loads(FILE.read_text(encoding="utf-8")).items()}


def write(counted: Mapping[str, Counts]) -> None:
    content = {name: counts._asdict() for name, counts in counted.items()}
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
