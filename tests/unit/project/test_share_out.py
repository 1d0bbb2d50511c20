from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.project.sharding import OverlaySize, ShardName, costs, distribute

some_costs = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(1, 10**6), max_size=60)
counts = st.integers(1, 40)


@given(some_costs, counts)
def test_every_overlay_is_in_one_shard(costs_: dict[str, int], count: int) -> None:
    shards = distribute(costs_, count)

    assert [str(shard.name) for shard in shards] == [f"{number}/{count}" for number in range(1, count + 1)]
    assert sorted(overlay for shard in shards for overlay in shard.overlays) == sorted(costs_)
    assert all(shard.cost == sum(costs_[overlay] for overlay in shard.overlays) for shard in shards)


@given(some_costs, counts, st.randoms(use_true_random=False))
def test_the_order_of_overlays_does_not_matter(costs_: dict[str, int], count: int, chance: object) -> None:
    names = list(costs_)
    chance.shuffle(names)  # type: ignore[attr-defined] # hypothesis's own Random

    assert distribute({name: costs_[name] for name in names}, count) == distribute(costs_, count)


@given(some_costs, counts)
def test_no_shard_is_empty_while_another_has_two(costs_: dict[str, int], count: int) -> None:
    sizes = [len(shard.overlays) for shard in distribute(costs_, count)]

    assert sum(map(bool, sizes)) == min(len(costs_), count)
    assert sizes == sorted(sizes, key=bool, reverse=True)


@given(some_costs.filter(bool), counts)
def test_imbalance_is_at_most_the_last_overlay_of_a_shard(costs_: dict[str, int], count: int) -> None:
    shards = distribute(costs_, count)
    least = min(shard.cost for shard in shards)

    for shard in shards:
        assert shard.cost - min((costs_[overlay] for overlay in shard.overlays), default=0) <= least


def test_longest_overlays_are_assigned_first() -> None:
    shards = distribute({"a": 2, "b": 3, "c": 7, "d": 5, "e": 1}, 2)

    assert [(shard.overlays, shard.cost) for shard in shards] == [(("a", "c"), 9), (("b", "d", "e"), 9)]


def test_more_bytes_and_more_files_cost_more() -> None:
    sizes = {"small": OverlaySize(2, 500), "files": OverlaySize(5, 500), "bytes": OverlaySize(2, 900_000)}

    estimated = costs(sizes, {})

    assert estimated["small"] < estimated["files"] < estimated["bytes"]


def test_estimates_are_scaled_to_measurements() -> None:
    sizes = {name: OverlaySize(2, size) for name, size in (("a", 1000), ("b", 1000), ("c", 200_000))}
    estimated = costs(sizes, {})

    mixed = costs(sizes, {"a": 3.0, "gone": 100.0})

    assert mixed["a"] == mixed["b"] == 3_000_000_000
    assert Fraction(mixed["c"], mixed["a"]) == pytest.approx(estimated["c"] / estimated["a"])


def test_overlay_without_duration_has_a_minimal_cost() -> None:
    assert costs({"a": OverlaySize(0, 0)}, {"a": 0.0}) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not of the form"),
        ("1", "not of the form"),
        ("0/2", "not of the form"),
        ("-1/2", "not of the form"),
        ("1/2\n", "not of the form"),
        ("١/٢", "not of the form"),  # noqa: RUF001 - digits, though not ours
        ("3/2", "no shard 3 of 2"),
        ("1/1001", "1000 shards at most"),
    ],
)
def test_invalid_shard_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ShardName.parse(text)
