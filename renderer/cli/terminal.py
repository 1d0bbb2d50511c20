"""The one writer to standard output and standard error, which may be a terminal or the log of a CI system.

All output goes through ``write_lines``, except documents: manifests, and text that other programs read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from renderer.model.log_line import log_line
from renderer.model.pattern import pattern

#: The styles of our own reports, which escape all text from the input.
_STYLE = pattern(r"(\x1b\[[0-9;]*m)")


def write_lines(lines: Iterable[str], *, err: bool = False, colour: bool | None = None) -> None:
    """Print each as one line, escaped so that neither a terminal nor a CI system acts upon it.

    ``colour``: lines may have styles; None to print styles on a terminal only.
    """
    text = "".join(f"{_styled(line) if colour else log_line(line)}\n" for line in lines)
    write_document(text, err=err, colour=colour)


def write_document(text: str, *, err: bool = False, colour: bool | None = None) -> None:
    """Print text unchanged."""
    click.echo(text, nl=False, err=err, color=colour)
    (sys.stderr if err else sys.stdout).flush()


def write_text(text: str, *, err: bool = False, colour: bool | None = None) -> None:
    """Print the lines of a text."""
    write_lines(text.removesuffix("\n").split("\n") if text else (), err=err, colour=colour)


def write_transient(text: str) -> None:
    """Print a text on standard error that ``erase`` can remove again."""
    click.echo(log_line(text), nl=False, err=True)


def erase(text: str) -> None:
    """Remove a text that ``write_transient`` printed."""
    click.echo(f"\r{' ' * len(log_line(text))}\r", nl=False, err=True)


def _styled(line: str) -> str:
    """Return the line with its styles. Text between them can be a command only at the start of the line."""
    parts = _STYLE.split(line)
    is_first = True
    for index in range(0, len(parts), 2):
        if parts[index]:
            parts[index] = log_line(parts[index]) if is_first else log_line(f".{parts[index]}")[1:]
            is_first = not parts[index].strip()
    return "".join(parts)
