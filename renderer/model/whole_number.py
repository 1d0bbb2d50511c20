"""Whole numbers in texts of any length.

Python refuses to read more than 4,300 digits (``sys.set_int_max_str_digits``), as that takes quadratic time.
Nothing here has a number of that size: it is out of range wherever it is written.
"""

from __future__ import annotations

_MOST_DIGITS = 100
#: Out of every range.
_BEYOND: int = 10**_MOST_DIGITS


def whole_number(text: str) -> int:
    """Return ``int(text)``; of more than a hundred characters, a number of that sign that is out of range."""
    if len(text) <= _MOST_DIGITS:
        return int(text)
    return -_BEYOND if text.startswith("-") else _BEYOND


def version_numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of ``1.16.3``, to compare versions; none for an empty text."""
    return tuple(map(whole_number, version.split("."))) if version else ()


def json_integer(text: str) -> int:
    """Return an integer of JSON. Raises ``ValueError``, in words for users, for one with too many digits."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"a number has {len(text)} digits") from None
