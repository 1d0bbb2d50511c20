"""The values of this run that no output may repeat, noted where they enter.

They are those of Secrets that come in by other ways than a Secret among the resources: variables of Flux,
parts of a value that a replacement takes, files that Secrets are generated from, values of Templates that
make Secrets. Whatever prints findings, differences or lists masks them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar

#: A shorter value may be part of any text.
SHORTEST = 6
_VALUES: ContextVar[frozenset[str]] = ContextVar("tainted", default=frozenset())


def taint(values: Iterable[str]) -> None:
    """Note values, and each of their lines, until the run ends."""
    texts = tuple(values)
    lines = (line.strip() for text in texts for line in (text, *text.splitlines()))
    _VALUES.set(_VALUES.get() | {line for line in lines if len(line) >= SHORTEST})


def tainted() -> frozenset[str]:
    """Return the values that were noted."""
    return _VALUES.get()
