"""Which of several shards is meant, as in ``2/4``."""

from __future__ import annotations

import re
from typing import NamedTuple

#: More than any CI system starts at once.
MOST_SHARDS = 1000

#: In a second.
NANOSECONDS = 1_000_000_000

_WRITTEN = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})")


class ShardName(NamedTuple):
    """The shard ``number`` of ``total``, from 1 on."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> ShardName:
        """Raises ``ValueError`` for what is not of the form ``I/N``, or is beyond ``N``."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            raise ValueError(f"{text!r} is not of the form I/N, as in 2/4")
        number, total = int(written[1]), int(written[2])
        if number > total:
            raise ValueError(f"there is no shard {number} of {total}")
        if total > MOST_SHARDS:
            raise ValueError(f"there are {MOST_SHARDS} shards at most")
        return cls(number, total)

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


class Shard(NamedTuple):
    """Overlays, by their paths in order, and what rendering them costs in nanoseconds of one processor."""

    name: ShardName
    overlays: tuple[str, ...]
    cost: int

    @property
    def seconds(self) -> float:
        return round(self.cost / NANOSECONDS, 3)
