"""Machines and workloads that begin to write to a claim of a running machine of another overlay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.diff.shared_claims import (
    ClaimWriter,
    Rivals,
    claims_of_one_node,
    claims_written_by,
    may_share_claims,
)
from renderer.model.difference import DataChange, DataEffect, OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.run.work import spend

#: The namespace and name of a claim.
_Claim: TypeAlias = tuple[str, str]
_Modes: TypeAlias = dict[_Claim, dict[str, str]]


class ClaimsElsewhere:
    """The claims of all overlays, and the machines and workloads that write to them."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        self._writers: dict[_Claim, dict[str, list[ClaimWriter]]] = {}
        self._written: dict[tuple[str, ResId], list[ClaimWriter]] = {}
        self._former: dict[_Claim, set[ResId]] = {}
        #: The access modes of claims that one node alone can mount, by the overlays that have these: before
        #: the change, or else after it.
        self._modes: tuple[_Modes, _Modes] = {}, {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        for side, modes in zip((before, after), self._modes, strict=True):
            for claim, mode in (found for each in written_of(side) for found in claims_of_one_node(each)):
                modes.setdefault(claim, {})[path] = mode
        for writer in (found for each in written_of(before) for found in claims_written_by(each)):
            self._former.setdefault(writer.claim, set()).add(writer.id)
        for writer in (found for each in written_of(after) for found in claims_written_by(each)):
            self._writers.setdefault(writer.claim, {}).setdefault(path, []).append(writer)
            self._written.setdefault((path, writer.id), []).append(writer)

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with the claims that machines share with machines of other overlays."""
        for each in differences:
            changes = tuple(self._with_shared(change, each.path) for change in each.changes)
            yield each._replace(changes=changes)

    def _with_shared(self, change: ResourceChange, path: str) -> ResourceChange:
        written = self._written.get((path, change.id), ()) if may_share_claims(change) else ()
        found = (self._shared(each, path) for each in written)
        known = {each.after for each in change.data if each.effect is DataEffect.SHARED}
        data = [each for each in found if each and each.after not in known]
        return change._replace(data=(*data, *change.data)) if data else change

    def _shared(self, writer: ClaimWriter, path: str) -> DataChange | None:
        """Return the effect on a volume if others of its cluster also write to its claim."""
        claim, writers = writer.claim, self._writers[writer.claim]
        former = self._former.get(claim, set())
        mode = "" if writer.id in former else self._mode(claim, path)
        if not mode or (len(writers) == 1 and len(writers[path]) == 1):
            return None
        spend(sum(map(len, writers.values())), "looking for claims that machines share")
        near = {
            each.id: each
            for other, found in writers.items()
            if self._clusters.share(path, other)
            for each in found
        }
        return Rivals(sorted(near.values(), key=str), former).shared(writer, mode)

    def _mode(self, claim: _Claim, path: str) -> str:
        """Return the access mode of a claim; empty if it is not known which overlay of a cluster has it."""
        modes = self._modes[0].get(claim) or self._modes[1].get(claim, {})
        near = [mode for other, mode in modes.items() if self._clusters.share(path, other)]
        return modes.get(path) or (near[0] if len(near) == 1 else "")
