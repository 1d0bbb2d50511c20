"""One limit as people write it: ``fileSize`` and ``64Mi``, or 64."""

from __future__ import annotations

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json
from renderer.model.limits import FIELDS, SIZES, LimitValueError
from renderer.model.quantity import Quantity

_LARGEST = (1 << 63) - 1


def field_of(name: str) -> str:
    """The field of ``Limits`` that ``name`` means. Raises ``LimitValueError``."""
    if name in FIELDS:
        return FIELDS[name]
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    nearest = get_close_matches(name, FIELDS, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"limits: {', '.join(FIELDS)}"
    raise LimitValueError(name, f"there is no limit {name}", hint)


def value_of(name: str, written: Json) -> int:
    """The number that is written for the limit ``name``. Raises ``LimitValueError``."""
    is_size = field_of(name) in SIZES
    value = _whole_number(written, suffixes=is_size)
    if value is None or not 0 < value <= _LARGEST:
        hint = "write a number of bytes, such as 64Mi" if is_size else "write a number, such as 5000"
        raise LimitValueError(name, f"{name} must be a whole number above 0, not {written!r}", hint)
    return value


def _whole_number(written: Json, *, suffixes: bool) -> int | None:
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    if not isinstance(written, str):
        return None
    if written.isascii() and written.isdecimal():
        return int(written) if len(written) < len(str(_LARGEST)) else None
    if not suffixes:
        return None
    try:
        return Quantity.parse(written).value()
    except DiagnosticError:
        return None
