"""The findings of a run as every writer gets them: bounded in number, with their target release named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from renderer.model.codes import Code, Explanation
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.limits import limit_hint, limits
from renderer.model.location import Location


def bounded(findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return the first findings, errors before others where not all are kept, and how many more there are."""
    most = limits().findings
    if len(findings) <= most:
        return findings
    kept = sorted(range(len(findings)), key=lambda index: findings[index].severity is not Severity.ERROR)[
        :most
    ]
    more = Diagnostic(
        code=Code.BUILD_LIMIT,
        severity=Severity.INFO,
        message=f"{len(findings) - most} more findings are not shown",
        hint=limit_hint("findings"),
    )
    return (*(findings[index] for index in sorted(kept)), more)


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
