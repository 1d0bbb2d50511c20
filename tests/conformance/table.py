"""Results as a table with a line per group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.conformance.case_result import CaseResult


def table(results: Iterable[CaseResult]) -> str:
    """Cases passed of all, in total and by what was compared, for each group and all together."""
    cases: Counter[tuple[str, str]] = Counter()
    passes: Counter[tuple[str, str]] = Counter()
    for result in results:
        for name, passed in {"cases": result.passed, **result.fields}.items():
            for group in (result.group, "all"):
                cases[group, name] += 1
                passes[group, name] += passed
    groups = sorted({group for group, _ in cases} - {"all"})
    columns = list(dict.fromkeys(name for _, name in cases))
    rows = [["", *columns]] + [
        [group, *(_ratio(passes[group, name], cases[group, name]) for name in columns)]
        for group in (*groups, "all")
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _ratio(passed: int, of: int) -> str:
    return f"{passed}/{of}" if of else "-"


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
