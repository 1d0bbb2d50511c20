"""What is being done at the moment, in a line on the terminal that goes away again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click


class Progress:
    """Says nothing unless ``wanted``, and nothing but on a terminal: logs and pipes stay as they are."""

    def __init__(self, *, wanted: bool) -> None:
        self._shows = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Shows ``what`` until it is done; nothing else may be printed meanwhile."""
        if not self._shows:
            yield
            return
        shown = what[: shutil.get_terminal_size().columns - 1]
        click.echo(shown, nl=False, err=True)
        try:
            yield
        finally:
            click.echo(f"\r{' ' * len(shown)}\r", nl=False, err=True)


@dataclass(frozen=True, slots=True)
class Watch:
    """Who watches: on a terminal, or, when ``verbose``, in a log that says what took how long."""

    progress: Progress
    verbose: bool

    @classmethod
    def of(cls, *, verbose: bool, no_progress: bool) -> Watch:
        """As the options of these names say."""
        return cls(Progress(wanted=not (no_progress or verbose)), verbose)

    def say(self, text: str) -> None:
        if self.verbose:
            click.echo(text, err=True)
