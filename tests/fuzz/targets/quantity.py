"""Quantities, arithmetic with them, and their form in Kubernetes."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.quantity import Quantity
from tests.fuzz.mutation import VALUES
from tests.fuzz.target import Target

_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_EXPONENTS = ("e3", "E-9", "e0", "e-1", "E+2", "e7")
_HOSTILE = ("K", "e999999999", "Kii", "e", "E-", "k1", "e1.5", " ", "e99999999999999999999")
_NUMBERS = st.one_of(
    st.integers().map(str),
    st.decimals(allow_nan=False).map(str),
    st.from_regex(r"[+-]?[0-9]{0,40}\.?[0-9]{0,40}"),
    st.builds(str.__mul__, st.sampled_from("019."), st.integers(1, 4200)),
)
_AMOUNTS = st.one_of(
    st.builds("{}{}".format, _NUMBERS, st.sampled_from((*_BINARY, *_DECIMAL, *_EXPONENTS, *_HOSTILE))),
    st.text(max_size=20),
    st.integers(),
    st.floats(),
    st.sampled_from(VALUES),
)
#: So few digits that Kubernetes computes without overflow or loss.
_WHOLE = st.integers(-999_999, 999_999)
_FRACTION = st.one_of(st.just(""), st.integers(0, 9999).map(".{:04}".format))
_SUFFIXES = st.sampled_from((*_BINARY[:4], *_DECIMAL[:8], *_EXPONENTS))


def _check(given: tuple[tuple[Json, Json], tuple[int, str, str]]) -> None:
    pair, (whole, fraction, suffix) = given
    amounts = []
    for value in pair:
        try:
            amounts.append(Quantity.of(value))
        except DiagnosticError:
            continue
    for amount in amounts:
        same = Quantity.of(amount.canonical)
        assert amount.canonical == same.canonical
        assert amount.json
        assert abs(amount.value()) <= 1 << 63
        assert abs(amount.milli_value()) <= 1 << 63
        assert all(amount.compare(other) == -other.compare(amount) for other in amounts)
    text = f"{whole}{fraction}"
    assert Quantity.parse(text + suffix).canonical == _written(Fraction(text), suffix), text + suffix


def _written(number: Fraction, suffix: str) -> str:
    """As ``CanonicalizeBytes`` of apimachinery's ``pkg/api/resource`` writes it, by its description."""
    if suffix in _BINARY:
        number *= 1024 ** (_BINARY.index(suffix) + 1)
    elif suffix in _DECIMAL:
        number *= Fraction(1000) ** (_DECIMAL.index(suffix) - 3)
    else:
        number *= Fraction(10) ** int(suffix[1:])
    nanos = -(-abs(number) * 10**9 // 1)  # never less than was asked for
    if not nanos:
        return "0"
    sign = "-" if number < 0 else ""
    if suffix in _BINARY and nanos % 10**9 == 0 and nanos >= 1024 * 10**9:
        amount, power = nanos // 10**9, 0
        while amount % 1024 == 0 and power < len(_BINARY):
            amount, power = amount // 1024, power + 1
        return f"{sign}{amount}{('', *_BINARY)[power]}"
    amount, thousands = nanos, 0
    while amount % 1000 == 0:
        amount, thousands = amount // 1000, thousands + 1
    exponent = 3 * (thousands - 3)
    if suffix in _EXPONENTS:
        return f"{sign}{amount}{f'e{exponent}' if exponent else ''}"
    return f"{sign}{amount}{_DECIMAL[thousands]}"


TARGET = Target(st.tuples(st.tuples(_AMOUNTS, _AMOUNTS), st.tuples(_WHOLE, _FRACTION, _SUFFIXES)), _check)
