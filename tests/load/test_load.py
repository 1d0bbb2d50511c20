"""The loads of ``python -m tests.load``, a small part of each: nothing is refused, and memory is bounded."""

from __future__ import annotations

import pytest

from tests.load.loads import LOADS
from tests.load.measure import measured

_MI = 1 << 20


@pytest.mark.parametrize(("name", "size"), [("resources", 2000), ("machines", 500), ("overlays", 10)])
def test_a_part_of_a_load(name: str, size: int) -> None:
    took = measured(LOADS[name], size)

    assert took.code == 0
    assert took.memory < 300 * _MI


def test_machines_that_are_alike_share_what_they_have_in_common() -> None:
    load = LOADS["machines"]

    few, many = measured(load, 500), measured(load, 3500)

    assert (many.memory - few.memory) / 3000 < 9_000  # bytes for a machine; 10,600 when nothing is shared


def test_a_file_of_50_megabytes_is_refused_and_little_of_it_held() -> None:
    load = LOADS["file"]

    took = measured(load, load.size)

    assert took.code == load.exits
    assert took.memory < 200 * _MI
