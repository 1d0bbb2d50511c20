"""Laws that every quantity obeys."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from renderer.model.diagnostic import DiagnosticError
from renderer.model.quantity import INT64_MAX, Quantity

_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "e3": Fraction(10**3),
    "E-2": Fraction(1, 100),
}
_NANO = Fraction(1, 10**9)

_numbers = st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,9})?", fullmatch=True)
_suffixes = st.sampled_from(sorted(_SUFFIXES))
_texts = st.builds("{}{}".format, _numbers, _suffixes)
_hostile = st.text(alphabet="0123456789+-.eEinumkKMGTP ", max_size=40)


def _exactly(number: str, suffix: str) -> Fraction:
    """Its amount, rounded away from zero to a nano."""
    amount = Fraction(number.removesuffix(".")) * _SUFFIXES[suffix] / _NANO
    nanos = -(-abs(amount).numerator // abs(amount).denominator)
    return (nanos if amount > 0 else -nanos) * _NANO


@given(_numbers, _suffixes)
def test_canonical_text_keeps_the_amount(number: str, suffix: str) -> None:
    canonical = Quantity.parse(number + suffix).canonical
    assert Quantity.parse(canonical).compare(Quantity.parse(number + suffix)) == 0
    assert Quantity.parse(canonical).canonical == canonical


@given(_texts)
def test_json_text_keeps_the_amount(text: str) -> None:
    quantity = Quantity.parse(text)
    assert Quantity.parse(quantity.json).compare(quantity) == 0


@given(_numbers, _suffixes, _numbers, _suffixes)
def test_quantities_are_ordered_like_numbers(number: str, suffix: str, other: str, other_suffix: str) -> None:
    left, right = _exactly(number, suffix), _exactly(other, other_suffix)
    expected = (left > right) - (left < right)
    assert Quantity.parse(number + suffix).compare(Quantity.parse(other + other_suffix)) == expected


@given(_numbers, _suffixes)
def test_value_rounds_away_from_zero(number: str, suffix: str) -> None:
    exact = _exactly(number, suffix)
    quantity = Quantity.parse(number + suffix)
    if quantity.unbounded and (exact < 0 or exact / _NANO >= INT64_MAX):
        return  # wraps around
    rounded = -(-abs(exact).numerator // abs(exact).denominator)
    assert quantity.value() == (rounded if exact > 0 else -rounded)


@given(_hostile)
def test_any_text_is_a_quantity_or_an_error(text: str) -> None:
    try:
        quantity = Quantity.parse(text)
    except DiagnosticError:
        return
    assert quantity.canonical
    assert quantity.json
    assert isinstance(quantity.value(), int)
    assert isinstance(quantity.milli_value(), int)
    assert quantity.compare(quantity) == 0
