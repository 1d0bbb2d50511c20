from __future__ import annotations

from tests.benchmarks.regression.verdict import Counts, Growth, growths

THEN = Counts(2.0, {"libraries": 4_000, "compose": 5_000, "emit": 1_000})


def grown(now: Counts) -> list[Growth]:
    return list(growths("render", THEN, now))


def test_change_below_the_tolerance_is_not_growth() -> None:
    assert grown(Counts(2.6, {"libraries": 5_200, "compose": 6_500, "emit": 1_300})) == []


def test_stage_that_grew_is_named_even_if_the_command_did_not() -> None:
    [growth] = grown(Counts(2.1, {"libraries": 4_000, "compose": 5_000, "emit": 1_400}))
    assert (growth.part, growth.then, growth.now, growth.times) == ("emit", 1_000, 1_400, 1.4)


def test_work_in_c_libraries_is_seen_only_by_the_processor() -> None:
    assert grown(THEN._replace(processor=2.7)) == [Growth("render", "processor", 2.0, 2.7, "yardsticks")]


def test_a_command_that_grew_evenly_grew_in_every_stage() -> None:
    twice = Counts(4.0, {stage: 2 * count for stage, count in THEN.bytecode.items()})
    assert [growth.part for growth in grown(twice)] == [
        "processor",
        "all stages",
        "libraries",
        "compose",
        "emit",
    ]


def test_new_stage_counts_if_it_is_notable() -> None:
    new = {**THEN.bytecode, "audit": 301}
    assert [growth.part for growth in grown(THEN._replace(bytecode=new))] == ["audit"]
    assert grown(THEN._replace(bytecode={**THEN.bytecode, "audit": 299})) == []


def test_missing_counts_are_not_judged() -> None:
    assert grown(THEN._replace(processor=None)) == []
