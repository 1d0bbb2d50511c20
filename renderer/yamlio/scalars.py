"""What a plain scalar means: the rules of go-yaml v3 (resource files) and of go-yaml v2 (YAML 1.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from math import isinf
from typing import NamedTuple

from renderer.model.json import Scalar
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.go_numbers import json_number
from renderer.yamlio.timestamps import parse_timestamp

MAX_INT, MAX_UINT = 2**63 - 1, 2**64 - 1
_MIN_INT = -(2**63)
_MAX_DIGITS = len(str(MAX_UINT))

_SIGN_OR_DIGIT = frozenset("+-0123456789")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_SIGN_AFTER_PREFIX = re.compile(r"0([bo])([-+][0-9]+)")


class Kind(Enum):
    """The types that a scalar can have."""

    NULL = auto()
    BOOL = auto()
    INT = auto()
    FLOAT = auto()
    TIMESTAMP = auto()
    STR = auto()


class Resolved(NamedTuple):
    kind: Kind
    value: Scalar


class ScalarRules(NamedTuple):
    """Where the versions of go-yaml differ. ``signed_prefixes`` may stand before a sign: ``0b-11``."""

    booleans: Mapping[str, bool]
    signed_prefixes: Mapping[str, int]
    timestamps_as_written: bool


def _spellings(*words: str) -> list[str]:
    return [spelling for word in words for spelling in (word, word.capitalize(), word.upper())]


_BOOLEANS = dict.fromkeys(_spellings("true"), True) | dict.fromkeys(_spellings("false"), False)

#: go-yaml v3.
CORE_RULES = ScalarRules(_BOOLEANS, {"b": 2, "o": 8}, timestamps_as_written=False)

#: go-yaml v2.
YAML11_RULES = ScalarRules(
    _BOOLEANS
    | dict.fromkeys(_spellings("y", "yes", "on"), True)
    | dict.fromkeys(_spellings("n", "no", "off"), False),
    {"b": 2},
    timestamps_as_written=True,
)


class NotJsonError(UnusableError):
    """A scalar that JSON has no value for, such as ``.inf``."""


def resolve(text: str, rules: ScalarRules) -> Resolved:
    """The type and the JSON value of a plain scalar.

    go-yaml ``resolve.go``, followed by what Go's JSON makes of the value: floats that are whole
    come out as integers, timestamps as RFC 3339 text. Raises ``UnusableError``: ``NotJsonError`` or
    ``TimestampOutOfRangeError``.
    """
    first = text[:1]
    if first in _SIGN_OR_DIGIT:
        return _resolve_number(text, rules)
    if text in _NULLS:
        return Resolved(Kind.NULL, None)
    if first == ".":
        return _resolve_float(text, text)
    if text in rules.booleans:
        return Resolved(Kind.BOOL, rules.booleans[text])
    return Resolved(Kind.STR, text)


def _resolve_number(text: str, rules: ScalarRules) -> Resolved:
    timestamp = parse_timestamp(text)
    if timestamp:
        return Resolved(Kind.TIMESTAMP, text if rules.timestamps_as_written else timestamp.rfc3339())
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(digits):
        integer = _go_integer(digits)
        if integer is not None:
            return Resolved(Kind.INT, integer)
    signed = _SIGN_AFTER_PREFIX.fullmatch(digits)
    if signed and signed[1] in rules.signed_prefixes:
        return _resolve_signed(text, signed[2], rules.signed_prefixes[signed[1]])
    return _resolve_float(digits, text)


def _go_integer(digits: str) -> int | None:
    """``strconv.ParseInt`` and then ``ParseUint``, base 0; None beyond 64 bits."""
    unsigned = digits.lstrip("+-")
    if unsigned[0] != "0" and len(unsigned) > _MAX_DIGITS:
        return None
    is_octal = unsigned[0] == "0" and unsigned[1:2].isdigit()
    value = int(digits, 8) if is_octal else int(digits, 0)
    ceiling = MAX_UINT if unsigned is digits else MAX_INT
    return value if _MIN_INT <= value <= ceiling else None


def _resolve_signed(text: str, digits: str, base: int) -> Resolved:
    try:
        value = int(digits, base)
    except ValueError:
        return Resolved(Kind.STR, text)
    return Resolved(Kind.INT, value) if _MIN_INT <= value <= MAX_INT else Resolved(Kind.STR, text)


def _resolve_float(digits: str, text: str) -> Resolved:
    if _FLOAT.fullmatch(digits):
        value = float(digits)
        return Resolved(Kind.STR, text) if isinf(value) else Resolved(Kind.FLOAT, json_number(value))
    if _NOT_FINITE.fullmatch(text):
        raise NotJsonError(f"{text} has no form in JSON")
    return Resolved(Kind.STR, text)
