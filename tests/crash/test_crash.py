from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: A few; ``python -m tests.crash`` does five hundred.
KILLS = 10


@pytest.mark.parametrize("way", [(), ("--replace",)], ids=["exchange", "replace"])
def test_killed_run_leaves_the_old_or_new_tree_and_the_next_run_reports_repairs(
    way: tuple[str, ...],
) -> None:
    command = [sys.executable, "-m", "tests.crash", "--times", str(KILLS), *way]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert f"{KILLS} kills" in run.stdout or f"{KILLS + 1} kills" in run.stdout
