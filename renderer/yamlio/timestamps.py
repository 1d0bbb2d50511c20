"""Timestamps as Go's ``time`` package reads and writes them."""

from __future__ import annotations

import re
from typing import NamedTuple

from renderer.yamlio.errors import UnusableError

_DATE = r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})(?:[.,](?P<fraction>[0-9]+))?"
_ZONE = r"(?:Z|(?P<sign>[+-])(?P<zone_hours>[0-9]{2}):(?P<zone_minutes>[0-9]{2}))"
_FORMS = tuple(map(re.compile, (_DATE, f"{_DATE} +{_CLOCK}", f"{_DATE}[Tt]{_CLOCK}{_ZONE}")))

_NANOSECONDS = 9
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class TimestampOutOfRangeError(UnusableError):
    """The time exists, but RFC 3339 has no form for it."""


class Timestamp(NamedTuple):
    """``fraction`` is that of a second, in digits; ``zone`` is minutes east of UTC."""

    date: tuple[int, int, int]
    clock: tuple[int, int, int] = (0, 0, 0)
    fraction: str = ""
    zone: int = 0

    def rfc3339(self) -> str:
        """Go's ``Time.MarshalJSON``. Raises ``TimestampOutOfRangeError``."""
        (year, month, day), (hour, minute, second) = self.date, self.clock
        zone_hours, zone_minutes = divmod(abs(self.zone), 60)
        if zone_hours >= 24:  # noqa: PLR2004 (a clock)
            raise TimestampOutOfRangeError("the time zone of a timestamp goes up to 23:59")
        zone = f"{'-' if self.zone < 0 else '+'}{zone_hours:02}:{zone_minutes:02}" if self.zone else "Z"
        fraction = f".{self.fraction}" if self.fraction else ""
        return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"


def parse_timestamp(text: str) -> Timestamp | None:
    """The timestamp that go-yaml takes a plain scalar for (``resolve.go`` parseTimestamp), if any."""
    match = next(filter(None, (form.fullmatch(text) for form in _FORMS)), None)
    if match is None:
        return None
    part = match.groupdict()
    year, month, day, hour, minute, second, zone_hours, zone_minutes = (
        int(part.get(name) or 0)
        for name in ("year", "month", "day", "hour", "minute", "second", "zone_hours", "zone_minutes")
    )
    if not (_is_date(year, month, day) and _is_clock(hour, minute, second)):
        return None
    if zone_hours > 24 or zone_minutes > 60:  # noqa: PLR2004 (Go reads up to 24:60)
        return None
    zone = (zone_hours * 60 + zone_minutes) * (-1 if part.get("sign") == "-" else 1)
    fraction = (part.get("fraction") or "")[:_NANOSECONDS].rstrip("0")
    return Timestamp((year, month, day), (hour, minute, second), fraction, zone)


def _is_date(year: int, month: int, day: int) -> bool:
    leaps = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _MONTHS[month - 1] + (leaps and month == 2)  # noqa: PLR2004 (a calendar)


def _is_clock(hour: int, minute: int, second: int) -> bool:
    return hour < 24 and minute < 60 and second < 60  # noqa: PLR2004 (a clock)
