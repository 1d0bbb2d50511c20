from __future__ import annotations

import json
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.project.sharding import ShardName, distribute, encode_plan, planned_overlays

OVERLAYS = {"overlays/a": 3, "overlays/b": 2, "overlays/c": 1}
PLAN = encode_plan(distribute(OVERLAYS, 2))


@given(st.dictionaries(st.text(max_size=8), st.integers(1, 99), min_size=1, max_size=30), st.integers(1, 12))
def test_plan_survives_a_round_trip(costs: dict[str, int], count: int) -> None:
    shards = distribute(costs, count)
    plan = encode_plan(shard for shard in shards if shard.overlays)

    assert [planned_overlays(plan, shard.name, costs) for shard in shards] == [
        frozenset(shard.overlays) for shard in shards
    ]


@pytest.mark.parametrize(
    ("overlays", "messages"),
    [
        (["overlays/a", "overlays/b"], ["overlays/c is in the plan, and is not an overlay of the project"]),
        ([*OVERLAYS, "overlays/d"], ["overlays/d is in no shard of the plan"]),
    ],
)
def test_plan_of_other_overlays_is_refused(overlays: list[str], messages: list[str]) -> None:
    assert problems(PLAN, overlays) == messages


def test_plan_with_a_repeated_overlay_is_refused() -> None:
    plan = json.loads(PLAN)
    plan["shards"][0]["overlays"].append("overlays/b")

    assert problems(json.dumps(plan), OVERLAYS) == ["overlays/b is in the plan more than once"]


def problems(plan: str, overlays: Collection[str]) -> list[str]:
    with pytest.raises(DiagnosticError) as raised:
        planned_overlays(plan, ShardName(1, 2), overlays)
    assert {each.code for each in raised.value.diagnostics} == {Code.PLAN_MISMATCH}
    return [each.message for each in raised.value.diagnostics]


def test_plan_for_other_shards_is_refused() -> None:
    with pytest.raises(ValueError, match="not a plan for 3 shards"):
        planned_overlays(PLAN, ShardName(1, 3), OVERLAYS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"version": 1, "shards": 1}',
        '{"version": 1, "shards": ["1/2"]}',
        '{"version": 1, "shards": [{"shard": 1, "overlays": []}]}',
        '{"version": 1, "shards": [{"shard": "1/2", "overlays": [1]}]}',
        '{"version": 1, "shards": [{"shard": "1/2", "overlays": []}, {"shard": "1/2", "overlays": []}]}',
        '{"version": 2, "shards": []}',
        '"shards"',
    ],
    ids=range(11),
)
def test_invalid_plan_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not what vmrender plan"):
        planned_overlays(text, ShardName(1, 2), OVERLAYS)
