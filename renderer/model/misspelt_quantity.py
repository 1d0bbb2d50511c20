"""The quantity that was probably meant by a text that is not one (``4GB``, ``512mb``), or has no unit."""

from __future__ import annotations

import re

from renderer.model.diagnostic import DiagnosticError
from renderer.model.quantity import Quantity
from renderer.model.whole_number import whole_number

_AMOUNT = re.compile(r"([+-]?[0-9.]{1,20})(?:([kmgtpe])(i?)(b?))?b?", re.IGNORECASE)

#: An amount of memory without a unit is read as gibibytes up to this, a larger one as mebibytes.
_MOST_GIBIBYTES = 128


def meant_quantity(text: str) -> str | None:
    """Return the quantity that ``text`` probably means, None if nothing is probable.

    A misspelt unit is taken as a power of two: ``4GB``, ``4gb`` and ``4g`` are 4Gi.
    """
    match = _AMOUNT.fullmatch("".join(text.split()))
    if match is None:
        return None
    letter = match[2] or ""
    meant = f"{match[1]}{letter.upper()}i" if letter else match[1]
    return meant if _is_quantity(meant) else None


def quantity_hint(text: str) -> str | None:
    """Return the hint to write what ``text`` probably means; it names both sizes if there are two."""
    meant = meant_quantity(text)
    if meant is None:
        return None
    decimal = meant.replace("K", "k").removesuffix("i")
    if decimal == meant or "i" in text.lower():
        return f"did you mean {meant}?"
    return f"did you mean {meant}? it is {_bytes(meant)} bytes, and {decimal} is {_bytes(decimal)}"


def with_probable_unit(digits: str) -> str:
    """Return an amount of memory that was written without a unit, with the probable one."""
    return f"{digits}{'Gi' if whole_number(digits) <= _MOST_GIBIBYTES else 'Mi'}"


def _is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except DiagnosticError:
        return False
    return True


def _bytes(text: str) -> str:
    return f"{Quantity.parse(text).value():,}"
