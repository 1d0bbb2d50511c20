"""What a ``Template`` says, read and checked."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.generated import ListedFile
from renderer.model.json import JsonObject
from renderer.model.location import Site


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one rendering, what a person calls them, and where they stand."""

    values: JsonObject
    label: str
    site: Site


@dataclass(frozen=True, slots=True)
class Template:
    """The file and the rows that it is rendered for, one after the other."""

    file: ListedFile
    rows: tuple[Row, ...]
