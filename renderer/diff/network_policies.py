"""NetworkPolicies that no longer allow connections of running machines.

A pod that a policy selects is isolated in the directions that the policy names, and all policies that select
it add up (Kubernetes ``staging/src/k8s.io/api/networking/v1/types.go`` ``NetworkPolicySpec``). The plugin of
the network applies a change at once. Networks of Multus are not concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple, TypeAlias

from renderer.diff.allowed_connections import ALL_ADDRESSES, Peer, Port, cover
from renderer.kubevirt.facts.launcher_pod import launcher_labels
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Effect, Impact, ResourceChange
from renderer.model.kube.json import JsonObject, array_at, object_at
from renderer.model.kube.label_selector import Requirement, SelectorError, read_selector, selects
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

_POLICY, _GROUP = "NetworkPolicy", "networking.k8s.io"
_INGRESS, _EGRESS = "Ingress", "Egress"
_DIRECTIONS = {_INGRESS: "to", _EGRESS: "from"}
_PEERS = {_INGRESS: "from", _EGRESS: "to"}
_MOST_NAMES = 5
_STEPS, _SOURCE = 4, "kubernetes staging/src/k8s.io/api/networking/v1/types.go NetworkPolicySpec"


#: The peers and the ports that a rule of a policy allows; all of them without a list.
_Rule = tuple[Sequence[Peer], Sequence[Port]]
_ANYTHING: _Rule = ((), ())
_EVERY: Sequence[None] = (None,)
#: The running machines that policies cut off, by policy and direction.
Cuts: TypeAlias = Mapping[ResId, Mapping[str, Sequence[ResId]]]


class _Policy(NamedTuple):
    """A policy: the pods that it selects, and its rules for each direction that it isolates them in."""

    id: ResId
    selector: tuple[Requirement, ...]
    allowed: Mapping[str, Sequence[_Rule]]


def with_cut_connections(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with an impact for each NetworkPolicy that cuts off running machines."""
    judged = {each.id for each in changes if may_cut_connections(each)}
    if not judged:
        return [*changes]
    return with_cuts(changes, cut_connections(judged, Policies(before), Policies(after)))


def may_cut_connections(change: ResourceChange) -> bool:
    """Return True for a NetworkPolicy whose change has no other impact."""
    return change.impact is None and is_policy(change.id)


def with_cuts(changes: Iterable[ResourceChange], cut: Cuts) -> list[ResourceChange]:
    """Return the changes, with an impact for each NetworkPolicy that cuts off machines."""
    return [
        each.with_impact(_impact(cut[each.id])) if each.id in cut and may_cut_connections(each) else each
        for each in changes
    ]


def cut_connections(judged: AbstractSet[ResId], before: Policies, after: Policies) -> Cuts:
    """Return the running machines that the ``judged`` policies cut off."""
    sides = before, after
    cut: dict[ResId, dict[str, list[ResId]]] = {}
    known: dict[tuple[object, ...], bool] = {}  # most machines are selected by the same policies
    for id_, labels in sides[0].machines.items():
        for direction in _DIRECTIONS if id_ in sides[1].machines else ():
            old, new = (tuple(side.selecting(id_.namespace, labels, direction)) for side in sides)
            concerned = {each.id for each in (*old, *new)} & judged
            key = direction, tuple(each.id for each in old), tuple(each.id for each in new)
            if concerned and key not in known:
                known[key] = _is_cut(_rules(old, direction), _rules(new, direction))
            for policy in concerned if concerned and known[key] else ():
                cut.setdefault(policy, {}).setdefault(direction, []).append(id_)
    return cut


def is_policy(id_: ResId) -> bool:
    """Return True for the id of a NetworkPolicy of Kubernetes."""
    return (id_.gvk.kind, id_.gvk.group) == (_POLICY, _GROUP)


def _rules(policies: Sequence[_Policy], direction: str) -> Sequence[_Rule] | None:
    """Return the rules of the policies that select a machine; None without any, which allows everything."""
    return [rule for each in policies for rule in each.allowed[direction]] if policies else None


