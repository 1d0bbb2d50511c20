"""The order in which go-yaml writes the keys of a mapping."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key


def natural_order(keys: Iterable[str]) -> list[str]:
    """Keys with numbers by value: ``a1``, ``a01``, ``a2``, ``a10`` (go-yaml v2 ``sorter.go``).

    Around numbers go-yaml's comparison can go in circles (``v2`` < ``v10`` < ``v1beta1`` < ``v2``), and what
    it prints then differs from run to run; here such keys have some order that is always the same.
    """
    ordered = sorted(keys)
    if all(key.isascii() and key.isalpha() for key in ordered):
        return ordered
    return sorted(ordered, key=_AS_WRITTEN)


def _compare(left: str, right: str) -> int:
    return -1 if _less(left, right) else 1


_AS_WRITTEN = cmp_to_key(_compare)


def _less(left: str, right: str) -> bool:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return _less_at(index, left, right)
    return len(left) < len(right)


def _less_at(index: int, left: str, right: str) -> bool:
    """Decides at the first character that differs; letters come last."""
    a, b = left[index], right[index]
    if a.isalpha() and b.isalpha():
        return a < b
    if a.isalpha() or b.isalpha():
        return b.isalpha()
    leading = "1" if "0" in (a, b) and _follows_number(left, index) else ""
    left_digits, right_digits = _digits(left, index), _digits(right, index)
    left_number, right_number = (_int64(leading + digits) for digits in (left_digits, right_digits))
    if left_number != right_number:
        return left_number < right_number
    if len(left_digits) != len(right_digits):
        return len(left_digits) < len(right_digits)
    return a < b


def _follows_number(text: str, index: int) -> bool:
    """Is there a digit other than 0 in the digits just before ``index``?"""
    start = index
    while start and text[start - 1].isdecimal():
        start -= 1
    return bool(text[start:index].strip("0"))


def _digits(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end].isdecimal():
        end += 1
    return text[start:end]


def _int64(digits: str) -> int:
    """Sums up as Go does: digits of other scripts by their distance from ``0``, overflow wraps around."""
    number = 0
    for digit in digits:
        number = number * 10 + ord(digit) - ord("0")
    return (number + 2**63) % 2**64 - 2**63
