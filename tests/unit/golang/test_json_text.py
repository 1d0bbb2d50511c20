"""JSON texts as Go reads them."""

from __future__ import annotations

import pytest

from renderer.golang.json_text import read_json


def test_values_are_read() -> None:
    assert read_json('{"a": [1, 1.5, null, true, "x"]}') == {"a": [1, 1.5, None, True, "x"]}


@pytest.mark.parametrize("text", ["", "not json", "NaN", "[Infinity]", "{'a': 1}", "1 2", "[" * 100_000])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


def test_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="digits"):
        read_json("1" * 5000)
