"""Where the findings of a command go, and how they are written."""

from __future__ import annotations

from typing import NamedTuple, Self

import click

from renderer.report.formats import Format
from renderer.source.file_system import FileSystem

_KEY = __name__


class ReportTarget(NamedTuple):
    """The choice of one run, kept in click's context: the door for errors has to know it as well.

    ``beside_manifests``: standard output belongs to manifests. ``fs`` is the repository, once it is known,
    and ``folder`` where it stands in its Git checkout, from whose top CI systems count paths.
    """

    format: Format = Format.TEXT
    beside_manifests: bool = False
    fs: FileSystem | None = None
    folder: str = "."

    @property
    def on_stdout(self) -> bool:
        """Whether the report goes to standard output: machines read it there, people on standard error."""
        return self.format is not Format.TEXT and not self.beside_manifests

    @classmethod
    def chosen(cls) -> Self:
        """Text, as long as nothing was chosen."""
        context = click.get_current_context(silent=True)
        chosen: Self = context.meta.get(_KEY, cls()) if context else cls()
        return chosen

    def choose(self) -> None:
        """Makes this the choice of the run."""
        context = click.get_current_context(silent=True)
        if context:
            context.meta[_KEY] = self
