"""Machines that begin to write to a claim to which another running machine of the overlay writes.

Kubernetes attaches a claim with ReadWriteOnce to one node, and lets all pods there mount it
(``pkg/controller/volume/attachdetach/reconciler/reconciler.go`` ``attachDesiredVolumes``). Guests do not
share file systems.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from renderer.kubevirt.facts.claims import claims_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.facts.written_claims import ONE_POD, WrittenClaim, mode_of_one_node, written_claims
from renderer.kubevirt.impact.data import SOURCES
from renderer.model.difference import ChangeType, DataChange, DataEffect, ResourceChange
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

_MOST_NAMES = 5
_JUDGED = (ChangeType.ADDED, ChangeType.CHANGED)


def with_shared_claims(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Sequence[Resource]
) -> list[ResourceChange]:
    """Return the changes, with the claims that machines share with others from now on."""
    changed = {each.id for each in changes if each.type in _JUDGED and not each.is_refused}
    latter = _writers(after) if changed else {}
    if not any(len(each) > 1 and not changed.isdisjoint(each) for each in latter.values()):
        return [*changes]
    modes = {
        (each.namespace, name): mode
        for each in after
        for name, found in claims_of(each, {})
        if (mode := mode_of_one_node(found))
    }
    former = _writers(before)
    shared: dict[ResId, list[DataChange]] = {}
    for claim, writers in latter.items():
        known = former.get(claim, {})
        for id_, written in writers.items() if len(writers) > 1 and claim in modes else ():
            if id_ in changed and id_ not in known:
                shared.setdefault(id_, []).append(_shared(written, writers, modes[claim]))
    return [
        each._replace(data=(*shared[each.id], *each.data)) if each.id in shared else each for each in changes
    ]


def _writers(
    resources: Iterable[Resource],
) -> Mapping[tuple[str, str], Mapping[ResId, WrittenClaim]]:
    """Return the volumes of running machines that are written to, by namespace and name of their claim."""
    found: dict[tuple[str, str], dict[ResId, WrittenClaim]] = {}
    for machine in filter(None, map(VirtualMachineView.of, resources)):
        if machine.is_one and not machine.is_halted:
            for each in written_claims(machine):
                claim = machine.namespace, each.name
                found.setdefault(claim, {}).setdefault(machine.resource.current_id, each)
    return found


def _shared(written: WrittenClaim, writers: Collection[ResId], mode: str) -> DataChange:
    volume = object_at(dict(written.machine.volumes)[written.volume])
    own = written.machine.resource.current_id
    others = [each for each in islice(writers, _MOST_NAMES + 1) if each != own][:_MOST_NAMES]
    names = ", ".join(f"{each.gvk.kind} {each.name}" for each in others)
    if more := len(writers) - 1 - len(others):
        names += f" and {more} more"
    verb = "writes" if len(writers) == 2 else "write"  # noqa: PLR2004 - the machine and another one
    effects = (
        "the machine does not start beside another one"
        if mode == ONE_POD
        else "on one node they damage what is on it; on another one, the machine does not start"
    )
    text = f"{names} {verb} to it, too, and it is {mode}: {effects}"
    effect = DataEffect.SHARED
    return DataChange(effect, text_at(volume, "name"), text, "", f"claim {written.name}", SOURCES[effect][0])
