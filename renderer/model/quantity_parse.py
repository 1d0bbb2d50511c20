"""Quantities read from text (``ParseQuantity`` of ``k8s.io/apimachinery/pkg/api/resource``)."""

from __future__ import annotations

import re

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import Json
from renderer.model.quantity_format import BINARY_SUFFIXES, DECIMAL_SUFFIXES, QuantityFormat
from renderer.model.record import Record

#: The power of ten of the smallest part of a quantity.
NANO = -9

#: Nothing is given back that was taken: thousands of digits would be divided among the groups in every way.
_SYNTAX = re.compile(r"([+-]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*+[+-]?[0-9]*+)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,19})")
#: Python converts no more than some 4300 digits.
_MAX_LENGTH = 4000

_MAX_INT64_DIGITS = 18
_INT64_MAX = (1 << 63) - 1
_DECIMAL_SI, _BINARY_SI = QuantityFormat.DECIMAL_SI, QuantityFormat.BINARY_SI


class ParsedQuantity(Record):
    """The fields of a ``Quantity``."""

    digits: int
    scale: int
    form: QuantityFormat
    unbounded: bool
    text: str


class _Number(Record):
    """What stands before the suffix, without leading zeros: ``whole`` is ``0`` where nothing is left."""

    negative: bool
    whole: str
    fraction: str
    has_digits: bool

    @property
    def digits(self) -> int:
        digits = int(self.whole + self.fraction)
        return -digits if self.negative else digits


def parse_quantity(text: str) -> ParsedQuantity:
    """The number, its format and, where Kubernetes keeps it, the text. Raises ``DiagnosticError``."""
    match = _SYNTAX.fullmatch(text) if 0 < len(text) <= _MAX_LENGTH else None
    if match is None:
        raise invalid_quantity(text)
    sign, zeros, whole, fraction, suffix = match.groups("")
    number = _Number(sign == "-", whole or "0", fraction, bool(zeros or whole or fraction))
    power = BINARY_SUFFIXES.get(suffix)
    if power is not None:
        return _parse_binary(number, power, text)
    scale = DECIMAL_SUFFIXES.get(suffix)
    if scale is not None:
        return _parse_decimal(number, scale, _DECIMAL_SI, text)
    return _parse_decimal(number, _exponent(suffix, text), QuantityFormat.DECIMAL_EXPONENT, text)


def invalid_quantity(value: Json) -> DiagnosticError:
    """The error for a value that is no quantity."""
    return DiagnosticError(
        Diagnostic(
            code=Code.QUANTITY_INVALID,
            message=f"{_shown(value)} is not a quantity",
            hint="write a number and a suffix, as in 500m, 2, 1.5Gi or 4G",
        )
    )


def _shown(value: Json) -> str:
    shown = f'"{value}"' if isinstance(value, str) else repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."  # noqa: PLR2004 - a line's length


def _exponent(suffix: str, text: str) -> int:
    match = _EXPONENT.fullmatch(suffix)
    exponent = int(match[1]) if match else _INT64_MAX + 1
    if not -_INT64_MAX <= exponent <= _INT64_MAX:
        raise invalid_quantity(text)
    return (exponent + (1 << 31)) % (1 << 32) - (1 << 31)  # Go converts it to an int32


def _parse_decimal(number: _Number, exponent: int, form: QuantityFormat, text: str) -> ParsedQuantity:
    digits, scale = number.digits, exponent - len(number.fraction)
    written = number.whole + number.fraction
    if len(written) <= _MAX_INT64_DIGITS and scale >= NANO:
        kept = scale % 3 == 0 and written[0] != "0" and not written.endswith("000")
        return ParsedQuantity(digits, scale, form, unbounded=False, text=text if kept else "")
    if not number.has_digits:
        raise invalid_quantity(text)
    return ParsedQuantity(*_at_least_nano(digits, scale), form, unbounded=True, text="")


def _parse_binary(number: _Number, power: int, text: str) -> ParsedQuantity:
    digits = number.digits
    # About as many digits as fit into an int64 together with the suffix's.
    if not number.fraction and len(number.whole) + power * 3 // 10 < 15:  # noqa: PLR2004 - as in Kubernetes
        kept = text if digits % 8 else ""
        return ParsedQuantity(digits << power, 0, _BINARY_SI, unbounded=False, text=kept)
    if not number.has_digits:
        raise invalid_quantity(text)
    digits, scale = _at_least_nano(digits << power, -len(number.fraction))
    if abs(digits) > _INT64_MAX * 10**-scale:
        digits, scale = (-_INT64_MAX if number.negative else _INT64_MAX), 0
    form = _DECIMAL_SI if 0 < abs(digits) < 10**-scale else _BINARY_SI
    return ParsedQuantity(digits, scale, form, unbounded=True, text="")


def _at_least_nano(digits: int, scale: int) -> tuple[int, int]:
    """Rounded away from zero to a multiple of a nano."""
    excess = NANO - scale
    if not digits or excess <= 0:
        return digits, scale
    if excess > _MAX_LENGTH:
        return (1 if digits > 0 else -1), NANO
    divisor = 10**excess
    return (-(-digits // divisor) if digits > 0 else digits // divisor), NANO
