"""The confidential values of this run, which no output may repeat, recorded where they enter.

They are values of Secrets that are not from a Secret among the resources: variables of Flux, parts of a value
that a replacement copies, files from which Secrets are generated, values of Templates that create Secrets.
All output of findings, differences or lists masks them. The values recorded by a worker process are sent to
the process that prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import ContextVar

from renderer.model.kube.json import Json, scalar_text
from renderer.model.masking import Masking

#: A shorter value may be part of any text.
SHORTEST = 6


class _Notes:
    """The values, and the search for them; values in ``new`` have not been added to it yet."""

    def __init__(self) -> None:
        self.values: dict[str, None] = {}
        self.new: list[str] = []
        self.masking = Masking()


_notes: ContextVar[_Notes | None] = ContextVar("tainted", default=None)


def begin_notes() -> None:
    """Begin with no values, in this context."""
    _notes.set(_Notes())


def taint(values: Iterable[str]) -> None:
    """Record values, and each of their lines, until the run ends."""
    notes = _notes.get()
    if notes is None:
        notes = _Notes()
        _notes.set(notes)
    for text in values:
        for line in (text, *text.splitlines()):
            value = line.strip()
            if len(value) >= SHORTEST and value not in notes.values:
                notes.values[value] = None
                notes.new.append(value)


def taint_texts(value: Json) -> None:
    """Record every scalar in a tree as it is written."""
    taint(texts_of(value))


def texts_of(value: Json) -> Iterator[str]:
    """Yield the scalars in a tree as they are written, without null."""
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from texts_of(child)
    elif value is not None:
        yield scalar_text(value)


def tainted() -> frozenset[str]:
    """Return the recorded values."""
    notes = _notes.get()
    return frozenset(notes.values) if notes else frozenset()


def count_tainted() -> int:
    """Return the number of recorded values."""
    notes = _notes.get()
    return len(notes.values) if notes else 0


def tainted_since(count: int) -> tuple[str, ...]:
    """Return the values after the first ``count``, in the order in which they were recorded."""
    notes = _notes.get()
    return tuple(notes.values)[count:] if notes else ()


def taint_masking() -> Masking:
    """Return the search for these values in texts."""
    notes = _notes.get()
    if notes is None:
        return Masking()
    notes.masking.add(notes.new)
    notes.new = []
    return notes.masking
