"""Machines that begin to write to a claim to which another running machine writes.

Kubernetes attaches a claim with ReadWriteOnce to one node, and lets all pods there mount it
(``pkg/controller/volume/attachdetach/reconciler/reconciler.go`` ``attachDesiredVolumes``). Guests do not
share file systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    changed = {each.id for each in changes if may_share_claims(each)}
    latter = _writers(after) if changed else {}
    if not any(len(each) > 1 and not changed.isdisjoint(each) for each in latter.values()):
        return [*changes]
    modes = {claim: mode for each in after for claim, mode in claims_of_one_node(each)}
    former = _writers(before)
    shared: dict[ResId, list[DataChange]] = {}
    for claim, writers in latter.items():
        known = former.get(claim, {})
        for id_, written in writers.items() if len(writers) > 1 and claim in modes else ():
            if id_ in changed and id_ not in known:
                others = (each for each in writers if each != id_)
                found = shared_claim(written, others, len(writers) - 1, modes[claim])
                shared.setdefault(id_, []).append(found)
    return [
        each._replace(data=(*shared[each.id], *each.data)) if each.id in shared else each for each in changes
    ]


def may_share_claims(change: ResourceChange) -> bool:
    """Return True for an object that may be a machine that begins to write to a claim."""
    return change.type in _JUDGED and not change.is_refused


def claims_of_one_node(resource: Resource) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the claims that an object makes and that one node alone can mount, with their access modes.

    A claim is given by its namespace and name.
    """
    for name, found in claims_of(resource, {}):
        if mode := mode_of_one_node(found):
            yield (resource.namespace, name), mode


def claims_written_by(resource: Resource) -> Iterator[tuple[tuple[str, str], WrittenClaim]]:
    """Yield the claims that a running machine writes to, with its volumes; nothing for any other object."""
    machine = VirtualMachineView.of(resource)
    if machine and machine.is_one and not machine.is_halted:
        for each in written_claims(machine):
            yield (machine.namespace, each.name), each


def _writers(
    resources: Iterable[Resource],
) -> Mapping[tuple[str, str], Mapping[ResId, WrittenClaim]]:
    """Return the volumes of running machines that are written to, by namespace and name of their claim."""
    found: dict[tuple[str, str], dict[ResId, WrittenClaim]] = {}
    for resource in resources:
        for claim, written in claims_written_by(resource):
            found.setdefault(claim, {}).setdefault(resource.current_id, written)
    return found


def shared_claim(written: WrittenClaim, others: Iterable[ResId], number: int, mode: str) -> DataChange:
    """Return the effect on a volume if a ``number`` of ``others`` also write to its claim."""
    volume = object_at(dict(written.machine.volumes)[written.volume])
    named = [*islice(others, _MOST_NAMES)]
    names = ", ".join(f"{each.gvk.kind} {each.name}" for each in named)
    if more := number - len(named):
        names += f" and {more} more"
    verb = "writes" if number == 1 else "write"
    effects = (
        "the machine does not start beside another one"
        if mode == ONE_POD
        else "on one node they damage what is on it; on another one, the machine does not start"
    )
    text = f"{names} {verb} to it, too, and it is {mode}: {effects}"
    effect = DataEffect.SHARED
    return DataChange(effect, text_at(volume, "name"), text, "", f"claim {written.name}", SOURCES[effect][0])
