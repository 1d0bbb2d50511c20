"""The type and value of a scalar, by the rules of go-yaml v3 (resource files) and go-yaml v2 (YAML 1.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isinf

from renderer.model.kube.json import Scalar
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.go_numbers import json_number

_DATE = r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:[.,](?P<fraction>[0-9]+))?"
_ZONE = r"(?:Z|(?P<sign>[+-])(?P<zone_hours>[0-9]{2}):(?P<zone_minutes>[0-9]{2}))"
_FORMS = (_DATE, f"{_DATE} +{_CLOCK}", f"{_DATE}[Tt]{_CLOCK}{_ZONE}")

_NANOSECONDS = 9
_CORE = "tag:yaml.org,2002:"
MERGE_TAG, STR_TAG = _CORE + "merge", _CORE + "str"
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
MAX_INT, MAX_UINT = 2**63 - 1, 2**64 - 1
_MIN_INT = -(2**63)
_MAX_DIGITS = len(str(MAX_UINT))

_SIGN_OR_DIGIT = frozenset("+-0123456789")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_INTEGER = pattern(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = pattern(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
#: A text with any other character is not a number. Most sizes in Kubernetes have one: 30Gi.
_OF_NUMBERS = frozenset("+-._0123456789abcdefABCDEFxXoOinIN")
_SIGN_AFTER_PREFIX = pattern(r"0([bo])([-+][0-9]+)")


class TimestampOutOfRangeError(UnusableError):
    """The time exists, but RFC 3339 has no form for it."""


class Timestamp(Record):
    """A point in time; ``fraction`` is the digits of the second's fraction, ``zone`` minutes east of UTC."""

    date: tuple[int, int, int]
    clock: tuple[int, int, int] = (0, 0, 0)
    fraction: str = ""
    zone: int = 0

    def rfc3339(self) -> str:
        """Return the text of Go's ``Time.MarshalJSON``. Raises ``TimestampOutOfRangeError``."""
        (year, month, day), (hour, minute, second) = self.date, self.clock
        zone_hours, zone_minutes = divmod(abs(self.zone), 60)
        if zone_hours >= 24:  # noqa: PLR2004 (a clock)
            raise TimestampOutOfRangeError("the time zone of a timestamp goes up to 23:59")
        zone = f"{'-' if self.zone < 0 else '+'}{zone_hours:02}:{zone_minutes:02}" if self.zone else "Z"
        fraction = f".{self.fraction}" if self.fraction else ""
        return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"


def parse_timestamp(text: str) -> Timestamp | None:
    """Return the timestamp in a plain scalar, if go-yaml reads one (``resolve.go`` parseTimestamp)."""
    if text[4:5] != "-":  # after a year; compile the patterns only for possible timestamps
        return None
    match = next(filter(None, (re.fullmatch(form, text) for form in _FORMS)), None)
    if match is None:
        return None
    part = match.groupdict()
    year, month, day, hour, minute, second, zone_hours, zone_minutes = (
        int(part.get(name) or 0)
        for name in ("year", "month", "day", "hour", "minute", "second", "zone_hours", "zone_minutes")
    )
    if not _is_date(year, month, day):
        return None
    if hour >= 24 or minute >= 60 or second >= 60:  # noqa: PLR2004 (a clock)
        return None
    if zone_hours > 24 or zone_minutes > 60:  # noqa: PLR2004 (Go reads up to 24:60)
        return None
    zone = (zone_hours * 60 + zone_minutes) * (-1 if part.get("sign") == "-" else 1)
    fraction = (part.get("fraction") or "")[:_NANOSECONDS].rstrip("0")
    return Timestamp((year, month, day), (hour, minute, second), fraction, zone)


def _is_date(year: int, month: int, day: int) -> bool:
    leaps = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _MONTHS[month - 1] + (leaps and month == 2)  # noqa: PLR2004 (a calendar)


class Kind(TextEnum):
    """The types that a scalar can have."""

    NULL = "null"
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    TIMESTAMP = "timestamp"
    STR = "str"


class Resolved(Record):
    """The value of a plain scalar, and the kind that it was resolved to."""

    kind: Kind
    value: Scalar


class ScalarRules(Record):
    """The differences between go-yaml v2 and v3. ``signed_prefixes`` may precede a sign: ``0b-11``."""

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
    """Return the type and the JSON value of a plain scalar.

    go-yaml ``resolve.go``, then Go's JSON: whole floats become integers, timestamps RFC 3339 text. Raises
    ``UnusableError``: ``NotJsonError`` or ``TimestampOutOfRangeError``.
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
    if not _OF_NUMBERS.issuperset(text):
        return Resolved(Kind.STR, text)
    digits = text.replace("_", "")
    if (digits.isdecimal() and digits[0] != "0") or _INTEGER.fullmatch(digits):
        integer = _go_integer(digits)
        if integer is not None:
            return Resolved(Kind.INT, integer)
    signed = _SIGN_AFTER_PREFIX.fullmatch(digits)
    if signed and signed[1] in rules.signed_prefixes:
        return _resolve_signed(text, signed[2], rules.signed_prefixes[signed[1]])
    return _resolve_float(digits, text)


def _go_integer(digits: str) -> int | None:
    """Return ``strconv.ParseInt`` and then ``ParseUint``, base 0; None beyond 64 bits."""
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
        raise NotJsonError(f"{text} cannot be written as JSON")
    return Resolved(Kind.STR, text)


_KINDS = {_CORE + kind.name.lower(): kind for kind in Kind if kind is not Kind.STR}


class TagMismatchError(UnusableError):
    """The text does not have the type of its tag."""


def tagged_scalar(tag: str, text: str, rules: ScalarRules) -> Scalar:
    """Return the value of ``!tag text``, with ``tag`` in its long form.

    go-yaml ``resolve.go``: other tags than YAML's own leave a string. Raises ``TagMismatchError`` and
    ``NotJsonError``.
    """
    if tag == _CORE + "binary":
        return _binary(text)
    kind = _KINDS.get(tag)
    if kind is None:
        return text
    found = resolve(text, rules)
    is_integer = found.kind is Kind.INT and isinstance(found.value, int) and found.value <= MAX_INT
    if found.kind is kind or (kind is Kind.FLOAT and is_integer):
        return found.value
    raise TagMismatchError(f"this is not a !!{kind.name.lower()}")


def _binary(text: str) -> str:
    """Return the decoded bytes as Go's JSON shows them: U+FFFD replaces bytes that are not UTF-8."""
    from renderer.model.base64_text import decoded_base64  # noqa: PLC0415 - few scalars are of this type

    try:
        data = decoded_base64(text)
    except ValueError:  # text beyond ASCII is not valid either
        raise TagMismatchError("!!binary holds text that is not base64") from None
    return data.decode("utf-8", "replace")
