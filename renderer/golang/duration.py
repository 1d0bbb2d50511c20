"""Go's durations: ``1h30m``, ``-1.5h``, ``300ms``; there is no unit for days."""

from __future__ import annotations

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
    """Return a duration in nanoseconds (``time.ParseDuration``); None if Go cannot parse the text."""
    if len(text) > _MOST_CHARACTERS or _DURATION.fullmatch(text) is None:
        return None
    amount = sum(_nanoseconds(number, unit) for number, unit in _EACH_PART.findall(text))
    if amount > _LONGEST:
        return None
    return -amount if text.startswith("-") else amount


def _nanoseconds(number: str, unit: str) -> int:
    whole, _, decimals = number.partition(".")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * _NANOSECONDS[unit] // scale


def format_duration(nanoseconds: int) -> str:
    """Return the text that Go writes (``Duration.String``): ``48h0m0s``, ``1m30s``, ``1.5s``, ``300ms``."""
    sign, amount = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if amount < _NANOSECONDS["s"]:
        unit = next((unit for unit in ("ms", "µs", "ns") if amount >= _NANOSECONDS[unit]), "s")
        return f"{sign}{_in_unit(amount, unit)}"
    minutes, rest = divmod(amount, _NANOSECONDS["m"])
    hours, minutes = divmod(minutes, 60)
    text = _in_unit(rest, "s")
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def _in_unit(nanoseconds: int, unit: str) -> str:
    whole, fraction = divmod(nanoseconds, _NANOSECONDS[unit])
    digits = len(str(_NANOSECONDS[unit])) - 1
    decimals = f"{fraction:0{digits}}".rstrip("0") if fraction else ""
    return f"{whole}{'.' if decimals else ''}{decimals}{unit}"
