"""The input and output of a generator, each object with the line that asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.record import Record


class ListedFile(Record):
    """A file that a generator's configuration lists: its path in the repository, and what it holds."""

    path: str
    content: bytes


#: The files that a configuration lists, by the paths as they are written in it.
ListedFiles: TypeAlias = Mapping[str, ListedFile]


class Generated(Record):
    """An object and the site that it comes from: a row of a table, a document that a template made.

    ``shared`` is where fields stand that it has in common with others, if there is such a place.
    """

    content: JsonObject
    site: Site
    shared: Site | None = None
