"""Quantities as int64, with Kubernetes' rounding and overflow.

After ``amount.go``, ``math.go`` and ``scale_int.go`` in ``k8s.io/apimachinery/pkg/api/resource``. A number is
``digits * 10 ** scale``; the result counts in units of ``10 ** unit``.
"""

from __future__ import annotations

INT64_MAX = (1 << 63) - 1
INT64_MIN = -INT64_MAX - 1

_NANO = -9
_INT64_RANGE = 1 << 64
_MAX_INT64_SCALE = 18
#: Multiples of this power of ten are multiples of 2 ** 64.
_VANISHING_SCALE = 64
#: Powers of ten by which Kubernetes multiplies in one step, and then returns what has wrapped around.
_WRAPPING_SCALES = frozenset({1, 2, 3, 6, 9})


def value_of_int64(digits: int, scale: int, unit: int) -> int:
    """Of an amount with int64 digits (``AsScaledInt64``): rounded away from zero."""
    shift = scale - unit
    if shift < 0:
        return _divided_away_from_zero(digits, 10**-shift)
    if shift > _MAX_INT64_SCALE:
        return 0
    value: int = digits * 10**shift
    if abs(value) <= INT64_MAX:
        return value
    return _wrapped(value) if shift in _WRAPPING_SCALES else 0


def value_of_dec(digits: int, scale: int, unit: int) -> int:
    """Of an amount held as ``inf.Dec`` (``scaledValue``): wraps around, what fits is rounded up by one."""
    if not digits:
        return 0
    if not scale and abs(digits) == INT64_MAX:  # capped, so not in nanos as all others
        return _wrapped(digits * 10**-unit)
    if scale > _VANISHING_SCALE:
        return 0
    nanos: int = digits * 10 ** (scale - _NANO)
    divisor: int = 10 ** (unit - _NANO)
    if nanos >= INT64_MAX:
        return _wrapped(-(-nanos // divisor))
    nanos = _wrapped(nanos)
    towards_zero = nanos // divisor if nanos > 0 else -(-nanos // divisor)
    return towards_zero + (nanos % divisor != 0)


def _wrapped(value: int) -> int:
    """As it fits into an int64."""
    return (value + INT64_MAX + 1) % _INT64_RANGE - INT64_MAX - 1


def _divided_away_from_zero(value: int, divisor: int) -> int:
    return -(-value // divisor) if value > 0 else value // divisor
