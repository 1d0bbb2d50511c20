"""Findings about values that came from a Secret: they do not repeat them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from renderer.model.diagnostic import Diagnostic

_MASK = "***"
#: Characters of a value that is masked wherever it stands; a shorter one may be part of any word.
_LONG = 4


def without_values(found: Iterable[Diagnostic], values: Iterable[str]) -> tuple[Diagnostic, ...]:
    """The findings with each of ``values`` masked in all that they say."""
    patterns = [_pattern(value) for value in sorted(values, key=len, reverse=True)]
    if not patterns:
        return tuple(found)
    value = re.compile("|".join(patterns))

    def masked(text: str) -> str:
        return value.sub(_MASK, text)

    return tuple(
        replace(
            each,
            message=masked(each.message),
            hint=each.hint and masked(each.hint),
            related=tuple(other._replace(message=masked(other.message)) for other in each.related),
        )
        for each in found
    )


def _pattern(value: str) -> str:
    escaped = re.escape(value)
    return escaped if len(value) >= _LONG else rf"(?<!\w){escaped}(?!\w)"
