"""Cron schedules as Go's ``robfig/cron`` reads them (``parser.go`` ParseStandard, version 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from renderer.golang.duration import parse_duration
from renderer.model.record import Record
from renderer.model.suggest import did_you_mean

_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY = "@every "
_TIME_ZONES = ("TZ=", "CRON_TZ=")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_DAYS = "sun mon tue wed thu fri sat"

_Names: TypeAlias = Mapping[str, int]


class _Field(Record):
    """A field of a schedule, with its least and greatest value, and the names of values."""

    name: str
    least: int
    most: int
    names: _Names

    @property
    def plural(self) -> str:
        first, space, rest = self.name.partition(" ")
        return f"{first}s{space}{rest}"


_FIELDS = (
    _Field("minute", 0, 59, {}),
    _Field("hour", 0, 23, {}),
    _Field("day of the month", 1, 31, {}),
    _Field("month", 1, 12, {name: number for number, name in enumerate(_MONTHS.split(), 1)}),
    _Field("day of the week", 0, 6, {name: number for number, name in enumerate(_DAYS.split())}),
)


def cron_problem(schedule: str) -> str | None:
    """Return why a schedule is rejected; None if it is valid. Names of time zones are not checked."""
    if schedule.startswith(_TIME_ZONES):
        schedule = schedule.partition(" ")[2].strip()
    if schedule.startswith("@"):
        return _descriptor_problem(schedule)
    parts = schedule.split()
    if len(parts) != len(_FIELDS):
        fields = ", ".join(field.name for field in _FIELDS)
        return f"it has {len(parts)} fields instead of {len(_FIELDS)}: {fields}"
    for field, text in zip(_FIELDS, parts, strict=True):
        for element in filter(None, text.split(",")):
            problem = _element_problem(field, element)
            if problem:
                return f"the {field.name} {text!r} {problem}"
    return None


def cron_hint(schedule: str) -> str | None:
    """Return a hint about a schedule that is rejected."""
    parts = schedule.split()
    if schedule.startswith("@") or len(parts) != len(_FIELDS):
        return did_you_mean(
            schedule, _DESCRIPTORS, most=1, otherwise='write five fields, such as "0 3 * * *"'
        )
    is_sunday = _element_problem(_FIELDS[-1], parts[-1]) is not None
    return "Sunday is 0" if is_sunday else "midnight is 0" if parts[1] == "24" else None


def _descriptor_problem(schedule: str) -> str | None:
    if schedule in _DESCRIPTORS or (
        schedule.startswith(_EVERY) and parse_duration(schedule.removeprefix(_EVERY)) is not None
    ):
        return None
    return f"{schedule!r} is not one of {', '.join(_DESCRIPTORS)} or @every with a duration"


def _element_problem(field: _Field, element: str) -> str | None:
    """Return why a number, range or step is rejected, such as ``5``, ``1-5`` or ``*/15``."""
    span, *steps = element.split("/")
    first, *rest = span.split("-")
    step = _number(steps[0], {}) if steps else 1
    if len(steps) > 1 or step is None:
        return "cannot be read"
    if first in ("*", "?"):
        low, high = field.least, field.most
    else:
        start, end = _number(first, field.names), _number(rest[0] if rest else first, field.names)
        if len(rest) > 1 or start is None or end is None:
            return "cannot be read"
        low, high = start, field.most if steps and not rest else end
    if low < field.least or high > field.most:
        return f"is out of range: {field.plural} go from {field.least} to {field.most}"
    if low > high:
        return "begins after its end"
    return None if step else "has a step of 0"


def _number(text: str, names: _Names) -> int | None:
    known = names.get(text.lower())
    if known is not None:
        return known
    digits = text.removeprefix("+")
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None  # noqa: PLR2004 - more is never in range
