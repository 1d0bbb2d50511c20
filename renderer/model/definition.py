"""An object that a file of the repository defines, and that no catalog of the project has."""

from __future__ import annotations

from renderer.model.location import Site
from renderer.model.record import Record


class Definition(Record):
    """An object of ``kind`` that is defined at ``site``; ``way_in`` tells how the catalogs get it."""

    kind: str
    site: Site
    way_in: str
