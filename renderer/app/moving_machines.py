"""Machines that move between overlays which the project lists as folders, and who deploys these.

The Application or Kustomization of such an overlay is looked up in the whole repository, and only for a
machine that moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.app.diff_side import Side
from renderer.gitops.pruning import exemption_needed
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.pipeline.deployers import own_id


class MovingMachines:
    """The machines that leave an overlay without an entry point; ``added_to`` says who deploys them."""

    def __init__(self, before: Side, after: Side) -> None:
        self._before, self._after = before, after
        self._leaving: dict[tuple[str, ResId], Resource] = {}

    def add(self, overlay: Overlay, difference: OverlayDifference, written: Iterable[Resource]) -> None:
        """Add a compared overlay; ``written`` are its objects before the change."""
        gone = {each.before for each in difference.changes if each.type is ChangeType.REMOVED}
        if overlay.entry is None and gone:
            machines = (each for each in written if each.current_id in gone and VirtualMachineView.of(each))
            self._leaving |= {(overlay.path, each.current_id): each for each in machines}

    def added_to(self, differences: Sequence[OverlayDifference]) -> list[OverlayDifference]:
        """Return the overlays with the owners of the machines that move from one to another."""
        changes = (change for overlay in differences for change in overlay.changes)
        arriving = {each.id for each in changes if each.type is ChangeType.ADDED}
        moving = arriving & {id_ for _, id_ in self._leaving}
        if not moving:
            return [*differences]
        return [
            overlay._replace(
                changes=tuple(
                    self._with_owner(change, overlay.path) if change.id in moving else change
                    for change in overlay.changes
                )
            )
            for overlay in differences
        ]

    def _with_owner(self, change: ResourceChange, path: str) -> ResourceChange:
        if change.type is ChangeType.ADDED and change.owner is None:
            return change._replace(owner=_owner_id(self._after, path))
        machine = self._leaving.get((path, change.id))
        owner = self._before.deployer_of(self._before.overlays[path]) if machine else None
        if change.type is not ChangeType.REMOVED or machine is None or owner is None:
            return change
        id_ = _owner_id(self._before, path)
        exemption = exemption_needed(owner, machine, may_be_gone=_owner_id(self._after, path) != id_)
        return change._replace(owner=id_, exemption=exemption)


def _owner_id(side: Side, path: str) -> ResId | None:
    """Return the id of what deploys the overlay at ``path`` on a side; None if it is not certain."""
    overlay = side.overlays.get(path)
    found = side.deployers.of(overlay) if overlay else ()
    return own_id(found[0], path) if len(found) == 1 else None
