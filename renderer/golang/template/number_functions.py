"""sprig's functions for numbers (``numeric.go``, and spf13/cast for conversions to numbers)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import reduce

from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.strconv import NumError, float_to_int, parse_float, parse_int, wrap_int
from renderer.golang.template.values import format_value
from renderer.model.run.limits import limits

_SEQ_WITH_STEP = 3


def integer(value: object) -> int:
    """Return the value as an integer; 0 if it is not a number (``cast.ToInt64``)."""
    if isinstance(value, str):
        try:
            return parse_int(re.sub(r"\.0+\Z", "", value), 0)
        except NumError:
            return 0
    if isinstance(value, float):
        return float_to_int(value)
    return int(value) if isinstance(value, int) else 0


def fraction(value: object) -> float:
    """Return the value as a float; 0 if it is not a number (``cast.ToFloat64``)."""
    if isinstance(value, str):
        try:
            return parse_float(value)
        except NumError:
            return 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def _integer_operation(operation: Callable[[int, int], int]) -> Callable[..., int]:
    return lambda first, *others: reduce(
        lambda one, other: wrap_int(operation(one, integer(other))), others, integer(first)
    )


def _quotient(one: int, other: int) -> int:
    if not other:
        raise GoTemplateError("integer divide by zero")
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _decimal_operation(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., float]:
    def apply(first: object, *others: object) -> float:
        numbers = [fraction(each) for each in (first, *others)]
        if not all(map(math.isfinite, numbers)):
            raise GoTemplateError("Cannot create a Decimal from NaN or Inf")
        try:
            return float(reduce(operation, (Decimal(repr(each)) for each in numbers)))
        except ArithmeticError:
            raise GoTemplateError("decimal division by 0, or a number that is too large") from None

    return apply


def _extreme(choose: Callable[..., float]) -> Callable[..., float]:
    def extreme(*values: object) -> float:
        numbers = [fraction(each) for each in values]
        return math.nan if any(map(math.isnan, numbers)) else choose(numbers)

    return extreme


def _atoi(text: str) -> int:
    try:
        return parse_int(text, 10)
    except NumError as error:
        return error.nearest


def _octal(value: object) -> int:
    try:
        return parse_int(format_value(value, nested=True), 8)
    except NumError:
        return 0


def _whole(to_whole: Callable[[float], int], number: float) -> float:
    """Return the whole number next to a float; NaN and infinity have none, and stay."""
    return math.copysign(float(to_whole(number)), number) if math.isfinite(number) else number


def _round(value: object, places: int, *round_on: float) -> float:
    power = _power_of_ten(places)
    digit = power * fraction(value)
    rest = math.nan if math.isinf(digit) else math.modf(digit)[0]
    whole = _whole(math.ceil if rest >= (*round_on, 0.5)[0] else math.floor, digit)
    if power:
        return whole / power
    return math.nan if not whole or math.isnan(whole) else math.copysign(math.inf, whole)


def _power_of_ten(exponent: int) -> float:
    try:
        return 10.0**exponent
    except OverflowError:
        return math.inf


def _until(count: int) -> range:
    return _until_step(0, count, -1 if count < 0 else 1)


def _until_step(start: int, stop: int, step: int) -> range:
    if (stop < start) != (step < 0) or not step:
        return range(0)
    most = limits().template_steps
    if abs(stop - start) // abs(step) > most:
        raise GoTemplateError(f"a list would have more than {most} values")
    return range(start, stop, step)


def _seq(*bounds: int) -> str:
    """Return the output of the program ``seq`` for the end, or start and end, or start, step and end."""
    if not bounds or len(bounds) > _SEQ_WITH_STEP:
        return ""
    start, end = (bounds[0] if len(bounds) > 1 else 1), bounds[-1]
    direction = -1 if end < start else 1
    step = bounds[1] if len(bounds) == _SEQ_WITH_STEP else direction
    if end < start and step > 0:
        return ""
    return format_value(_until_step(start, end + direction, step))[1:-1]


NUMBER_FUNCTIONS: Mapping[str, GoFunction] = {
    "atoi": GoFunction(_atoi, "s"),
    "int": GoFunction(integer, "a"),
    "int64": GoFunction(integer, "a"),
    "float64": GoFunction(fraction, "a"),
    "toDecimal": GoFunction(_octal, "a"),
    "seq": GoFunction(_seq, "", "i"),
    "until": GoFunction(_until, "i"),
    "untilStep": GoFunction(_until_step, "iii"),
    "add1": GoFunction(lambda value: wrap_int(integer(value) + 1), "a"),
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
    "maxf": GoFunction(_extreme(max), "a", "a"),
    "minf": GoFunction(_extreme(min), "a", "a"),
    "ceil": GoFunction(lambda value: _whole(math.ceil, fraction(value)), "a"),
    "floor": GoFunction(lambda value: _whole(math.floor, fraction(value)), "a"),
    "round": GoFunction(_round, "ai", "f"),
}
