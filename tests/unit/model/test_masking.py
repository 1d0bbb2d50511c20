from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderer.model.masking import MASK, Masking

LONG = "abcdefghijklmnopqrstuvwxyz0123456789"
TEXTS = st.text(st.sampled_from("ab\"'\\\n#: ü…"), min_size=4, max_size=40).filter(str.strip)


@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS, TEXTS)
def test_values_are_masked_in_every_form(values: list[str], before: str, after: str) -> None:
    masking = Masking(values)
    for form in (values[0], json.dumps(values[0])[1:-1], repr(values[0])[1:-1]):
        masked = masking.mask(f"{before}-{form}-{after}")
        assert MASK in masked
        assert all(value not in masked for value in values if "*" not in value and len(value) >= 4)
        assert masking.is_in(f"{before}{form}{after}")


@pytest.mark.parametrize(
    ("value", "text", "masked"),
    [
        ("abc", "xabcx abc", "xabcx ***"),
        ("abcd", "xabcdx", "x***x"),
        ("a" * 30, f"is {'a' * 26}…, and", "is ***, and"),
        ("a" * 30, f"is {'a' * 26}, and", f"is {'a' * 26}, and"),
        ("password-1", "password-12", "***2"),
        ("password", "passwordpassword", "******"),
        ("password", 'is "xpasswo…, and', 'is "x***, and'),
        ("password", "is passwo …", "is ***"),
        ("password", "is passx…", "is passx…"),
        ("password-of-the-shop-in-a-town", "is passwor…", "is ***"),
        ("a" * 40, f"{'a' * 30}\n…", f"{'a' * 30}\n…"),
        ("pass##[x", "is pass##\\[x", "is ***"),
        (LONG, f"is {LONG[:22]}…", "is ***"),
        (LONG, f"is {LONG[:28]}\nnext…", f"is {LONG[:28]}\nnext…"),
        ("x'y'z", "is x''y''z", "is ***"),
        ('pä"ss', 'is pä\\"ss', "is ***"),
        ("\u202eabc", "is \\u202eabc", "is ***"),
        ("ünder", "is \\u00fcnder", "is ***"),
        (" ", "a b", "a b"),
    ],
)
def test_short_values_match_whole_words_and_long_ones_prefixes(value: str, text: str, masked: str) -> None:
    assert Masking([value]).mask(text) == masked


def test_longest_value_wins() -> None:
    assert (
        Masking(["password", "password-of-the-database-of-the-shop"]).mask(
            "password-of-the-database-of-the-shop and password"
        )
        == "*** and ***"
    )
    assert Masking(["passwo", "password"]).mask("password") == MASK
    beginning = "password-of-the-database-of"
    assert Masking([beginning, f"{beginning}-the-shop"]).mask(f"{beginning}-the-shop") == MASK


def test_short_values_match_inside_words_on_request() -> None:
    assert Masking(["12"], inside_words=True).is_in("x12y")
    assert not Masking(["12"]).is_in("x12y")


def test_values_with_a_common_prefix_take_bounded_time() -> None:
    masking = Masking(f"{'a' * 30}{number}" for number in range(10_000))
    start = time.process_time()
    assert len(masking.mask("a" * 100_000)) < 1_000
    assert time.process_time() - start < 10
    assert masking.mask("aaaaaaa, and others") == MASK  # undecidable
    assert masking.mask("something else") == "something else"
