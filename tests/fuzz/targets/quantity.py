"""Quantities, and what is done with them."""

from __future__ import annotations

from hypothesis import strategies as st

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json
from renderer.model.quantity import Quantity
from tests.fuzz.mutation import VALUES
from tests.fuzz.target import Target

_SUFFIXES = (
    "",
    "n",
    "u",
    "m",
    "k",
    "K",
    "M",
    "G",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "Ei",
    "E",
    "e3",
    "E-9",
    "e999999999",
)
_NUMBERS = st.one_of(
    st.integers().map(str),
    st.decimals(allow_nan=False).map(str),
    st.from_regex(r"[+-]?[0-9]{0,40}\.?[0-9]{0,40}"),
)
_AMOUNTS = st.one_of(
    st.builds("{}{}".format, _NUMBERS, st.sampled_from(_SUFFIXES)),
    st.text(max_size=20),
    st.integers(),
    st.floats(),
    st.sampled_from(VALUES),
)


def _check(pair: tuple[Json, Json]) -> None:
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


TARGET = Target(st.tuples(_AMOUNTS, _AMOUNTS), _check)
