"""Services that no longer reach a virtual machine, and the routes to them.

The selector of a Service or the labels of a machine change, a port goes, or the Service or a route is
removed.
KubeVirt copies the labels of a machine's template to its pod when the machine starts
(``pkg/virt-controller/services/template.go``); a Service finds the pod by them, at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TypeAlias

from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

SERVICE = "Service"
#: The fields of a Service by which it is reached, and reaches machines.
_REACHING = (("spec", "selector"), ("spec", "ports"), ("spec", "type"))
_FROM_OUTSIDE = ("NodePort", "LoadBalancer")
#: The kinds that lead connections to Services, and the fields that name these.
_BACKENDS = {
    "Ingress": frozenset({"service"}),
    "Route": frozenset({"to", "alternateBackends"}),
    **{f"{protocol}Route": frozenset({"backendRefs"}) for protocol in ("HTTP", "GRPC", "TCP", "TLS", "UDP")},
}
_SOURCE = "kubernetes pkg/controller/endpointslice/endpointslice_controller.go syncService"
_NAME_LABEL = "vm.kubevirt.io/name"
_Label: TypeAlias = tuple[str, str | tuple[str]]
#: The namespace of a Service, and its selector.
_Selection: TypeAlias = tuple[str, frozenset[_Label]]


def with_lost_machines(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with what a changed or removed Service does to machines that it leaves."""
    services = [each for each in changes if each.id.gvk.kind == SERVICE and each.impact is None]
    changed = {each.id for each in services if _is_update(each)}
    lost = {each.before: each.id for each in services if each.before and _loses_its_name(each)}
    routes = [each for each in changes if _is_removed_route(each) and each.impact is None]
    if not changed and not lost and not routes:
        return [*changes]
    sides = _Side(before), _Side(after)
    old, new = (side.selections for side in sides)
    judge = _Judge(sides)
    both = [id_ for id_ in changed if id_ in old and id_ in new]
    impacts = {id_: judge.update(old[id_], new[id_]) or judge.closed(id_) for id_ in both}
    impacts |= {id_: judge.removal(old[gone]) for gone, id_ in lost.items() if gone in old}
    removed = {each.current_id: each for each in sides[0].routes}
    impacts |= {each.id: judge.removed_route(removed[each.id]) for each in routes if each.id in removed}

    def judged(change: ResourceChange) -> ResourceChange:
        impact = impacts.get(change.id) if change.impact is None else None
        return change._replace(impact=impact, effects=(impact.effect,)) if impact else change

    return [*map(judged, changes)]


def _is_update(change: ResourceChange) -> bool:
    found = (each.field.segments[:2] for each in change.fields)
    return change.type is ChangeType.CHANGED and any(each in _REACHING for each in found)


def _is_removed_route(change: ResourceChange) -> bool:
    return change.type is ChangeType.REMOVED and change.id.gvk.kind in _BACKENDS


def _loses_its_name(change: ResourceChange) -> bool:
    """Return True if clients no longer find a Service, or not under its name."""
    return change.type in (ChangeType.REMOVED, ChangeType.RENAMED)


