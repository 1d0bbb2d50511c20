"""Someone swaps a folder for a link while vmrender writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Each step that is not tried is tried by ``python -m tests.security.swap_at_every_step``.
EVERY = "41"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux has paths that stay a folder's")
def test_nothing_is_written_through_a_link_swapped_in_during_the_run(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.security.swap_at_every_step", str(tmp_path / "scratch"), EVERY]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert int(run.stdout) > 30
