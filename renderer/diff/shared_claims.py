"""Machines and workloads that begin to write to a claim to which a running machine writes.

Kubernetes attaches a claim with ReadWriteOnce to one node, and lets all pods there mount it
(``pkg/controller/volume/attachdetach/reconciler/reconciler.go`` ``attachDesiredVolumes``). Guests do not
share file systems.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from renderer.kubevirt.facts.claims import claims_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.facts.written_claims import (
    ONE_POD,
    claims_written_by_pods,
    mode_of_one_node,
    written_claims,
)
from renderer.kubevirt.impact.data import SOURCES
from renderer.model.difference import ChangeType, DataChange, DataEffect, ResourceChange
from renderer.model.kube.json import text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource

_MOST_NAMES = 5
#: The kinds whose pods run once and end.
_ENDING = ("Job", "Pod")
_JUDGED = (ChangeType.ADDED, ChangeType.CHANGED)


def with_shared_claims(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Sequence[Resource]
) -> list[ResourceChange]:
    """Return the changes, with the claims that machines share with others and with workloads from now on."""
    changed = {each.id for each in changes if may_share_claims(each)}
    latter = _writers(after) if changed else {}
    if not any(len(each) > 1 and not changed.isdisjoint(each) for each in latter.values()):
        return [*changes]
    modes = {claim: mode for each in after for claim, mode in claims_of_one_node(each)}
    former = _writers(before)
    shared: dict[ResId, list[DataChange]] = {}
    for claim, writers in latter.items():
        known = former.get(claim, {})
        if len(writers) == 1 or claim not in modes:
            continue
        rivals = Rivals(writers.values(), known)
        for id_, writer in writers.items():
            if id_ in changed and id_ not in known and (found := rivals.shared(writer, modes[claim])):
                shared.setdefault(id_, []).append(found)
    return [
        each._replace(data=(*shared[each.id], *each.data)) if each.id in shared else each for each in changes
    ]


def may_share_claims(change: ResourceChange) -> bool:
    """Return True for an object that may begin to write to a claim."""
    return change.type in _JUDGED and not change.is_refused


def claims_of_one_node(resource: Resource) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the claims that an object makes and that one node alone can mount, with their access modes.

    A claim is given by its namespace and name.
    """
    for name, found in claims_of(resource, {}):
        if mode := mode_of_one_node(found):
            yield (resource.namespace, name), mode


class ClaimWriter(NamedTuple):
    """What writes to a claim, given by its namespace and name, through a volume: a machine or a workload.

    ``ends``: its pods run and end, as those of a Job, which may fill a disk before a machine starts.
    """

    id: ResId
    claim: tuple[str, str]
    volume: str
    is_machine: bool = False
    ends: bool = False


def claims_written_by(resource: Resource) -> Iterator[ClaimWriter]:
    """Yield how a machine or a workload that runs writes to claims; nothing for any other object."""
    machine = VirtualMachineView.of(resource)
    if machine is None:
        for name, volume in claims_written_by_pods(resource):
            claim = resource.namespace, name
            yield ClaimWriter(resource.current_id, claim, volume, ends=resource.kind in _ENDING)
    elif machine.is_one and not machine.is_halted:
        volumes = dict(machine.volumes)
        for each in written_claims(machine):
            volume = text_at(volumes[each.volume], "name")
            yield ClaimWriter(resource.current_id, (machine.namespace, each.name), volume, is_machine=True)


def _writers(resources: Iterable[Resource]) -> Mapping[tuple[str, str], Mapping[ResId, ClaimWriter]]:
    """Return what writes to each claim."""
    found: dict[tuple[str, str], dict[ResId, ClaimWriter]] = {}
    for resource in resources:
        for each in claims_written_by(resource):
            found.setdefault(each.claim, {}).setdefault(each.id, each)
    return found


class Rivals:
    """What else writes to a claim: machines, and for a machine also workloads, if these do not end.

    What ends counts where it is new, and only beside machines that run already, which are ``known``.
    """

    def __init__(self, writers: Iterable[ClaimWriter], known: Container[ResId]) -> None:
        every = tuple(writers)
        self._machines = [each.id for each in every if each.is_machine]
        self._running = [each for each in self._machines if each in known]
        self._lasting = [each.id for each in every if each.is_machine or not each.ends]

    def shared(self, writer: ClaimWriter, mode: str) -> DataChange | None:
        """Return the effect on a volume if others also write to its claim; None without any."""
        others = self._lasting if writer.is_machine else self._running if writer.ends else self._machines
        named = [*islice((each for each in others if each != writer.id), _MOST_NAMES)]
        if not named:
            return None
        number = len(others) - writer.is_machine
        names = ", ".join(f"{each.gvk.kind} {each.name}" for each in named)
        if more := number - len(named):
            names += f" and {more} more"
        verb = "writes" if number == 1 else "write"
        user = "the machine" if writer.is_machine else "its pod"
        effects = (
            f"{user} does not start beside another one"
            if mode == ONE_POD
            else f"on one node they damage what is on it; on another one, {user} does not start"
        )
        text = f"{names} {verb} to it, too, and it is {mode}: {effects}"
        effect = DataEffect.SHARED
        return DataChange(effect, writer.volume, text, "", f"claim {writer.claim[1]}", SOURCES[effect][0])
