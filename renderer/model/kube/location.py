"""The place where a value was written: first as coordinates, which are cheap, then as a line for users."""

from __future__ import annotations

from typing import TypeAlias

from renderer.model.kube.field_path import ROOT, FieldPath, Segment
from renderer.model.record import Record

#: The prefix of paths of files that ship with vmrender; paths of the repository never have it.
BUILTIN_SCHEME = "builtin:"
#: A file, and the number of a document in it (from 0).
DocumentPlace: TypeAlias = tuple[str, int]


class Location(Record):
    """A place in a file. ``path`` is relative to the repository; lines and columns count from 1.

    ``end_column`` is the first column after the marked text on that line; 0 if it is not known.
    """

    path: str
    line: int = 0
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        """``path:line:column``, without the parts that are not known."""
        text = self.path
        if self.line:
            text += f":{self.line}"
            if self.column:
                text += f":{self.column}"
        return text


class Site(Record):
    """A value in a source file by coordinates: file, document (from 0) and field.

    The stages pass sites around; only when a diagnostic is printed is the file read again to turn its site
    into a ``Location`` (``findings.locator``). The output of a template is not in a file: its document and
    field refer to ``text``, and ``path`` is the template.
    """

    path: str
    document: int = 0
    field: FieldPath = ROOT
    text: GeneratedText | None = None

    @property
    def document_place(self) -> DocumentPlace:
        """The file and the document in it. Composition keeps the one in which an object is written."""
        return self.path, self.document

    def child(self, field: FieldPath) -> Site:
        # For a whole document use the path itself: a finding has a site for each layer.
        below = self.field.child(*field.segments) if self.field.segments else field
        return Site(self.path, self.document, below, self.text)

    def below(self, *segments: Segment) -> Site:
        return self.child(FieldPath(segments))

    def is_within(self, outer: Site) -> bool:
        """Return True if it is ``outer``, or a place in the value there."""
        depth = len(outer.field.segments)
        is_same_document = self.document_place == outer.document_place
        return is_same_document and self.field.segments[:depth] == outer.field.segments


class GeneratedText:
    """The text that a template made of some values, and the template's line, from 1, for each line of it.

    ``values`` names the values that were used, ``values_site`` is their place. Texts are compared by
    identity.
    """

    __slots__ = ("content", "lines", "values", "values_site")

    def __init__(self, content: str, lines: tuple[int, ...], values: str, values_site: Site) -> None:
        self.content = content
        self.lines = lines
        self.values = values
        self.values_site = values_site
