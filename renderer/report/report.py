"""The findings of a run as every writer gets them: with their target release, and the number of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from renderer.model.codes import Code, Explanation
from renderer.model.diagnostic import Diagnostic, Severity, Unshown
from renderer.model.limits import limit_hint
from renderer.model.location import Location


def with_unshown(findings: tuple[Diagnostic, ...], unshown: Unshown) -> tuple[Diagnostic, ...]:
    """Return the findings and, where more were found than a report shows, how many more there are."""
    more = unshown.errors + unshown.others
    if not more:
        return findings
    others = Diagnostic(
        code=Code.BUILD_LIMIT,
        severity=Severity.INFO,
        message=f"{more} more finding{' is' if more == 1 else 's are'} not shown",
        hint=limit_hint("findings"),
    )
    return (*findings, others)


def with_target_named(finding: Diagnostic) -> Diagnostic:
    """Return the finding with its target release at the end of its message, if it has one."""
    if finding.target is None:
        return finding
    message = f"{finding.message}; {_overlays_text(_names(finding.overlays))} {finding.target}"
    return finding._replace(message=message, target=None)


def _overlays_text(overlays: Sequence[str]) -> str:
    if not overlays:
        return "the target is"
    *others, last = overlays
    return f"overlays {', '.join(others)} and {last} target" if others else f"overlay {last} targets"


def _names(overlays: Sequence[str]) -> Sequence[str]:
    """The last part of their paths, unless two have the same."""
    names = [overlay.rpartition("/")[2] for overlay in overlays]
    return names if len(set(names)) == len(names) else overlays


class Report(NamedTuple):
    """``findings`` know their lines and come in the order in which a reader goes through the files.

    ``overlays`` are the paths of those that were looked at, with findings or without. ``lines`` are the lines
    of source text at locations, where they may be shown. ``explain`` gives the long form of a code.
    ``home`` gives the address of the published project, if any. ``colour``: the reader is a terminal that
    shows it. ``nowhere`` is the project file, where some formats put findings without a place.
    """

    findings: tuple[Diagnostic, ...]
    overlays: tuple[str, ...] = ()
    lines: Mapping[Location, str | None] = {}
    explain: Callable[[Code], Explanation] = Explanation.missing
    home: Callable[[], str] = str
    colour: bool = False
    nowhere: Location = Location("vmrender.yaml")
