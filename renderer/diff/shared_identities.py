"""Machines that get a MAC address or a name in DNS that another machine of their cluster has.

``checks/rules/identities.py`` reports each of the two, whoever came first; here, the one that begins to share
it disconnects the other. The ids of firmware are left to that: they cut off nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from renderer.kubevirt.facts.identities import Identity, host_names, mac_addresses
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.res_id import ResId, namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

_MOST_NAMES = 5


class SharedIdentities:
    """The MAC addresses and names in DNS of all machines before and after a change, by overlay."""

    def __init__(self) -> None:
        self._having: dict[tuple[str, ...], dict[str, set[ResId]]] = {}
        self._own: dict[tuple[str, ResId], list[Identity]] = {}
        self._former: set[tuple[ResId, tuple[str, ...], bool]] = set()

    def add(self, path: str, before: Iterable[Resource], after: Iterable[Resource]) -> None:
        """Add the objects of an overlay."""
        for each in _identities(before):
            self._former.add(_share_of(each))
        for each in _identities(after):
            id_ = each.machine.resource.current_id
            self._having.setdefault(each.key, {}).setdefault(path, set()).add(id_)
            self._own.setdefault((path, id_), []).append(each)

    def judged(self, change: ResourceChange, path: str, share: Callable[[str, str], bool]) -> ResourceChange:
        """Return the change of an overlay, with what the machine begins to share with others.

        ``share`` says if two overlays are of one cluster.
        """
        if change.type is ChangeType.REMOVED or change.is_refused:
            return change
        own = self._own.get((path, change.id), ())
        found = (self._impact(each, path, share) for each in own if _share_of(each) not in self._former)
        impacts = [*filter(None, found)]
        return change.worsened(impacts) if impacts else change

    def _impact(self, own: Identity, path: str, share: Callable[[str, str], bool]) -> Impact | None:
        having, id_ = self._having[own.key], own.machine.resource.current_id
        spend(sum(map(len, having.values())), "looking for addresses that machines share")
        near = chain.from_iterable(ids for other, ids in having.items() if share(path, other))
        others = sorted({each for each in near if each != id_}, key=str)
        if not others and own.machine.replicas == 1:
            return None
        names = listed([f"{each.gvk.kind} {_name(each, id_.namespace)}" for each in others], _MOST_NAMES)
        whose = f"{names} {'has' if len(others) == 1 else 'have'}" if others else "all of its machines get"
        reason = f"{own.text}, which {whose}, too: connections to it reach now one machine, now another"
        return Impact(Effect.DISCONNECTED, reason)


def with_shared_identities(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes of one cluster, with what its machines begin to share."""
    identities = SharedIdentities()
    identities.add("", before, after)
    return [identities.judged(each, "", lambda _path, _other: True) for each in changes]


def _identities(resources: Iterable[Resource]) -> Iterator[Identity]:
    for machine in filter(None, map(VirtualMachineView.of, resources)):
        yield from mac_addresses(machine)
        yield from host_names(machine)


def _name(machine: ResId, namespace: str) -> str:
    """Return the name of a machine, with its namespace if that is another one."""
    return (
        machine.name if machine.namespace == namespace else namespaced_name(machine.namespace, machine.name)
    )


def _share_of(identity: Identity) -> tuple[ResId, tuple[str, ...], bool]:
    """Return who has an identity; a pool of several machines shares it with itself."""
    machine = identity.machine
    return machine.resource.current_id, identity.key, machine.replicas > 1
