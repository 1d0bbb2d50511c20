"""Quantities as Go prints them (apimachinery ``pkg/api/resource/quantity.go``, ``CanonicalizeBytes``)."""

from __future__ import annotations

import re
from fractions import Fraction

_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_FORM = re.compile(r"(-?[0-9.]+)([A-Za-z]*)")


def canonical(written: str | float) -> str:
    """Return the quantity in the form of its suffix, without a fraction: ``1.5Gi`` is ``1536Mi``."""
    found = _FORM.fullmatch(str(written))
    assert found, written
    number, suffix = Fraction(found[1]), found[2]
    if suffix in _BINARY[1:]:
        return _binary(number * 1024 ** _BINARY.index(suffix))
    amount = number * Fraction(1000) ** (_DECIMAL.index(suffix) - 3)
    exponent = len(_DECIMAL) - 1
    while exponent and (amount / Fraction(1000) ** (exponent - 3)).denominator != 1:
        exponent -= 1
    return f"{amount / Fraction(1000) ** (exponent - 3)}{_DECIMAL[exponent]}"


def _binary(amount: Fraction) -> str:
    exponent = len(_BINARY) - 1
    while exponent and (amount / 1024**exponent).denominator != 1:
        exponent -= 1
    return f"{amount / 1024**exponent}{_BINARY[exponent]}"
