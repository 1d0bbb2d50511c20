"""Floats as in Go's ``strconv`` and ``encoding/json``."""

from __future__ import annotations

#: Exponents outside this range are written with an ``e``.
_LARGE_EXPONENT, _SMALL_EXPONENT = 6, -4

_LARGEST_INTEGER, _SMALLEST_INTEGER = 2**64 - 1, -(2**63)


def json_number(value: float) -> int | float:
    """Return a float after Go has written it as JSON and go-yaml has read that.

    Go writes whole numbers without a point, and they are read as integers if they fit into 64 bits.
    """
    if not value.is_integer() or abs(value) > _LARGEST_INTEGER:
        return value
    sign, digits, point = _shortest(repr(value))
    whole = int(sign + digits) * 10 ** (point - len(digits))
    return whole if _SMALLEST_INTEGER <= whole <= _LARGEST_INTEGER else value


def format_float(value: float) -> str:
    """Return ``FormatFloat(value, 'g', -1, 64)``: ``1.5``, ``1.5e+06``, ``1e-07``."""
    return _general(*_shortest(repr(value)))


def format_float32(value: float) -> str:
    """Return the same with 32-bit precision; sigs.k8s.io/yaml writes keys like this."""
    from struct import pack  # noqa: PLC0415 - few keys are floats

    try:
        single = pack("f", value)
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    candidates = (f"{value:.{digits}e}" for digits in range(9))
    return _general(*_shortest(next(text for text in candidates if pack("f", float(text)) == single)))


def _shortest(text: str) -> tuple[str, str, int]:
    """Return sign, digits without zeros around them, and the number of digits before the point."""
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    point = int(exponent or 0) + len(digits) - len(fraction)
    return sign, digits.rstrip("0") or "0", point if digits else 1


def _general(sign: str, digits: str, point: int) -> str:
    exponent = point - 1
    if not _SMALL_EXPONENT <= exponent < _LARGE_EXPONENT:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"
