"""Text that comes from manifests, printed so that a terminal takes it for text only."""

from __future__ import annotations

import click

from renderer.report.plain_text import printable


def echo_lines(text: str) -> None:
    """Prints lines, with their control characters escaped."""
    click.echo("\n".join(printable(line, len(line)) for line in text.split("\n")), nl=False)
