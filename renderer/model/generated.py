"""What a generator makes, each with the line that asked for it."""

from __future__ import annotations

from typing import NamedTuple

from renderer.model.json import JsonObject
from renderer.model.location import Site


class Generated(NamedTuple):
    """An object and the site in the generator's own document that it comes from: a row of a table."""

    content: JsonObject
    site: Site
