"""Lines and columns as PyYAML has them."""

from __future__ import annotations

from typing import NamedTuple

from yaml.events import Event


class Place(NamedTuple):
    """Line and column, from 0."""

    line: int
    column: int


def place_of(event: Event | None) -> Place:
    """Where the event begins."""
    mark = event.start_mark if event else None
    return Place(mark.line, mark.column) if mark else Place(0, 0)
