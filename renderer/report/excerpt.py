"""A line of source text with a caret under what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import east_asian_width

from renderer.model.location import Location
from renderer.report.plain_text import printable

#: Characters of the line that are shown; of a longer one, those around the column.
_WIDTH = 100
_BEFORE = 60
_WORD = re.compile(r"""["']?[^\s:,\[\]{}"']+["']?|.""")


def excerpt(location: Location, line: str) -> Iterator[str]:
    """Two lines: the source with its number, and the caret below; only the first without a column."""
    number = f"{location.line:>5}"
    column = min(location.column - 1, len(line))
    start = max(0, column - _BEFORE) if len(line) > _WIDTH else 0
    window = line[start : start + _WIDTH]
    head, tail = "…" * (start > 0), "…" * (start + _WIDTH < len(line))
    yield f"{number} | {head}{printable(window)}{tail}".rstrip()
    if column >= 0 and line:
        indent = _blank(head + printable(line[start:column]))
        word = _WORD.match(line[column : start + _WIDTH])
        yield f"{' ' * len(number)} | {indent}{'^' * len(printable(word[0] if word else ' '))}"


def _blank(text: str) -> str:
    """As much space as the text takes on a terminal."""
    return "".join("  " if east_asian_width(character) in "WF" else " " for character in text)
