"""Services that no longer reach a virtual machine, and the routes to them.

The selector of a Service or the labels of a machine change, a port or address goes, the Service, a route or
its Gateway is removed, or a route leads elsewhere, or from other hosts and paths.
KubeVirt copies the labels of a machine's template to its pod when the machine starts
(``pkg/virt-controller/services/template.go``); a Service finds the pod by them, at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

from renderer.diff.route_entries import Entries, Key, closed_services, is_entry
from renderer.diff.routes import (
    ROUTES,
    LostWay,
    Name,
    Routes,
    lost_ways_of_route,
)
from renderer.diff.service_ways import REACHING, lost_ways
from renderer.kubevirt.facts.launcher_pod import launcher_labels
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

SERVICE = "Service"
_SOURCE = "kubernetes pkg/controller/endpointslice/endpointslice_controller.go syncService"
_LABELS = "labels"
#: The hosts and paths that a reason names.
_MOST_PLACES = 3
_Label: TypeAlias = tuple[str, str | tuple[str]]
#: The namespace of a Service, and its selector.
_Selection: TypeAlias = tuple[str, frozenset[_Label]]


class _Pods(NamedTuple):
    """The pods that an object makes."""

    id: ResId
    labels: frozenset[_Label]
    is_running_machine: bool


def with_lost_machines(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with what a changed or removed Service does to machines that it leaves."""
    if not any(map(may_lose_machines, changes)):
        return [*changes]
    return judged_by_services(changes, Served(before), Served(after), " of this overlay")


def may_lose_machines(change: ResourceChange) -> bool:
    """Return True for a Service or route that may lose machines, and whose change has no other impact."""
    if change.impact is not None:
        return False
    if change.id.gvk.kind == SERVICE:
        return _is_update(change) or _loses_its_name(change)
    is_way = change.id.gvk.kind in ROUTES or is_entry(change.id.gvk.kind, change.id.gvk.group)
    return is_way and (change.type is not ChangeType.ADDED)


def judged_by_services(
    changes: Sequence[ResourceChange], before: Served, after: Served, where: str = ""
) -> list[ResourceChange]:
    """Return the changes, with the impacts of Services and routes on machines.

    ``where`` is a part of the reasons: of which objects it is known, if these are not all in the cluster.
    """
    judge = _Judge((before, after), where)
    return [each.with_impact(judge.impact(each)) if may_lose_machines(each) else each for each in changes]


def judged_by_labels(
    changes: Sequence[ResourceChange], before: Served, after: Served
) -> list[ResourceChange]:
    """Return the changes, with the Services that no longer select a machine by its new labels."""
    judge = _Judge((before, after), "")
    return [
        _leaving(each, judge.left_services(each)) if may_leave_services(each) else each for each in changes
    ]


def may_leave_services(change: ResourceChange) -> bool:
    """Return True for new labels of an object of which an impact is known, as of a machine."""
    return change.impact is not None and any(_LABELS in each.field.segments for each in change.fields)


def _is_update(change: ResourceChange) -> bool:
    found = (each.field.segments[:2] for each in change.fields)
    return change.type is ChangeType.CHANGED and any(each in REACHING for each in found)


def _loses_its_name(change: ResourceChange) -> bool:
    """Return True if clients no longer find a Service, or not under its name."""
    return change.type in (ChangeType.REMOVED, ChangeType.RENAMED)


