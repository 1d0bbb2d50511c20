from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.comparison import Usage
from tests.benchmarks.growth import exponent
from tests.benchmarks.inputs import TIERS, write_overlay
from tests.benchmarks.kustomize import build


@pytest.mark.parametrize("power", [1.0, 1.03, 1.6])
def test_exponent_ignores_the_start_up_time(power: float) -> None:
    usages = {4 + more: Usage(0.4 + 0.001 * more**power, 0, 0) for more in (0, 100, 1_000, 10_000)}
    assert exponent(usages) == pytest.approx(power)


def test_the_smallest_overlay_has_a_target_for_each_of_its_patches(tmp_path: Path) -> None:
    write_overlay(tmp_path, len(TIERS))
    done = subprocess.run(build(tmp_path / "prod"), check=True, capture_output=True, text=True)
    assert done.stderr == ""
