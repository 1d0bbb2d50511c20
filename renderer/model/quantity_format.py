"""How Kubernetes writes quantities: the suffixes, and the canonical form of a number.

After ``quantity.go`` (``CanonicalizeBytes``), ``amount.go`` and ``suffix.go`` in
``k8s.io/apimachinery/pkg/api/resource``. A number here is ``digits * 10 ** scale``.
"""

from __future__ import annotations

from enum import StrEnum


class QuantityFormat(StrEnum):
    """Which kind of suffix a quantity was written with, and will be written with again."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


#: Suffix to power of ten.
DECIMAL_SUFFIXES = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
#: Suffix to power of two.
BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

_DECIMAL_SUFFIX_OF = {power: suffix for suffix, power in DECIMAL_SUFFIXES.items()}
_BINARY_SUFFIX_OF = {power: suffix for suffix, power in BINARY_SUFFIXES.items()}

_KIBI = 1024
_MAX_SCALE_OF_BINARY = 18  # of 2**63, beyond which no binary quantity goes


def canonical_text(digits: int, scale: int, form: QuantityFormat) -> str:
    """The number with the largest suffix that leaves no fraction: ``1536Mi``, ``1500m``, ``12e6``."""
    if not digits:
        return "0"
    if form is QuantityFormat.BINARY_SI:
        whole = _whole_number(digits, scale)
        if whole is not None and abs(whole) >= _KIBI:
            return _binary_text(whole)
        form = QuantityFormat.DECIMAL_SI
    return _decimal_text(digits, scale, form)


def _whole_number(digits: int, scale: int) -> int | None:
    """The number as an integer; None when it has a fraction or is too large to be a binary quantity."""
    if scale >= 0:
        return digits * 10**scale if scale <= _MAX_SCALE_OF_BINARY else None
    whole, fraction = divmod(digits, 10**-scale)
    return None if fraction else whole


def _binary_text(whole: int) -> str:
    power = 0
    while whole % _KIBI == 0:
        whole //= _KIBI
        power += 10
    return f"{whole}{_BINARY_SUFFIX_OF.get(power, '')}"


def _decimal_text(digits: int, scale: int, form: QuantityFormat) -> str:
    while digits % 10 == 0:
        digits //= 10
        scale += 1
    surplus = scale % 3
    digits *= 10**surplus
    scale -= surplus
    if form is QuantityFormat.DECIMAL_EXPONENT:
        return f"{digits}e{scale}" if scale else str(digits)
    # Kubernetes leaves the suffix out where there is none for the power: 1000E becomes 1.
    return f"{digits}{_DECIMAL_SUFFIX_OF.get(scale, '')}"
