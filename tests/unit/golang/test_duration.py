from __future__ import annotations

import pytest

from renderer.golang.duration import parse_duration

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
