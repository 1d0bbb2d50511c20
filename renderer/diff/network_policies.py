"""NetworkPolicies of an overlay that no longer allow connections of its running machines.

A pod that a policy selects is isolated in the directions that the policy names, and all policies that select
it add up (Kubernetes ``staging/src/k8s.io/api/networking/v1/types.go`` ``NetworkPolicySpec``). The plugin of
the network applies a change at once. Networks of Multus are not concerned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.kube.label_selector import Requirement, SelectorError, read_selector, selects
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

_POLICY, _GROUP = "NetworkPolicy", "networking.k8s.io"
_INGRESS, _EGRESS = "Ingress", "Egress"
_DIRECTIONS = {_INGRESS: "to", _EGRESS: "from"}
_PEERS = {_INGRESS: "from", _EGRESS: "to"}
#: The labels that each pod of a machine has beside those of its template.
_LAUNCHER, _NAME_LABEL = {"kubevirt.io": "virt-launcher"}, "vm.kubevirt.io/name"
_MOST_NAMES = 5
_STEPS, _SOURCE = 4, "kubernetes staging/src/k8s.io/api/networking/v1/types.go NetworkPolicySpec"


#: The peers and the ports that a rule of a policy allows; all of them without a list.
_Rule = tuple[Sequence[Json], Sequence[Json]]


class _Policy(NamedTuple):
    """A policy: the pods that it selects, and its rules for each direction that it isolates them in."""

    id: ResId
    selector: tuple[Requirement, ...]
    allowed: Mapping[str, Sequence[_Rule]]


def with_cut_connections(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with what those of NetworkPolicies cut off running machines from."""
    judged = {each.id for each in changes if _is_policy(each.id) and each.impact is None}
    if not judged:
        return [*changes]
    sides = _Policies(before), _Policies(after)
    cut: dict[ResId, dict[str, list[str]]] = {}
    for id_, labels in sides[0].machines.items():
        for direction in _DIRECTIONS if id_ in sides[1].machines else ():
            selecting = [[*side.selecting(id_.namespace, labels, direction)] for side in sides]
            old, new = ([rule for each in found for rule in each.allowed[direction]] for found in selecting)
            if _is_cut(old if selecting[0] else None, new if selecting[1] else None):
                name = f"{id_.gvk.kind} {id_.name}"
                for policy in {each.id for found in selecting for each in found} & judged:
                    cut.setdefault(policy, {}).setdefault(direction, []).append(name)
    return [
        each._replace(impact=impact, effects=(impact.effect,))
        if (impact := _impact(cut.get(each.id, {})))
        else each
        for each in changes
    ]


def _is_policy(id_: ResId) -> bool:
    return (id_.gvk.kind, id_.gvk.group) == (_POLICY, _GROUP)


def _is_cut(before: Sequence[_Rule] | None, after: Sequence[_Rule] | None) -> bool:
    """Return True if rules allow less than others; None allows everything."""
    if after is None:
        return False
    size = sum(len(peers) + len(ports) for peers, ports in after)
    for peers, ports in [([], [])] if before is None else before:
        wanted = [*product(peers or [None], ports or [None])]
        spend(len(wanted) * (1 + size), "comparing the rules of NetworkPolicies")
        if not all(any(_allows(rule, *each) for rule in after) for each in wanted):
            return True
    return False


def _allows(rule: _Rule, peer: Json, port: Json) -> bool:
    peers, ports = rule
    return (not peers or peer in peers) and (not ports or port in ports)


def _impact(cut: Mapping[str, Sequence[str]]) -> Impact | None:
    if not cut:
        return None
    parts = (f"{_DIRECTIONS[each]} {listed(names, _MOST_NAMES)}" for each, names in cut.items())
    reason = f"only some connections {' and '.join(parts)} are allowed from now on"
    return Impact(Effect.DISCONNECTED, reason, _SOURCE)


class _Policies:
    """The policies of one side, and the labels of its running machines on the network of pods."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources = tuple(resources)

    @cached_property
    def machines(self) -> Mapping[ResId, JsonObject]:
        views = filter(None, map(VirtualMachineView.of, self._resources))
        return {
            each.resource.current_id: _labels(each)
            for each in views
            if not each.is_halted and _is_on_pod_network(each)
        }

    @cached_property
    def _by_namespace(self) -> Mapping[str, Sequence[_Policy]]:
        found: dict[str, list[_Policy]] = {}
        for each in (each for each in self._resources if _is_policy(each.current_id)):
            spec = object_at(each.content, "spec")
            try:
                selector = read_selector(spec.get("podSelector"))
            except SelectorError:  # reported by the schema
                continue
            found.setdefault(each.namespace, []).append(_Policy(each.current_id, selector, _allowed(spec)))
        return found

    def selecting(self, namespace: str, labels: JsonObject, direction: str) -> Iterator[_Policy]:
        policies = self._by_namespace.get(namespace, ())
        spend(_STEPS * len(policies), "looking for what NetworkPolicies select")
        for each in policies:
            if direction in each.allowed and selects(each.selector, labels):
                yield each


def _allowed(spec: JsonObject) -> Mapping[str, Sequence[_Rule]]:
    """Return the rules by direction; without types, outgoing connections count only if rules name some."""
    types = array_at(spec, "policyTypes") or [_INGRESS, *((_EGRESS,) if array_at(spec, "egress") else ())]
    return {
        each: [(array_at(rule, peers), array_at(rule, "ports")) for rule in array_at(spec, each.lower())]
        for each, peers in _PEERS.items()
        if each in types
    }


def _labels(machine: VirtualMachineView) -> JsonObject:
    template = object_at(machine.resource.content, *machine.paths.template.keys)
    return {_NAME_LABEL: machine.name, **object_at(template, "metadata", "labels"), **_LAUNCHER}


def _is_on_pod_network(machine: VirtualMachineView) -> bool:
    networks = [each for _, each in machine.networks]
    return not networks or any("pod" in each for each in networks)
