"""The result of a run for one rendered tree: the action, and the affected files."""

from __future__ import annotations

from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


class TreeAction(TextEnum):
    """The actions of a run on a tree: write, compare, remove, and plan."""

    WRITTEN = "written"
    COMPARED = "compared"
    PLANNED = "planned"
    REMOVED = "removed"


class TreeResult(Record):
    """The result for one tree, as paths in it.

    ``source`` is the overlay's path, empty for a stale tree. ``changed_meanwhile`` are files that someone
    else wrote while vmrender was running, under their present names. ``diff`` is a unified diff of a compared
    tree. ``stays`` is True if the folder still exists after a removal. ``by_hand``: somebody has to apply the
    tree with kubectl, by ``--kustomize`` if ``is_kustomization``.
    """

    action: TreeAction
    source: str
    output: str
    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    changed_meanwhile: tuple[str, ...] = ()
    diff: str = ""
    is_stale: bool = False
    stays: bool = False
    by_hand: bool = False
    is_kustomization: bool = False

    def __repr__(self) -> str:
        """Count the files: a path has the names of its object."""
        changes = (len(getattr(self, name)) for name in ("created", "updated", "removed", "unchanged"))
        created, updated, removed, unchanged = changes
        counted = f"{created} created, {updated} updated, {removed} removed, {unchanged} unchanged"
        return f"TreeResult({self.action.value} {self.output!r}: {counted})"
