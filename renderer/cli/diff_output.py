"""Writes a difference to standard output."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path

from renderer.cli.console import print_document, shows_colour
from renderer.model.difference import Difference

_PAGE = Path(__file__).resolve().parents[1] / "report" / "page"


class DiffFormat(StrEnum):
    """What ``--format`` takes."""

    TEXT = "text"  # for people
    JSON = "json"  # schemas/vmrender/diff.json
    MARKDOWN = "markdown"  # for a comment on a pull request
    HTML = "html"  # one page that needs nothing else


# Each writer is imported when it is asked for.
# ruff: noqa: PLC0415 - as above
def write_difference(difference: Difference, chosen: DiffFormat, limit_bytes: int) -> None:
    """``limit_bytes`` is how long Markdown may become. Raises ``click.FileError``."""
    colour = chosen is DiffFormat.TEXT and shows_colour(sys.stdout)
    print_document(_document(difference, chosen, limit_bytes, colour=colour), colour=colour)


def _document(difference: Difference, chosen: DiffFormat, limit_bytes: int, *, colour: bool) -> str:
    match chosen:
        case DiffFormat.TEXT:
            from renderer.report.diff_text import write as text

            return text(difference, colour=colour)
        case DiffFormat.JSON:
            from renderer.report.diff_json import write as json

            return json(difference)
        case DiffFormat.MARKDOWN:
            from renderer.report.diff_markdown import write as markdown

            return markdown(difference, limit_bytes)
        case DiffFormat.HTML:
            from renderer.report.diff_html import write as html

            assets = ((_PAGE / name).read_text(encoding="utf-8") for name in ("diff.css", "diff.js"))
            return html(difference, *assets)
