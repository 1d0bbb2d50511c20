"""Schedules, as robfig/cron reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.golang.cron import cron_problem


@pytest.mark.parametrize(
    "schedule",
    [
        "0 3 * * *",
        "*/15 0-23/2 1,15 jan-DEC mon",
        "5/10 * ? * 0",
        "0  3 * *\t*",
        "@daily",
        "@every 1h30m",
        "TZ=Europe/Paris 0 3 * * *",
        "CRON_TZ=UTC @weekly",
        "1,,2 * * * *",
        "*-x * * * *",
        "+5 * * * *",
    ],
)
def test_valid_schedules(schedule: str) -> None:
    assert cron_problem(schedule) is None


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("0 3 * *", "it has 4 fields instead of 5: minute, hour, day of the month, month, day of the week"),
        ("60 * * * *", "the minute '60' is out of range: minutes go from 0 to 59"),
        ("* * 0 * *", "the day of the month '0' is out of range: days of the month go from 1 to 31"),
        ("* * * * 7", "the day of the week '7' is out of range: days of the week go from 0 to 6"),
        ("0 24 * * *", "the hour '24' is out of range: hours go from 0 to 23"),
        ("* 5-3 * * *", "the hour '5-3' begins after its end"),
        ("*/0 * * * *", "the minute '*/0' has a step of 0"),
        ("*/5/2 * * * *", "the minute '*/5/2' cannot be read"),
        ("1-2-3 * * * *", "the minute '1-2-3' cannot be read"),
        ("* * * jam *", "the month 'jam' cannot be read"),
        ("* * * * sunday", "the day of the week 'sunday' cannot be read"),
        ("-5 * * * *", "the minute '-5' cannot be read"),
        ("٣ * * * *", "the minute '٣' cannot be read"),
    ],
)
def test_rejected_schedules(schedule: str, problem: str) -> None:
    assert cron_problem(schedule) == problem


@pytest.mark.parametrize("schedule", ["@nightly", "@every 1d", "@Daily", "@"])
def test_rejected_descriptors(schedule: str) -> None:
    problem = cron_problem(schedule)
    assert problem is not None
    assert problem.startswith(f"{schedule!r} is not one of @yearly, ")


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert cron_problem(text) != ""


@given(
    *(st.integers(low, high) for low, high in ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))),
)
def test_numbers_within_their_bounds_are_valid(
    minute: int, hour: int, day: int, month: int, weekday: int
) -> None:
    assert cron_problem(f"{minute} {hour}/2 {day} 1-{month} */{weekday + 1}") is None