class Served:
    """The objects of one side by namespace and each label of their pods, and its Services and routes."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self.services: dict[ResId, Resource] = {}
        self.selections: dict[ResId, _Selection] = {}
        self.routes: dict[ResId, Resource] = {}
        self.entries: dict[ResId, Resource] = {}
        #: The number of overlays that have each object.
        self.there: Counter[ResId] = Counter()
        #: The labels of the pods of each machine.
        self.machines: dict[ResId, frozenset[_Label]] = {}
        self._labelled: dict[tuple[str, _Label], list[_Pods]] = {}
        self.add(resources)

    def add(self, resources: Iterable[Resource]) -> None:
        """Add the objects of an overlay."""
        for each in resources:
            id_ = each.current_id
            self.there[id_] += 1
            if each.kind == SERVICE:
                self.services[id_] = each
                selector = _labels(object_at(each.content, "spec", "selector"))
                self.selections[id_] = each.namespace, selector
            elif each.kind in ROUTES:
                self.routes[id_] = each
            elif is_entry(each.kind, each.gvk.group):
                self.entries[id_] = each
            machine = VirtualMachineView.of(each)
            template = object_at(each.content, "spec", "template", "metadata", "labels")
            labels = _labels(launcher_labels(machine) if machine else template)
            if machine:
                self.machines[id_] = labels
            for label in labels:
                pods = _Pods(id_, labels, is_running_machine=bool(machine and not machine.is_halted))
                self._labelled.setdefault((each.namespace, label), []).append(pods)

    def merge(self, other: Served) -> None:
        """Add the objects of other overlays."""
        self.services |= other.services
        self.selections |= other.selections
        self.routes |= other.routes
        self.entries |= other.entries
        self.there += other.there
        self.machines |= other.machines
        for key, pods in other._labelled.items():
            self._labelled.setdefault(key, []).extend(pods)

    def selected(self, selection: _Selection) -> list[_Pods]:
        """Return the pods that a Service selects, except pods of objects that several overlays have."""
        namespace, selector = selection
        having = (self._labelled.get((namespace, label), []) for label in selector)
        fewest = min(having, key=len, default=[])
        spend(len(fewest), "looking for what Services select")
        return [each for each in fewest if selector <= each.labels and self.there[each.id] == 1]

    def selecting(self, namespace: str, labels: frozenset[_Label]) -> Iterator[ResId]:
        """Yield the Services that select pods with these labels."""
        for label in labels:
            for id_ in self._by_label.get((namespace, label), ()):
                spend(1, "looking for what Services select")
                if self.selections[id_][1] <= labels:
                    yield id_

    @cached_property
    def by_name(self) -> Mapping[Name, _Selection]:
        """The selections of the Services, by namespace and name."""
        return {(id_.namespace, id_.name): each for id_, each in self.selections.items()}

    @cached_property
    def open(self) -> Entries:
        """The entries by which connections come in to routes."""
        return Entries(self.entries.values())

    @cached_property
    def routes_by_place(self) -> Routes:
        """The routes by where they lead, and what."""
        return Routes(self.routes.values())

    @cached_property
    def _by_label(self) -> Mapping[tuple[str, _Label], Sequence[ResId]]:
        """The Services by namespace and one of the labels in their selectors."""
        found: dict[tuple[str, _Label], list[ResId]] = {}
        for id_, (namespace, selector) in self.selections.items():
            if selector:
                found.setdefault((namespace, min(selector, key=repr)), []).append(id_)
        return found


class _Judge:
    """Judges what Services lose. Those with the same selectors lose the same, and are judged once."""

    def __init__(self, sides: tuple[Served, Served], where: str) -> None:
        self._sides, self._where = sides, where
        self._removed = cache(self._removal)
        self._updated = cache(self._update)

    def impact(self, change: ResourceChange) -> Impact | None:
        """Return the impact of a change for which ``may_lose_machines`` is True."""
        before, after = self._sides
        if any(side.there[id_] > 1 for side in self._sides for id_ in (change.before, change.id) if id_):
            return None  # it is in several overlays, and which of them has the machines is not known
        if change.id.gvk.kind != SERVICE:
            return self._unrouted(change)
        if change.before and _loses_its_name(change):
            selection = before.selections.get(change.before)
            return self._removed(selection) if selection else None
        old, new = before.selections.get(change.id), after.selections.get(change.id)
        return self._updated(old, new) or self._closed(change.id) if old and new else None

    def left_services(self, change: ResourceChange) -> list[str]:
        """Return the Services that stay as they are, and no longer select a machine by its new labels."""
        before, after = self._sides
        old, new = before.machines.get(change.id), after.machines.get(change.id)
        if not old or not new or old == new or before.there[change.id] > 1 or after.there[change.id] > 1:
            return []
        return sorted(
            f"{SERVICE} {id_.name}"
            for id_ in before.selecting(change.id.namespace, old)
            if after.selections.get(id_) == before.selections[id_] and not before.selections[id_][1] <= new
        )

    def _removal(self, selection: _Selection) -> Impact | None:
        """Return the impact of removing a Service on the machines that it selects, and that stay."""
        selected = self._lost(selection, frozenset())
        if not selected:
            return None
        reason = f"connections to {listed(selected)} by the name or address of this Service fail at once"
        return Impact(Effect.STOP, reason, _SOURCE)

    def _closed(self, id_: ResId) -> Impact | None:
        """Return the impact if a Service loses a port or address by which clients reach machines."""
        old, new = (each.services[id_] for each in self._sides)
        ways = lost_ways(old, new)
        selected = self._lost(self._sides[0].selections[id_], frozenset()) if ways else []
        if not selected:
            return None
        reason = f"connections to {listed(selected)} by {listed(ways)} of this Service fail at once"
        return Impact(Effect.STOP, reason, _SOURCE)

    def _unrouted(self, change: ResourceChange) -> Impact | None:
        """Return the impact on machines of changing or removing a route, or what lets connections in."""
        before, after = self._sides
        if change.id.gvk.kind not in ROUTES:
            gone = change.before or change.id
            services = self._closed_services.get((gone.gvk.kind, gone.namespace, gone.name), frozenset())
            return self._cut(change, (LostWay(each, "", frozenset()) for each in sorted(services)))
        old, new = before.routes.get(change.id), after.routes.get(change.id)
        if old is None or (new is None and change.type is not ChangeType.REMOVED):
            return None
        if new and after.open.of(old) and not after.open.of(new):
            new = None  # no listener of its Gateways accepts it
        return self._cut(change, lost_ways_of_route(old, new, after.routes_by_place))

    @cached_property
    def _closed_services(self) -> Mapping[Key, frozenset[Name]]:
        before, after = self._sides
        return closed_services(after.routes.values(), before.open, after.open)

    def _cut(self, change: ResourceChange, ways: Iterable[LostWay]) -> Impact | None:
        """Return the impact if connections by some ways no longer reach machines."""
        known = self._sides[1].by_name
        selected: dict[str, None] = {}
        places: dict[str, None] = {}
        for each in ways:
            instead = (known[name] for name in each.instead if name in known)
            left = {pods.id for one in instead for pods in self._sides[1].selected(one)}
            if each.service in known and (lost := self._lost(known[each.service], left)):
                selected |= dict.fromkeys(lost)
                places[each.place] = None
        if not selected:
            return None
        kind = change.id.gvk.kind
        place = "" if "" in places else f"{listed([*places], _MOST_PLACES, '; ')} of "
        return Impact(
            Effect.STOP, f"connections to {listed([*selected])} by {place}this {kind} fail at once", ""
        )

    def _update(self, old: _Selection, new: _Selection) -> Impact | None:
        """Return the impact if the new Service does not select a machine that the old one selects.

        A machine that runs keeps the labels that it was started with.
        """
        running = self._sides[0].machines
        selected = {each.id for each in self._sides[1].selected(new)}
        at_once = {id_ for id_ in selected if new[1] <= running.get(id_, new[1])}
        lost = self._lost(old, selected)
        late = [each for each in self._lost(old, at_once) if each not in lost]
        rest = "" if at_once else f", nor anything else{self._where}"
        if late:
            others = f", and no longer {listed(lost)}" if lost else ""
            reason = (
                f"it selects {listed(late)} only after {'its' if len(late) == 1 else 'their'} next start, "
                f"with the new labels{others}: connections fail until then"
            )
        elif lost:
            reason = f"it no longer selects {listed(lost)}{rest}: connections fail at once"
        else:
            return None
        return Impact(Effect.LIVE if at_once else Effect.STOP, reason, _SOURCE)

    def _lost(self, selection: _Selection, left: AbstractSet[ResId]) -> list[str]:
        """Return the machines that a Service selected, that stay, and that are not ``left`` to it."""
        return [
            f"{each.id.gvk.kind} {each.id.name}"
            for each in self._sides[0].selected(selection)
            if each.is_running_machine and self._sides[1].there[each.id] and each.id not in left
        ]


def _leaving(change: ResourceChange, services: Sequence[str]) -> ResourceChange:
    """Return the change of a machine whose new labels these Services do not select."""
    if not services:
        return change
    reason = f"{listed(services)} no longer select{'s' if len(services) == 1 else ''} it then"

    def added(impact: Impact) -> Impact:
        return impact._replace(reason="; ".join(filter(None, (impact.reason, reason))))

    fields = (
        each._replace(impact=added(each.impact)) if each.impact and _LABELS in each.field.segments else each
        for each in change.fields
    )
    return change._replace(impact=change.impact and added(change.impact), fields=tuple(fields))


def _labels(written: Mapping[str, Json]) -> frozenset[_Label]:
    """Return labels as they can be compared; a value that is not a text is an error of the schema."""
    return frozenset(
        (key, value if isinstance(value, str) else (repr(value),)) for key, value in written.items()
    )
