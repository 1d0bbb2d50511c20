"""Filters for Kubernetes quantities, in exact integer arithmetic.

A quantity is text such as ``1.5Gi``, or a number. A result is written in the format of its input.
"""

from __future__ import annotations

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.values import describe
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.quantity import INT64_MAX, Quantity, QuantityFormat

#: Powers of ten that bound meaningful quantities: a nano, and beyond the largest suffix.
_MIN_SCALE, _MAX_SCALE = -9, 30
_MILLI = -3


def quantity(value: object) -> str:
    """Return the quantity in canonical form: ``1536Mi`` for ``1.5Gi``."""
    return _parsed(value).canonical


def quantity_bytes(value: object) -> int:
    """Return the quantity as a whole number: of bytes for memory, of cores for CPUs."""
    return _whole(_parsed(value), 0, "a whole number")


def millis(value: object) -> int:
    """Return the quantity in thousandths: 500 for ``500m``."""
    return _whole(_parsed(value), _MILLI, "a whole number of thousandths")


def binary_quantity(value: object) -> str:
    """Return the quantity with Ki, Mi, Gi …: ``8Gi`` for 8589934592."""
    return _in_format(value, QuantityFormat.BINARY_SI)


def decimal_quantity(value: object) -> str:
    """Return the quantity with k, M, G … or m: ``8G`` for 8000000000."""
    return _in_format(value, QuantityFormat.DECIMAL_SI)


def quantity_add(value: object, *others: object) -> str:
    """Add quantities."""
    return _sum(value, others, 1)


def quantity_subtract(value: object, *others: object) -> str:
    """Subtract quantities from the first one."""
    return _sum(value, others, -1)


def quantity_multiply(value: object, factor: object) -> str:
    """Multiply a quantity by a number, which may have a fraction: 1.5 times 4Gi is 6Gi."""
    left, right = _parsed(value), _parsed(factor)
    return _text(left.digits * right.digits, left.scale + right.scale, left.form)


def quantity_divide(value: object, divisor: object) -> str:
    """Divide a quantity by a number. Raises ``TemplateError`` if there is a remainder."""
    left, right = _parsed(value), _parsed(divisor)
    if not right.digits:
        raise TemplateError("a quantity is divided by zero")
    # Both in nanos of nanos, so that the result is in nanos.
    dividend = left.digits * 10 ** (left.scale - 2 * _MIN_SCALE)
    result, rest = divmod(dividend, right.digits * 10 ** (right.scale - _MIN_SCALE))
    if rest:
        hint = "divide whole numbers, and say how to round: (memory | bytes // 3) | binary_quantity"
        raise TemplateError(f"{left.canonical} cannot be divided by {right.canonical} without a rest", hint)
    return _text(result, _MIN_SCALE, left.form)


def _parsed(value: object) -> Quantity:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise TemplateError(f"{describe(value)} is not a quantity")
    scalar: Json = value
    try:
        parsed = Quantity.of(scalar)
    except DiagnosticError as error:
        raise TemplateError(error.diagnostics[0].message, error.diagnostics[0].hint) from None
    if not _MIN_SCALE <= parsed.scale <= _MAX_SCALE:
        raise TemplateError("the quantity is too large")
    return parsed


def _sum(value: object, others: tuple[object, ...], sign: int) -> str:
    first, rest = _parsed(value), [_parsed(other) for other in others]
    nanos = _nanos(first) + sign * sum(map(_nanos, rest))
    return _text(nanos, _MIN_SCALE, first.form)


def _nanos(parsed: Quantity) -> int:
    nanos: int = parsed.digits * 10 ** (parsed.scale - _MIN_SCALE)
    return nanos


def _whole(parsed: Quantity, scale: int, wanted: str) -> int:
    unit: int = 10 ** (scale - _MIN_SCALE)
    number, rest = divmod(_nanos(parsed), unit)
    if rest:
        raise TemplateError(f"{parsed.canonical} is not {wanted}")
    return number


def _in_format(value: object, form: QuantityFormat) -> str:
    return _text(_nanos(_parsed(value)), _MIN_SCALE, form)


def _text(digits: int, scale: int, form: QuantityFormat) -> str:
    """Return the amount as text. Raises ``TemplateError`` if finer than a nano or capped by Kubernetes."""
    if scale < _MIN_SCALE:
        digits, rest = divmod(digits, 10 ** (_MIN_SCALE - scale))
        scale = _MIN_SCALE
        if rest:
            raise TemplateError("the result is finer than any quantity", "round the factor")
    result = Quantity(digits, scale, form)
    if abs(_nanos(result)) > INT64_MAX * 10**-_MIN_SCALE:
        raise TemplateError("the result is larger than any quantity")
    return result.canonical
