"""sprig's functions for numbers (``numeric.go``, and spf13/cast for conversions to numbers)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import reduce

from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.values import GoTemplateError, format_value

_MAX_VALUES = 100_000
_BITS = 64
_INTEGER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[0-9]+)")


def integer(value: object) -> int:
    """Return the value as an integer; 0 if it is not a number (``cast.ToInt64``)."""
    if isinstance(value, str):
        text = re.sub(r"\.0*$", "", value)
        if not _INTEGER.fullmatch(text):
            return 0
        digits = text.lstrip("+-")
        is_octal = re.fullmatch(r"0[0-7]+", digits) is not None
        number = int(digits, 8 if is_octal else 0) if digits.strip("0") else 0
        return _wrap_to_64_bits(-number if text.startswith("-") else number)
    if isinstance(value, float):
        return _wrap_to_64_bits(math.trunc(value)) if math.isfinite(value) else 0
    return int(value) if isinstance(value, int) else 0


def fraction(value: object) -> float:
    """Return the value as a float; 0 if it is not a number (``cast.ToFloat64``)."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def _wrap_to_64_bits(number: int) -> int:
    """Return the number wrapped around to 64 bits."""
    return (number + (1 << (_BITS - 1))) % (1 << _BITS) - (1 << (_BITS - 1))


def _integer_operation(operation: Callable[[int, int], int]) -> Callable[..., int]:
    return lambda first, *others: reduce(
        lambda one, other: _wrap_to_64_bits(operation(one, integer(other))), others, integer(first)
    )


def _quotient(one: int, other: int) -> int:
    if not other:
        raise GoTemplateError("integer divide by zero")
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _decimal_operation(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., float]:
    def apply(first: object, *others: object) -> float:
        try:
            return float(reduce(operation, (Decimal(repr(fraction(each))) for each in (first, *others))))
        except ArithmeticError:
            raise GoTemplateError("decimal division by 0, or a number that is too large") from None

    return apply


def _atoi(text: str) -> int:
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else 0


def _round(value: object, places: int, round_on: float = 0.5) -> float:
    power = 10.0**places
    digit = power * fraction(value)
    rest = math.modf(digit)[0]
    return (math.ceil(digit) if rest >= round_on else math.floor(digit)) / power


def _until_step(start: int, stop: int, step: int) -> list[int]:
    if (stop < start) != (step < 0) or not step:
        return []
    values = range(start, stop, step)
    if len(values) > _MAX_VALUES:
        raise GoTemplateError(f"a list would have more than {_MAX_VALUES} values")
    return list(values)


def _seq(*bounds: int) -> str:
    """Return the output of the program ``seq`` for the end, or start and end, or start, step and end."""
    if not bounds or len(bounds) > 3:  # noqa: PLR2004 - as the docstring says
        return ""
    start, end = (bounds[0] if len(bounds) > 1 else 1), bounds[-1]
    direction = -1 if end < start else 1
    step = bounds[1] if len(bounds) == 3 else direction  # noqa: PLR2004 - as above
    if end < start and step > 0:
        return ""
    return " ".join(map(str, _until_step(start, end + direction, step)))


def _octal(value: object) -> int:
    text = format_value(value, nested=True)
    return int(text, 8) if re.fullmatch(r"[+-]?[0-7]+", text) else 0


NUMBER_FUNCTIONS: Mapping[str, GoFunction] = {
    "atoi": GoFunction(_atoi, "s"),
    "int": GoFunction(integer, "a"),
    "int64": GoFunction(integer, "a"),
    "float64": GoFunction(fraction, "a"),
    "toDecimal": GoFunction(_octal, "a"),
    "seq": GoFunction(_seq, "", "i"),
    "until": GoFunction(lambda count: _until_step(0, count, -1 if count < 0 else 1), "i"),
    "untilStep": GoFunction(_until_step, "iii"),
    "add1": GoFunction(lambda value: _wrap_to_64_bits(integer(value) + 1), "a"),
    "add": GoFunction(
        lambda *values: _integer_operation(lambda one, other: one + other)(0, *values), "", "a"
    ),
    "sub": GoFunction(_integer_operation(lambda one, other: one - other), "aa"),
    "mul": GoFunction(_integer_operation(lambda one, other: one * other), "a", "a"),
    "div": GoFunction(_integer_operation(_quotient), "aa"),
    "mod": GoFunction(_integer_operation(lambda one, other: one - _quotient(one, other) * other), "aa"),
    "max": GoFunction(_integer_operation(max), "a", "a"),
    "biggest": GoFunction(_integer_operation(max), "a", "a"),
    "min": GoFunction(_integer_operation(min), "a", "a"),
    "add1f": GoFunction(lambda value: _decimal_operation(lambda one, other: one + other)(value, 1), "a"),
    "addf": GoFunction(
        lambda *values: _decimal_operation(lambda one, other: one + other)(0, *values), "", "a"
    ),
    "subf": GoFunction(_decimal_operation(lambda one, other: one - other), "a", "a"),
    "mulf": GoFunction(_decimal_operation(lambda one, other: one * other), "a", "a"),
    "divf": GoFunction(_decimal_operation(lambda one, other: one / other), "a", "a"),
    "maxf": GoFunction(lambda *values: max(map(fraction, values)), "a", "a"),
    "minf": GoFunction(lambda *values: min(map(fraction, values)), "a", "a"),
    "ceil": GoFunction(lambda value: float(math.ceil(fraction(value))), "a"),
    "floor": GoFunction(lambda value: float(math.floor(fraction(value))), "a"),
    "round": GoFunction(_round, "ai", "f"),
}
