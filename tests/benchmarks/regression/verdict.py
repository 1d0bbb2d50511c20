"""Growth against the baseline counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

#: A count may grow by this share.
TOLERANCE = 0.30
#: A stage that adds less than this share of its command is too small for a separate limit.
_NOTABLE = 0.03


class Counts(NamedTuple):
    """Of one command: ``processor`` in yardsticks, None where it was not counted; ``bytecode`` by stage."""

    processor: float | None
    bytecode: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.bytecode.values())


class Growth(NamedTuple):
    """``then`` and ``now`` are in ``unit``s; a stage that was not there then grew from 0."""

    command: str
    part: str
    then: float
    now: float
    unit: str

    @property
    def times(self) -> float:
        return self.now / self.then if self.then else float("inf")


def growths(command: str, then: Counts, now: Counts) -> Iterator[Growth]:
    """Every figure that grew by more than the tolerance: of the whole command first, then of its stages."""
    if then.processor and now.processor and _has_grown(then.processor, now.processor):
        yield Growth(command, "processor", then.processor, now.processor, "yardsticks")
    if _has_grown(then.total, now.total):
        yield Growth(command, "all stages", then.total, now.total, "instructions of Python")
    for stage, after in now.bytecode.items():
        before = then.bytecode.get(stage, 0)
        if _has_grown(before, after) and after - before > _NOTABLE * then.total:
            yield Growth(command, stage, before, after, "instructions of Python")


def _has_grown(then: float, now: float) -> bool:
    return now > then * (1 + TOLERANCE)
