from __future__ import annotations

import base64
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
    masking, before = (
        Masking(values),
        before.rstrip("\\"),
    )  # which would escape the first character of the value
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
        ("a" * 40, f"{'a' * 30}\n…", "***"),
        ("pass##[x", "is pass##\\[x", "is ***"),
        (LONG, f"is {LONG[:22]}…", "is ***"),
        (LONG, f"is {LONG[:28]}\nnext…", f"is {LONG[:28]}\nnext…"),
        ("x'y'z", "is x''y''z", "is ***"),
        ('pä"ss', 'is pä\\"ss', "is ***"),
        ("\u202eabc", "is \\u202eabc", "is ***"),
        ("ünder", "is \\u00fcnder", "is ***"),
        ("a<b>&c", "is a\\u003cb\\u003e\\u0026c", "is ***"),
        ("ab/cd+", "is ab\\/cd+", "is ***"),
        ("a<b>&c", "is a&lt;b&gt;&amp;c", "is ***"),
        ("p@ss#1", "is p%40ss%231@host", "is ***@host"),
        ("ünder", "is %C3%bcnder, \\xfcnder, \\u00FCnder", "is ***, ***, ***"),
        ("a<b>&c", "is a&#60;b&#x3E;&#038;c", "is ***"),
        ('a"b&c', json.dumps(json.dumps({"k": 'a"b&c'})), '"{\\"k\\": \\"***\\"}"'),
        ("a\U0001f600bc", json.dumps("xa\U0001f600bcx"), '"x***x"'),
        ("ünder", "is \\u00fcnd\\u00…", "is \\u00fcnd\\u00…"),
        ("ab\U0001f600", "is ab\\ud83d…", "is ab\\ud83d…"),
        ("a b c d", "is a\n    b c\n    d, a  b c d", "is ***, ***"),
        ("a\nb\nc", "is |\n  a\n  b\n  c\n", "is |\n  ***\n"),
        ("abcdef", 'is "abc\\\n  def"', 'is "***"'),
        ("Q9$${x}", "is Q9${x}, Q9$${x}", "is ***, ***"),
        ("Q9${x}", "is Q9$${x}", "is ***"),
        ("p@ss w0rd/1", "https://u:p%40ss+w0rd%2F1@h", "https://u:***@h"),
        ("C:\\new", "is C:\\new, C:\\\\new", "is ***, ***"),
        (" ", "a b", "a b"),
    ],
)
def test_short_values_match_whole_words_and_long_ones_prefixes(value: str, text: str, masked: str) -> None:
    assert Masking([value]).mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "pin=password-1\n",
        "app:password-1",
        '{"a": "password-1"}',
        "é" * 9 + "password-1",
        f"{'x' * 50}password-1",
    ],
)
def test_base64_of_a_text_with_a_value_is_masked(text: str) -> None:
    content = text.encode()
    twice = base64.b64encode(base64.b64encode(content) + b"\n")
    on_lines = base64.encodebytes(content)
    for encoded in (
        base64.b64encode(content),
        base64.urlsafe_b64encode(content).rstrip(b"="),
        twice,
        on_lines,
    ):
        written = encoded.decode().strip()
        assert Masking(["password-1"]).mask(f'{{"auth": "{written}"}}') == '{"auth": "***"}'
        assert Masking(["password-1"]).mask(json.dumps(f"a: {written}")) == '"a: ***"'
        assert Masking(["password-2"]).mask(written) == written


def test_values_that_overlap_are_masked_as_one() -> None:
    values = ["prod-db1", "db1-S3cret", "cretXyz-of-a-town", "town!", "----"]

    assert Masking(values).mask("x prod-db1-S3cretXyz-of-a-town! y") == "x *** y"
    assert [*Masking(values).values_in("prod-db1-S3cret")] == ["prod-db1", "db1-S3cret"]
    assert Masking(values).mask("x ---------- y") == "x *** y"
    assert Masking(values).mask(f"x {'-' * 9999} y").endswith("*** y")


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


VALUES = [f"{chr(97 + number % 26)}{number:05d}zzzz" for number in range(200)]


def test_long_texts_are_masked_as_short_ones() -> None:
    masking = Masking(VALUES)
    for size in (10, 4080, 4090, 4096, 5000, 9000):  # also across the end of a window
        text = f"{'b' * size}{VALUES[7]}{'b' * size}{VALUES[3]}"
        assert masking.mask(text) == f"{'b' * size}***{'b' * size}***"
        assert masking.is_in(text)
        assert not masking.is_in("b" * size)


def test_value_that_is_added_later_is_masked_in_a_text_that_came_before() -> None:
    masking, text = Masking(VALUES), "b" * 5000 + "correct-horse"
    assert masking.mask(text) == text
    masking.add(["correct-horse"])
    assert masking.mask(text) == "b" * 5000 + "***"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (VALUES, "b" * 60_000),
        (VALUES, "b00001zzz " * 6_000),
        ([*VALUES, "b" * 24 + "x"], "b" * 60_000),
        ([*VALUES, *("b" * size + "x" for size in range(6, 200))], "b" * 60_000),
        ([f"{'b' * 30}{number}" for number in range(5_000)], f"{'b' * 30} " * 2_000),
        (["b" * 30_000 + "x", *VALUES], "b" * 60_000),
        ([chr(20_000 + number) * 6 for number in range(10_000)], "".join(map(chr, range(20_000, 60_000)))),
    ],
    ids=["others", "nearly", "prefix", "prefixes", "alike", "long", "letters"],
)
def test_searching_takes_time_linear_in_the_text(values: list[str], text: str) -> None:
    masking = Masking(values)
    start = time.process_time()
    for number in range(50):
        masking.mask(f"{text}{number}")
        masking.is_in(f"{text}{number}")
    first = time.process_time() - start
    assert first < 50 * len(text) * 4e-6

    start = time.process_time()
    for _ in range(2000):
        masking.is_in(text)
    assert time.process_time() - start < 1 + first / 10


def test_short_texts_cost_the_same_whatever_the_number_of_values() -> None:
    masking = Masking(f"{number:05}-value" for number in range(10_000))
    start = time.process_time()
    assert not any(masking.is_in(f"name-{number}") for number in range(10_000))
    assert time.process_time() - start < 2


def test_answer_about_a_short_text_is_kept_until_a_value_is_added() -> None:
    masking = Masking(["canary-one"])
    assert [masking.is_in(text) for text in ("canary-one", "canary-two", "canary-two")] == [
        True,
        False,
        False,
    ]
    masking.add(["canary-two"])
    assert masking.is_in("canary-two")
    beside = Masking(others=[masking])
    assert not beside.is_in("canary-three")
    masking.add(["canary-three"])
    assert beside.is_in("canary-three")
