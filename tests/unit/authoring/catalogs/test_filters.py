from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.authoring.catalogs.filters import Range, amount_of_memory, count, parse_range
from renderer.model.quantity import Quantity


def contains(text: str, amount: str, parse: Callable[[str], Quantity] = amount_of_memory) -> bool:
    return parse_range(text, parse).contains(Quantity.parse(amount))


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("4Gi", ["4Gi", "4096Mi"], ["4Ti", "4G"]),
        ("=4Gi", ["4Gi"], ["5Gi"]),
        ("2Gi..8Gi", ["2Gi", "3000Mi", "8Gi"], ["1Gi", "8193Mi"]),
        ("2Gi..", ["2Gi", "1Ti"], ["1Gi"]),
        ("..8Gi", ["0", "8Gi"], ["9Gi"]),
        (">=4Gi", ["4Gi", "5Gi"], ["3Gi"]),
        ("> 4Gi", ["5Gi"], ["4Gi", "3Gi"]),
        ("<4Gi", ["3Gi"], ["4Gi"]),
        (" <= 4Gi ", ["4Gi"], ["5Gi"]),
        ("1.5Gi", ["1536Mi"], ["1535Mi"]),
    ],
)
def test_memory_ranges_are_parsed(text: str, inside: list[str], outside: list[str]) -> None:
    assert [amount for amount in inside if not contains(text, amount)] == []
    assert [amount for amount in outside if contains(text, amount)] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("four", "'four' is not a number of vCPUs; write 4, 2..8 or >=4"),
        ("4.5", "'4.5' is not a number of vCPUs; write 4, 2..8 or >=4"),
        ("-4", "'-4' is not a number of vCPUs; write 4, 2..8 or >=4"),
        ("", "'' is not a number of vCPUs; write 4, 2..8 or >=4"),
        (">=", "'' is not a number of vCPUs; write 4, 2..8 or >=4"),
        ("..", "'..' has no end; write it as 2..8, 2.. or ..8"),
        ("8..2", "'8..2' is empty: the lower end comes first"),
        ("²", "'²' is not a number of vCPUs; write 4, 2..8 or >=4"),
    ],
)
def test_invalid_range_is_reported(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_range(text, count)


def test_invalid_amount_is_reported() -> None:
    with pytest.raises(ValueError, match="'4GB' is not an amount of memory"):
        parse_range("4GB", amount_of_memory)


def test_an_unknown_amount_is_in_no_range() -> None:
    assert not parse_range("..8", count).contains(None)


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_range_includes_values_between_its_ends(low: int, high: int, amount: int) -> None:
    low, high = sorted((low, high))

    assert contains(f"{low}..{high}", str(amount), count) is (low <= amount <= high)
    assert contains(f">{low}", str(amount), count) is (amount > low)
    assert contains(f"<={high}", str(amount), count) is (amount <= high)


@given(st.text(max_size=12))
def test_any_text_gives_at_most_an_error(text: str) -> None:
    for parse in (count, amount_of_memory):
        with suppress(ValueError):
            assert isinstance(parse_range(text, parse), Range)
