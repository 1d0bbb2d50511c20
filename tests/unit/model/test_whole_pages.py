"""Which amounts of memory are suggested for huge pages."""

from __future__ import annotations

import pytest

from renderer.model.quantity import Quantity, nearest_whole_pages


@pytest.mark.parametrize(
    ("amount", "page", "expected"),
    [
        ("1025Mi", "2Mi", "1Gi or 1026Mi"),
        ("1500Mi", "1Gi", "1Gi or 2Gi"),
        ("1Mi", "2Mi", "2Mi"),
        ("3G", "2Mi", "2860Mi or 2862Mi"),
        ("1", "1Gi", "1Gi"),
    ],
)
def test_the_nearest_amounts_fill_whole_pages(amount: str, page: str, expected: str) -> None:
    assert nearest_whole_pages(Quantity.parse(amount), Quantity.parse(page)) == expected
