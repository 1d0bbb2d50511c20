"""The findings of a run as every writer gets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from renderer.findings.located import Located
from renderer.model.codes import Code, Explanation
from renderer.model.location import Location


class Report(NamedTuple):
    """``findings`` come in the order in which a reader goes through the files.

    ``overlays`` are the paths of those that were looked at, with findings or without. ``lines`` are the lines
    of source text at locations, where they may be shown. ``explain`` gives the long form of a code.
    ``home`` gives the address of the published project, if any. ``colour``: the reader is a terminal that
    shows it. ``nowhere`` is the project file, where some formats put findings without a place.
    """

    findings: tuple[Located, ...]
    overlays: tuple[str, ...] = ()
    lines: Mapping[Location, str | None] = {}
    explain: Callable[[Code], Explanation] = Explanation.missing
    home: Callable[[], str] = str
    colour: bool = False
    nowhere: Location = Location("vmrender.yaml")
