"""The place where a value was written: first as coordinates that cost nothing, then as a line for people."""

from __future__ import annotations

from renderer.model.field_path import ROOT, FieldPath, Segment
from renderer.model.record import Record

#: Paths of what ships with vmrender begin with it; those of the repository never do.
BUILTIN_SCHEME = "builtin:"


class Location(Record):
    """A place in a file. ``path`` is relative to the repository; lines and columns count from 1.

    ``end_column`` is the first column behind what is meant on that line; 0 where that is not known.
    """

    path: str
    line: int = 0
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        """``path:line:column`` as far as it is known."""
        text = self.path
        if self.line:
            text += f":{self.line}"
            if self.column:
                text += f":{self.column}"
        return text


class Site(Record):
    """A value in a source file by coordinates: file, document (from 0) and field.

    The stages pass sites about; only when a diagnostic is printed is the file read again
    to turn its site into a ``Location`` (``findings.locator``). What a template made stands in no
    file: its document and field are those of ``text``, and ``path`` is the template.
    """

    path: str
    document: int = 0
    field: FieldPath = ROOT
    text: GeneratedText | None = None

    def child(self, field: FieldPath) -> Site:
        # Of a whole document the path itself is taken: a finding has a site for each layer.
        below = self.field.child(*field.segments) if self.field.segments else field
        return Site(self.path, self.document, below, self.text)

    def below(self, *segments: Segment) -> Site:
        return self.child(FieldPath(segments))


class GeneratedText:
    """The text that a template made of some values, and the template's line, from 1, for each line of it.

    ``values`` names the values it was made of, ``values_site`` is where they stand. A text is equal
    to itself alone.
    """

    __slots__ = ("content", "lines", "values", "values_site")

    def __init__(self, content: str, lines: tuple[int, ...], values: str, values_site: Site) -> None:
        self.content = content
        self.lines = lines
        self.values = values
        self.values_site = values_site
