"""What the generator ``expression`` can give."""

from __future__ import annotations

import re

import pytest

from renderer.kubevirt.vm_template.expression import (
    BadExpressionError,
    BadExpressionReason,
    Part,
    read_expression,
)

WORDS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("vm-[a-c]{2}", [Part("vm-"), Part("", "abc", 2)]),
        ("[X-2]{1}", [Part("", "012XYZ", 1)]),
        ("[\\x]{3}", [Part("", "x", 3)]),
        ("[[a-c]{3}]{2}", [Part("", "abc", 2)]),
        ("plain", [Part("plain")]),
        ("[x[a-b]{1}]{2}", [Part("", "abx", 2)]),
        ("[[\\w]{1}]{2}", [Part("["), Part("", WORDS, 1), Part("]{2}")]),
        ("[\U000f0000]{2}[a]{1}", [Part("["), Part("\U000f0000"), Part("]{2}"), Part("", "a", 1)]),
        ("[a_]{2}", [Part("[a_]{2}")]),
        ("[a-z]{\uff12}", [Part("[a-z]{\uff12}")]),
        ("", []),
    ],
)
def test_parts(text: str, parts: list[Part]) -> None:
    expression = read_expression(text)

    assert list(expression.parts) == parts
    assert re.match(expression.regex, expression.example)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a]{0}", BadExpressionReason.LENGTH_OUT_OF_RANGE),
        ("[a]{256}", BadExpressionReason.LENGTH_OUT_OF_RANGE),
        ("[a]{9223372036854775808}", BadExpressionReason.LENGTH_TOO_LARGE),
        ("[a]{" + "9" * 5000 + "}", BadExpressionReason.LENGTH_TOO_LARGE),
        ("[a]{1_0}", BadExpressionReason.LENGTH_NOT_A_NUMBER),
        ("[0-Z]{1}", BadExpressionReason.REVERSED_RANGE),
        ("[---]{1}", BadExpressionReason.RANGE_START),
        ("[a--]{1}", BadExpressionReason.RANGE_END),
        ("[--]{1}", BadExpressionReason.NO_CHARACTER),
        ("[a]{1}[b]{0}", BadExpressionReason.LENGTH_OUT_OF_RANGE),
    ],
)
def test_bad_expressions(text: str, reason: BadExpressionReason) -> None:
    with pytest.raises(BadExpressionError) as caught:
        read_expression(text)

    assert caught.value.reason is reason


def test_letters_are_letters_and_digits() -> None:
    """The API's text says letters."""
    assert len(read_expression("[\\a]{1}").parts[0].alphabet) == 62


def test_constant_is_not_random_without_an_expression() -> None:
    drawn, plain = read_expression("[a]{3}"), read_expression("aaa")

    assert (drawn.is_constant, drawn.is_random) == (True, True)
    assert (plain.is_constant, plain.is_random) == (True, False)
