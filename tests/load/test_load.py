"""The loads of ``python -m tests.load``, a small part of each: nothing is refused, and memory is bounded."""

from __future__ import annotations

import pytest

from tests.load.loads import LOADS
from tests.load.measure import measured

_MI = 1 << 20


@pytest.mark.parametrize(("name", "size"), [("resources", 2000), ("machines", 500), ("overlays", 10)])
def test_small_load_stays_within_its_bounds(name: str, size: int) -> None:
    took = measured(LOADS[name], size)

    assert took.code == 0
    assert took.memory < 300 * _MI


def test_similar_machines_share_equal_parts() -> None:
    load = LOADS["machines"]

    few, many = measured(load, 500), measured(load, 3500)

    assert (many.memory - few.memory) / 3000 < 9_000  # bytes for a machine; 10,600 when nothing is shared


def test_file_of_50_megabytes_is_refused_in_little_memory() -> None:
    load = LOADS["file"]

    took = measured(load, load.size)

    assert took.code == load.exits
    assert took.memory < 200 * _MI
