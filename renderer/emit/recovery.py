"""After a run that was killed: its change is finished or taken back, whichever its folders in staging say."""

from __future__ import annotations

from pathlib import Path

from renderer.emit.replay import replay
from renderer.emit.retire import retire
from renderer.emit.staging import StagingArea, discard
from renderer.emit.tree import is_folder


def recover(area: StagingArea, folder: Path) -> tuple[str, ...]:
    """Makes ``folder`` one whole tree again and clears ``area``, which the caller has entered.

    Returns the names of files in ``folder`` that someone else wrote during the change. Raises ``OSError``.
    """
    rescued: tuple[str, ...] = ()
    discard(area.building)
    if is_folder(area.replaying):
        rescued += replay(area.replaying, folder)
        drop(area, area.replaying)
    if is_folder(area.swapping):
        rescued += retire(area.swapping, folder)
    return rescued


def drop(area: StagingArea, tree: Path) -> None:
    """Removes a tree of no more value, first from the name that says it has any."""
    tree.rename(area.building)
    discard(area.building)
