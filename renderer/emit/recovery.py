"""After a run that was killed: its change is finished or taken back, whichever its folders in staging say."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from renderer.emit.replay import replay
from renderer.emit.retire import retire
from renderer.emit.staging import Staging, discard
from renderer.emit.tree import is_folder


class Repair(Enum):
    """What was done after a run that was killed, in words."""

    CLEARED = "cleared up after a run that was interrupted; the tree was whole"
    COMPLETED = "completed what a run that was interrupted had begun"


def repair_needed(area: Staging) -> Repair:
    """What ``recover`` is going to do, in an area that a killed run left."""
    return Repair.COMPLETED if is_folder(area.replaying) else Repair.CLEARED


def recover(area: Staging, folder: Path) -> tuple[str, ...]:
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


def drop(area: Staging, tree: Path) -> None:
    """Removes a tree of no more value, first from the name that says it has any."""
    tree.rename(area.building)
    discard(area.building)
