"""The measured part of BENCHMARKS.md, between two markers."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "BENCHMARKS.md"
_BEGIN = "<!-- begin: written by make bench -->\n"
_END = "<!-- end: written by make bench -->\n"


def write_figures(figures: str, page: Path = PAGE) -> None:
    before, begin, rest = page.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise SystemExit(f"{page} has no lines {_BEGIN.strip()} and {_END.strip()}")
    page.write_text(f"{before}{begin}\n{figures.strip()}\n\n{end}{after}", encoding="utf-8")
