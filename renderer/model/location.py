"""Where a value was written: first as coordinates that cost nothing, then as a line for people."""

from __future__ import annotations

from typing import NamedTuple

from renderer.model.field_path import ROOT, FieldPath, Segment


class Location(NamedTuple):
    """A place in a file. ``path`` is relative to the repository; lines and columns count from 1."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """``path:line:column`` as far as it is known."""
        text = self.path
        if self.line:
            text += f":{self.line}"
            if self.column:
                text += f":{self.column}"
        return text


class Site(NamedTuple):
    """A value in a source file by coordinates: file, document (from 0) and field.

    The stages pass sites about; only when a diagnostic is printed is the file read again
    to turn its site into a ``Location`` (``source.locate``).
    """

    path: str
    document: int = 0
    field: FieldPath = ROOT

    def child(self, field: FieldPath) -> Site:
        return Site(self.path, self.document, self.field.child(*field.segments))

    def below(self, *segments: Segment) -> Site:
        return Site(self.path, self.document, self.field.child(*segments))
