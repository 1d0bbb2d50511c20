"""Who it matters to that a release does not know something: the overlays that target it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from renderer.model.diagnostic import Diagnostic


def naming_target(finding: Diagnostic) -> Diagnostic:
    """The finding with its target release at the end of its message, if it has one."""
    if finding.target is None:
        return finding
    message = f"{finding.message}; {_who(_names(finding.overlays))} {finding.target}"
    return replace(finding, message=message, target=None)


def _who(overlays: Sequence[str]) -> str:
    if not overlays:
        return "the target is"
    *others, last = overlays
    return f"overlays {', '.join(others)} and {last} target" if others else f"overlay {last} targets"


def _names(overlays: Sequence[str]) -> Sequence[str]:
    """The last part of their paths, unless two have the same."""
    names = [overlay.rpartition("/")[2] for overlay in overlays]
    return names if len(set(names)) == len(names) else overlays
