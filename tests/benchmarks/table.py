"""The table of promises, and how figures are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """``result`` is ``figure`` relative to ``other``; ``limit`` is the highest that we promise."""

    what: str
    figure: str
    against: str
    other: str
    result: float
    limit: float | None = None
    unit: str = ""

    @property
    def is_missed(self) -> bool:
        return self.limit is not None and self.result > self.limit


def ratio(what: str, seconds: float, against: str, other: float, limit: float | None = None) -> Row:
    return Row(what, time(seconds), against, time(other), seconds / other, limit)


def promises(rows: Iterable[Row]) -> str:
    head = ("", "", "against", "", "result", "at most")
    return table(head, (_cells(row) for row in rows), left=(0, 2))


def _cells(row: Row) -> tuple[str, ...]:
    result = f"{row.result:.3g}{row.unit}"
    limit = "" if row.limit is None else f"{row.limit:g}{row.unit}"
    return (
        row.what,
        row.figure,
        row.against,
        row.other,
        f"**{result}: missed**" if row.is_missed else result,
        limit,
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]], left: Iterable[int] = (0,)) -> str:
    """Return a table in Markdown; columns are figures, except the ones in ``left``."""
    rule = ["---" if column in left else "--:" for column, _ in enumerate(head)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


def time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds * 1000:.0f} ms"


def megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"
