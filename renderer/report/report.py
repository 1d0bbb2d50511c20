"""What a run has to say: everything that a writer may print."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.explanation import Explanation
from renderer.model.location import Location


class Report(NamedTuple):
    """``findings`` know their lines and come in the order in which a reader goes through the files.

    ``overlays`` are the paths of those that were looked at, with findings or without. ``lines`` are the lines
    of source text at locations, where they may be shown. ``explain`` gives the long form of a code.
    ``colour``: the reader is a terminal that shows it.
    """

    findings: tuple[Diagnostic, ...]
    overlays: tuple[str, ...] = ()
    lines: Mapping[Location, str] = {}
    explain: Callable[[Code], Explanation] = Explanation.missing
    colour: bool = False
