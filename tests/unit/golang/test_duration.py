from __future__ import annotations

import pytest

from renderer.golang.duration import format_duration, parse_duration

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("48h", 48 * 3600),
        ("1h30m", 5400),
        ("1.5h30m", 7200),
        ("-1.5h", -5400),
        ("+5s", 5),
        ("300ms", 0.3),
        ("1µs", 1e-6),
        ("1μs", 1e-6),
        (".5s", 0.5),
        ("5.s", 5),
        ("1m1m", 120),
    ],
)
def test_durations_of_go(text: str, seconds: float) -> None:
    assert parse_duration(text) == round(seconds * SECOND)


@pytest.mark.parametrize(
    "text",
    ["", "7d", "90", "1 h", "h", ".s", "1h-5m", "1H", "--1s", "10000000h", "9" * 300 + "s", "1_0s"],
)
def test_go_rejects_other_texts(text: str) -> None:
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0", "0s"),
        ("48h", "48h0m0s"),
        ("90s", "1m30s"),
        ("1.5s", "1.5s"),
        ("1h0.25s", "1h0m0.25s"),
        ("300ms", "300ms"),
        ("1.5us", "1.5µs"),
        ("7ns", "7ns"),
        ("-1.5h", "-1h30m0s"),
    ],
)
def test_durations_are_written_as_go_writes_them(text: str, written: str) -> None:
    nanoseconds = parse_duration(text)

    assert nanoseconds is not None
    assert format_duration(nanoseconds) == written
