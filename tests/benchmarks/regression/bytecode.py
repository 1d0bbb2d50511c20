"""Instructions of Python's own machine, by the stage whose code they are.

They are the same on every machine with the same minor release of Python, whatever else it does. What
libraries do in C is not among them: ``processor.py`` counts that.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.benchmarks.regression.workloads import Workload

_TRACE = str(Path(__file__).with_name("trace.py"))


def instructions(workload: Workload) -> dict[str, int]:
    """By stage, the largest number first."""
    file = workload.project / "counts.json"
    workload.run(sys.executable, "-P", _TRACE, str(file))
    counts: dict[str, int] = json.loads(file.read_text(encoding="utf-8"))
    return dict(sorted(counts.items(), key=lambda stage: -stage[1]))
