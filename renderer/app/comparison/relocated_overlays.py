"""Overlays that go to another cluster from a change on: their machines leave one, and appear in the other.

A project that begins to list its clusters, or gives one another name, does not move anything: a name that
only one side knows may be that of the same cluster.
"""

from __future__ import annotations

from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.model.difference import ChangeType, OverlayDifference, ResourceChange, Totals
from renderer.model.render_config import Overlay


class Relocation(NamedTuple):
    """The clusters of an overlay before and after a change; the default cluster is empty."""

    before: str
    after: str
    is_renamed: bool

    @property
    def note(self) -> str:
        old, new = map(_label, self[:2])
        if self.is_renamed:
            return f"vmrender.yaml says that it goes to {new}, which is taken for another name of {old}"
        return f"it goes to {new} from now on: its objects leave {old}"


def _label(cluster: str) -> str:
    return f"the cluster {cluster}" if cluster else "the default cluster"


def relocation_of(sides: tuple[Side, Side], path: str) -> Relocation | None:
    """Return the clusters of an overlay of both sides if vmrender.yaml gives it another one; None otherwise.

    It is not the project's decision if the object that deploys it gets another destination, or if the project
    lists another name for its destination.
    """
    old, new = (side.overlays.get(path) for side in sides)
    if old is None or new is None or old.cluster == new.cluster:
        return None
    if _listed_cluster(sides[0], old) == _listed_cluster(sides[1], new):
        return None
    is_new = new.cluster not in sides[0].clusters
    return Relocation(
        old.cluster, new.cluster, is_new and (not old.cluster or old.cluster not in sides[1].clusters)
    )


def leaves_cluster(sides: tuple[Side, Side], path: str) -> bool:
    """Return True if an overlay goes to another cluster, and not to the same one under another name."""
    relocation = relocation_of(sides, path)
    return relocation is not None and not relocation.is_renamed


def _listed_cluster(side: Side, overlay: Overlay) -> str:
    """Return the cluster that vmrender.yaml gives an overlay; an entry of an engine, only by ``cluster``."""
    if overlay.entry is None or not overlay.entry.options.has_engine:
        return overlay.cluster
    return side.clusters_of_entries.get(overlay.listed_as, "")


def with_relocation(
    found: OverlayDifference, departed: OverlayDifference | None, relocation: Relocation
) -> OverlayDifference:
    """Return the difference of an overlay in its new cluster, with what leaves the old one."""
    found = found._replace(notes=(relocation.note, *found.notes), former_cluster=relocation.before)
    if departed is None:
        return found
    leaving = (_leaving(each, relocation) for each in departed.changes)
    return found._replace(
        changes=tuple(sorted((*leaving, *found.changes), key=ResourceChange.order)),
        totals=(_sum(departed.totals[0], found.totals[0]), found.totals[1]),
        releases=(departed.releases[0], found.releases[1]),
        incomparable="; ".join(filter(None, (departed.incomparable, found.incomparable))),
    )


def _sum(one: Totals | None, other: Totals | None) -> Totals | None:
    if one is None or other is None:
        return one or other
    return Totals(one.running.plus(other.running), one.halted.plus(other.halted))


def _leaving(change: ResourceChange, relocation: Relocation) -> ResourceChange:
    if change.type is not ChangeType.REMOVED or change.impact is None:
        return change
    reason = f"it leaves {_label(relocation.before)}: {change.impact.reason}"
    return change._replace(impact=change.impact._replace(reason=reason))
