from __future__ import annotations

import pytest

from tests.benchmarks.comparison import Usage
from tests.benchmarks.growth import exponent


@pytest.mark.parametrize("power", [1.0, 1.03, 1.6])
def test_the_exponent_is_that_of_the_time_above_start_up(power: float) -> None:
    start = Usage(0.4, 0, 0)
    usages = {size: Usage(0.4 + 0.001 * size**power, 0, 0) for size in (100, 1_000, 10_000)}
    assert exponent({1: start, **usages}) == pytest.approx(power)
