"""Go's ``time.ParseDuration``: ``1h30m``, ``-1.5h``, ``300ms``; there is no unit for days."""

from __future__ import annotations

from fractions import Fraction

from renderer.model.pattern import pattern

_PART = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)"
_DURATION = pattern(rf"[-+]?(0|({_PART})+)")
_EACH_PART = pattern(_PART)
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_LONGEST = 2**63 - 1
#: A longer text is not a duration of sixty-four bits.
_MOST_CHARACTERS = 200


def parse_duration(text: str) -> int | None:
    """Return a duration in nanoseconds; None if Go cannot parse the text."""
    if len(text) > _MOST_CHARACTERS or _DURATION.fullmatch(text) is None:
        return None
    parts = _EACH_PART.findall(text)
    amount = sum(int(Fraction(number.rstrip(".")) * _NANOSECONDS[unit]) for number, unit in parts)
    if amount > _LONGEST:
        return None
    return -amount if text.startswith("-") else amount