class _Side:
    """The objects of one side by namespace and each label of their pods, and what its Services select."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.services: dict[ResId, Resource] = {}
        self.selections: dict[ResId, _Selection] = {}
        self.routes: list[Resource] = []
        self.there: set[ResId] = set()
        self._labelled: dict[tuple[str, _Label], list[tuple[Resource, frozenset[_Label]]]] = {}
        for each in resources:
            self.there.add(each.current_id)
            if each.kind == SERVICE:
                self.services[each.current_id] = each
                selector = _labels(object_at(each.content, "spec", "selector"))
                self.selections[each.current_id] = each.namespace, selector
            elif each.kind in _BACKENDS:
                self.routes.append(each)
            labels = _labels(_pod_labels(each))
            for label in labels:
                self._labelled.setdefault((each.namespace, label), []).append((each, labels))

    def selected(self, selection: _Selection) -> list[Resource]:
        """Return the objects whose pods a Service selects."""
        namespace, selector = selection
        having = (self._labelled.get((namespace, label), []) for label in selector)
        fewest = min(having, key=len, default=[])
        spend(len(fewest), "looking for what Services select")
        return [each for each, labels in fewest if selector <= labels]


class _Judge:
    """Judges what Services lose. Those with the same selectors lose the same, and are judged once."""

    def __init__(self, sides: tuple[_Side, _Side]) -> None:
        self._sides = sides
        self.removal = cache(self._removal)
        self.update = cache(self._update)

    def _removal(self, selection: _Selection) -> Impact | None:
        """Return what the removal of a Service does to the machines that it selects, and that stay."""
        selected = self._lost(selection, frozenset())
        if not selected:
            return None
        reason = f"connections to {listed(selected)} by the name or address of this Service fail at once"
        return Impact(Effect.STOP, reason, _SOURCE)

    def closed(self, id_: ResId) -> Impact | None:
        """Return what happens if machines are no longer reached by a port of a Service, or from outside."""
        old, new = (each.services[id_] for each in self._sides)
        ways = [each for each in _ways(old) if each not in _ways(new)]
        selected = self._lost(self._sides[0].selections[id_], frozenset()) if ways else []
        if not selected:
            return None
        reason = f"connections to {listed(selected)} by {listed(ways)} of this Service fail at once"
        return Impact(Effect.STOP, reason, _SOURCE)

    def removed_route(self, gone: Resource) -> Impact | None:
        """Return what the removal of a route does to the machines behind its Services, which stay."""
        names = {text_at(each, "name") for each in _backends(gone.content.get("spec"), _BACKENDS[gone.kind])}
        lost = (
            name
            for id_, selection in self._sides[1].selections.items()
            if id_.name in names and id_.namespace == gone.namespace
            for name in self._lost(selection, frozenset())
        )
        selected = [*dict.fromkeys(lost)]
        if not selected:
            return None
        return Impact(Effect.STOP, f"connections to {listed(selected)} by this {gone.kind} fail at once", "")

    def _update(self, old: _Selection, new: _Selection) -> Impact | None:
        """Return what happens if a machine that the old Service selects is not selected by the new one."""
        left = {each.current_id for each in self._sides[1].selected(new)}
        lost = self._lost(old, left)
        if not lost:
            return None
        effect = Effect.LIVE if left else Effect.STOP
        rest = "" if left else ", nor anything else of this overlay"
        reason = f"it no longer selects {listed(lost)}{rest}: connections fail at once"
        return Impact(effect, reason, _SOURCE)

    def _lost(self, selection: _Selection, left: AbstractSet[ResId]) -> list[str]:
        """Return the machines that a Service selected, that stay, and that are not ``left`` to it."""
        return [
            f"{each.kind} {each.name}"
            for each in self._sides[0].selected(selection)
            if each.current_id in self._sides[1].there
            and each.current_id not in left
            and VirtualMachineView.of(each)
        ]


def _ways(service: Resource) -> list[str]:
    """Return by what a Service is reached, in the cluster and from outside, in words.

    A port that leads to another port of the machine counts as another one. A headless Service only gives the
    addresses of its pods, which have all ports.
    """
    spec = object_at(service.content, "spec")
    if spec.get("clusterIP") == "None":
        return []
    kind, found = text_at(spec, "type"), list[str]()
    for port in map(object_at, array_at(spec, "ports")):
        label = f"port {port.get('port')}/{text_at(port, 'protocol') or 'TCP'}"
        target = port.get("targetPort") or port.get("port")
        found.append(label if target == port.get("port") else f"{label} to {target}")
        if kind in _FROM_OUTSIDE and port.get("nodePort"):
            found.append(f"node port {port.get('nodePort')}")
    found += ["the node ports"] if kind in _FROM_OUTSIDE else []
    return [*found, *(["the external address"] if kind == "LoadBalancer" else [])]


def _backends(value: Json, keys: frozenset[str]) -> Iterator[JsonObject]:
    """Yield what the fields of a route with these names refer to."""
    if isinstance(value, list):
        for each in value:
            yield from _backends(each, keys)
    elif isinstance(value, dict):
        for key, child in value.items():
            if key in keys:
                yield from map(object_at, child if isinstance(child, list) else [child])
            yield from _backends(child, keys)


def _labels(written: Mapping[str, Json]) -> frozenset[_Label]:
    """Return labels as they can be compared; a value that is not a text is an error of the schema."""
    return frozenset(
        (key, value if isinstance(value, str) else (repr(value),)) for key, value in written.items()
    )


def _pod_labels(resource: Resource) -> Mapping[str, Json]:
    """Return the labels of the pods that an object makes; empty if it makes none."""
    machine = VirtualMachineView.of(resource)
    if machine is None:
        return object_at(resource.content, "spec", "template", "metadata", "labels")
    template = object_at(resource.content, *machine.paths.template.keys)
    return {_NAME_LABEL: machine.name, **object_at(template, "metadata", "labels")}