def _is_cut(before: Sequence[_Rule] | None, after: Sequence[_Rule] | None) -> bool:
    """Return True if rules allow less than others; None allows everything."""
    if after is None:
        return False
    size = sum(len(peers) + len(ports) for peers, ports in after)
    for peers, ports in [_ANYTHING] if before is None else before:
        parts = [part for peer in peers for part in peer.parts]
        wanted = [(peer, port) for peer in parts or _EVERY for port in ports or _EVERY]
        spend(len(wanted) * (1 + size), "comparing the rules of NetworkPolicies")
        if not all(_allow(after, *each) for each in wanted):
            return True
    return False


def _allow(rules: Sequence[_Rule], peer: Peer | None, port: Port | None) -> bool:
    """Return True if rules allow a peer at a port; None means all peers or ports.

    Blocks of addresses may do so together.
    """
    allowed = [
        peers
        for peers, ports in rules
        if not ports or (port is not None and any(each.contains(port) for each in ports))
    ]
    if any(
        not peers or (peer is not None and any(each.contains(peer) for each in peers)) for peers in allowed
    ):
        return True
    blocks = [each.block for peers in allowed for each in peers if each.block and not each.exceptions]
    addresses = ALL_ADDRESSES if peer is None else peer.addresses
    return bool(blocks and addresses) and all(cover(blocks, each) for each in addresses)


def _impact(cut: Mapping[str, Sequence[ResId]]) -> Impact:
    named = {each: [f"{id_.gvk.kind} {id_.name}" for id_ in ids] for each, ids in cut.items()}
    parts = (f"{_DIRECTIONS[each]} {listed(names, _MOST_NAMES)}" for each, names in named.items())
    reason = f"only some connections {' and '.join(parts)} are allowed from now on"
    return Impact(Effect.DISCONNECTED, reason, _SOURCE)


class Policies:
    """The policies of one side, and the labels of its running machines on the network of pods."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources = tuple(resources)

    @cached_property
    def machines(self) -> Mapping[ResId, JsonObject]:
        """The labels of the machines that run on the network of pods."""
        views = filter(None, map(VirtualMachineView.of, self._resources))
        return {
            each.resource.current_id: launcher_labels(each)
            for each in views
            if not each.is_halted and _is_on_pod_network(each)
        }

    @cached_property
    def _by_namespace(self) -> Mapping[str, Sequence[_Policy]]:
        found: dict[str, list[_Policy]] = {}
        for each in (each for each in self._resources if is_policy(each.current_id)):
            spec = object_at(each.content, "spec")
            try:
                selector = read_selector(spec.get("podSelector"))
            except SelectorError:  # reported by the schema
                continue
            found.setdefault(each.namespace, []).append(_Policy(each.current_id, selector, _allowed(spec)))
        return found

    def selecting(self, namespace: str, labels: JsonObject, direction: str) -> Iterator[_Policy]:
        """Yield the policies that isolate pods with these labels in a direction."""
        policies = self._by_namespace.get(namespace, ())
        spend(_STEPS * len(policies), "looking for what NetworkPolicies select")
        for each in policies:
            if direction in each.allowed and selects(each.selector, labels):
                yield each


def _allowed(spec: JsonObject) -> Mapping[str, Sequence[_Rule]]:
    """Return the rules by direction.

    A policy without ``policyTypes`` isolates pods for egress only if it has ``egress`` rules.
    """
    types = array_at(spec, "policyTypes") or [_INGRESS, *((_EGRESS,) if array_at(spec, "egress") else ())]
    return {
        each: [
            (tuple(map(Peer.of, array_at(rule, peers))), tuple(map(Port.of, array_at(rule, "ports"))))
            for rule in array_at(spec, each.lower())
        ]
        for each, peers in _PEERS.items()
        if each in types
    }


def _is_on_pod_network(machine: VirtualMachineView) -> bool:
    networks = [each for _, each in machine.networks]
    return not networks or any("pod" in each for each in networks)
