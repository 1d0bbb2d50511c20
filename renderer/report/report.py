"""The findings of a run, the input of every writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from renderer.findings.located import Located
from renderer.model.codes import Code, Explanation
from renderer.model.kube.json import EMPTY, Json
from renderer.model.kube.location import Location


class Report(NamedTuple):
    """``findings`` come in the order in which a reader goes through the files.

    ``overlays`` are the paths of the processed overlays, with or without findings. ``lines`` has the source
    line of each location, if it may be shown. ``explain`` returns the long form of a code. ``home`` returns
    the address of the published project, if any. ``colour``: the output is a terminal that shows colours.
    ``nowhere`` is the project file, where some formats put findings without a place. ``results`` are what
    the command did besides finding something, which only JSON has.
    """

    findings: tuple[Located, ...]
    overlays: tuple[str, ...] = ()
    lines: Mapping[Location, str | None] = {}
    explain: Callable[[Code], Explanation] = Explanation.missing
    home: Callable[[], str] = str
    colour: bool = False
    nowhere: Location = Location("vmrender.yaml")
    results: Mapping[str, Json] = EMPTY
