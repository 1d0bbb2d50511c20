"""Machines that begin to write to a claim to which a running machine of another overlay writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from renderer.app.comparison.rendered_sides import RenderedSide, written_of
from renderer.app.comparison.shared_clusters import SharedClusters
from renderer.diff.shared_claims import (
    claims_of_one_node,
    claims_written_by,
    may_share_claims,
    shared_claim,
)
from renderer.kubevirt.facts.written_claims import WrittenClaim
from renderer.model.difference import DataChange, DataEffect, OverlayDifference, ResourceChange
from renderer.model.kube.res_id import ResId
from renderer.model.run.work import spend

#: The namespace and name of a claim.
_Claim: TypeAlias = tuple[str, str]
_Modes: TypeAlias = dict[_Claim, dict[str, str]]


class ClaimsElsewhere:
    """The claims of all overlays, and the running machines that write to them."""

    def __init__(self, clusters: SharedClusters) -> None:
        self._clusters = clusters
        self._writers: dict[_Claim, dict[str, set[ResId]]] = {}
        self._written: dict[tuple[str, ResId], list[tuple[_Claim, WrittenClaim]]] = {}
        self._former: set[tuple[_Claim, ResId]] = set()
        #: The access modes of claims that one node alone can mount, by the overlays that have these: before
        #: the change, or else after it.
        self._modes: tuple[_Modes, _Modes] = {}, {}

    def add(self, path: str, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add an overlay."""
        for side, modes in zip((before, after), self._modes, strict=True):
            for claim, mode in (found for each in written_of(side) for found in claims_of_one_node(each)):
                modes.setdefault(claim, {})[path] = mode
        for each in written_of(before):
            self._former.update((claim, each.current_id) for claim, _ in claims_written_by(each))
        for each in written_of(after):
            for claim, written in claims_written_by(each):
                self._writers.setdefault(claim, {}).setdefault(path, set()).add(each.current_id)
                self._written.setdefault((path, each.current_id), []).append((claim, written))

    def added_to(self, differences: Iterable[OverlayDifference]) -> Iterator[OverlayDifference]:
        """Yield the differences, with the claims that machines share with machines of other overlays."""
        for each in differences:
            changes = tuple(self._with_shared(change, each.path) for change in each.changes)
            yield each._replace(changes=changes)

    def _with_shared(self, change: ResourceChange, path: str) -> ResourceChange:
        written = self._written.get((path, change.id), ()) if may_share_claims(change) else ()
        found = (self._shared(claim, each, path) for claim, each in written)
        known = {each.after for each in change.data if each.effect is DataEffect.SHARED}
        data = [each for each in found if each and each.after not in known]
        return change._replace(data=(*data, *change.data)) if data else change

    def _shared(self, claim: _Claim, written: WrittenClaim, path: str) -> DataChange | None:
        """Return the effect on a volume if other machines of its cluster also write to its claim."""
        id_, writers = written.machine.resource.current_id, self._writers[claim]
        mode = "" if (claim, id_) in self._former else self._mode(claim, path)
        if not mode or (len(writers) == 1 and len(writers[path]) == 1):
            return None
        spend(sum(map(len, writers.values())), "looking for claims that machines share")
        near = (ids for other, ids in writers.items() if self._clusters.share(path, other))
        others = {each for ids in near for each in ids if each != id_}
        return shared_claim(written, sorted(others, key=str), len(others), mode) if others else None

    def _mode(self, claim: _Claim, path: str) -> str:
        """Return the access mode of a claim; empty if it is not known which overlay of a cluster has it."""
        modes = self._modes[0].get(claim) or self._modes[1].get(claim, {})
        near = [mode for other, mode in modes.items() if self._clusters.share(path, other)]
        return modes.get(path) or (near[0] if len(near) == 1 else "")
