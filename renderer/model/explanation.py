"""The long form of a diagnostic code."""

from __future__ import annotations

from typing import Self

from renderer.model.record import Record


class Explanation(Record):
    """``summary`` is one sentence; ``markdown`` all there is to say, the summary as its heading."""

    summary: str
    markdown: str

    @classmethod
    def missing(cls, code: str) -> Self:
        """For a code that nothing is written about."""
        return cls(code, f"# {code}\n")

    @classmethod
    def parse(cls, markdown: str) -> Self:
        """A text whose first line is its heading."""
        heading = markdown.partition("\n")[0]
        return cls(heading.removeprefix("#").strip().removesuffix("."), markdown)
