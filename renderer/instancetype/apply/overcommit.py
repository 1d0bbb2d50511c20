"""Memory overcommit, in the 32-bit floats of KubeVirt ``pkg/instancetype/apply/memory.go``."""

from __future__ import annotations

import struct

from renderer.model.quantity import INT64_MAX, INT64_MIN, Quantity

_FLOAT32 = struct.Struct("f")
_FLOAT32_PRECISION = 24


def overcommitted(guest: Quantity, percent: int) -> Quantity:
    """``guest`` less ``percent`` of it, as a canonical quantity in the format of ``guest``.

    Sums, products and quotients of two float32 are exact enough as a double to be rounded once more.
    """
    share = _float32(1 - _float32(_float32_of_integer(percent) / 100))
    requested = int(_float32(_float32_of_integer(guest.value()) * share))
    # What amd64 makes of a float that no int64 holds.
    fitting = requested if INT64_MIN <= requested <= INT64_MAX else INT64_MIN
    return Quantity.of_integer(fitting, guest.form)


def _float32(number: float) -> float:
    rounded: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    return rounded


def _float32_of_integer(number: int) -> float:
    """The nearest float32, ties to even; by way of a double it would be rounded twice."""
    unit = 1 << max(abs(number).bit_length() - _FLOAT32_PRECISION, 0)
    units, rest = divmod(number, unit)
    if 2 * rest > unit or (2 * rest == unit and units % 2):
        units += 1
    return float(units * unit)
