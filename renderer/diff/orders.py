"""Objects that order a controller to act on a machine: the machine says what is done to it.

Of a machine in another overlay of the cluster, the order says so itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property

from renderer.diff.reads import Runs, should_run
from renderer.kubevirt.facts.kinds import VM_POOL
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.orders import ORDERS, Order, order_of
from renderer.kubevirt.impact.storage_objects import targets_of
from renderer.model.difference import (
    ChangeType,
    DataChange,
    Effect,
    Impact,
    ResourceChange,
    by_severity,
    worst,
)
from renderer.model.kube.json import array_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.release import Release
from renderer.model.run.work import spend

#: Steps for an order and a machine that it is about; each volume of the machine is one more.
_STEPS_PER_MACHINE = 20
_RECREATED = frozenset({Effect.RECREATED, Effect.REPLACED})


def with_orders(
    changes: Sequence[ResourceChange], written: Iterable[Resource], release: Release, runs: Runs
) -> list[ResourceChange]:
    """Return the changes, with what new objects order controllers to do with machines of the overlay.

    Of a machine that the overlay does not have, the order itself says what is done to it. ``written`` are
    the objects after the change.
    """
    written = tuple(written)
    found = {change.id: change for change in changes}
    orders = [
        (resource, order)
        for resource in written
        if (change := found.get(resource.current_id)) is not None and _is_created(change)
        if (order := order_of(resource, release)) is not None
    ]
    if not orders:
        return [*changes]
    machines = _Machines(written)
    data: dict[ResId, dict[DataChange, None]] = {}
    for resource, order in orders:
        about = machines.about(order)
        names = listed([f"{each.kind} {each.name}" for each in about], separator=" and ")
        reason = f"what it does is said at {names}"
        impact = Impact(Effect.NONE, reason) if about else order.impact
        found[resource.current_id] = _with_impact(found[resource.current_id], impact)
        for machine in about:
            spend(
                _STEPS_PER_MACHINE + len(array_at(machine.instance, "volumes")),
                "finding the machines of orders",
            )
            id_ = machine.resource.current_id
            own = found.get(id_) or ResourceChange(ChangeType.CHANGED, id_, id_)
            is_there = own.type is ChangeType.CHANGED and not own.is_refused
            if is_there and (runs(machine) or not order.needs_instance):
                data.setdefault(id_, dict.fromkeys(own.data)).update(dict.fromkeys(order.data_of(machine)))
                impact = _in_state(order.impact, is_running=runs(machine))
                found[id_] = _with_impact(own, impact)
    for id_, changed in data.items():
        found[id_] = found[id_]._replace(data=tuple(changed))
    return [*found.values()]


class OrdersElsewhere:
    """The objects of all overlays, for orders about machines of another one than their own."""

    def __init__(self) -> None:
        self._orders: dict[tuple[str, ResId], Resource] = {}
        #: The objects of each overlay before and after the change.
        self._overlays: dict[str, tuple[Sequence[Resource], Sequence[Resource]]] = {}
        self._machines = cache(lambda path: _Machines(self._overlays[path][1]))
        self._former = cache(lambda path: frozenset(each.current_id for each in self._overlays[path][0]))

    def add(self, path: str, before: Sequence[Resource], after: Sequence[Resource]) -> None:
        """Add an overlay."""
        self._overlays[path] = before, after
        self._orders |= {(path, each.current_id): each for each in after if each.kind in ORDERS}

    def judged(
        self, change: ResourceChange, path: str, share: Callable[[str, str], bool], release: Release | None
    ) -> ResourceChange:
        """Return the change of an order, with what it does to machines of overlays that ``share`` a cluster.

        A machine that is new has no data yet.
        """
        resource = self._orders.get((path, change.id))
        order = order_of(resource, release) if resource and release else None
        if order is None or not _is_created(change) or self._machines(path).about(order):
            return change
        machines = [
            machine
            for other in self._overlays
            if other != path and share(path, other)
            for machine in self._machines(other).about(order)
            if machine.resource.current_id in self._former(other)
        ]
        data = [
            each._replace(disk=f"{each.disk} of {machine.kind} {machine.name}")
            for machine in machines
            if should_run(machine) or not order.needs_instance
            for each in order.data_of(machine)
        ]
        spend(_STEPS_PER_MACHINE * len(machines) + len(data), "finding the machines of orders")
        return change._replace(data=(*data, *change.data))


class _Machines:
    """The machines of an overlay, by what orders name them by."""

    def __init__(self, written: Iterable[Resource]) -> None:
        self._machines = [*enumerate(filter(None, map(VirtualMachineView.of, written)))]

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Sequence[tuple[int, VirtualMachineView]]]:
        found: dict[tuple[str, str], list[tuple[int, VirtualMachineView]]] = {}
        for number, machine in self._machines:
            found.setdefault((machine.namespace, machine.name), []).append((number, machine))
        return found

    @cached_property
    def _by_claim(self) -> Mapping[tuple[str, str], Sequence[VirtualMachineView]]:
        found: dict[tuple[str, str], list[VirtualMachineView]] = {}
        for _, machine in self._machines:
            targets = targets_of(machine.instance).values()
            for claim in dict.fromkeys(each.name for each in targets if each.is_claim):
                found.setdefault((machine.namespace, claim), []).append(machine)
        return found

    def about(self, order: Order) -> Sequence[VirtualMachineView]:
        """Return the machines that an order is about."""
        if order.claim:
            return self._by_claim.get((order.namespace, order.claim), ())
        indexed = split_index(order.machine)
        pools = self._by_name.get((order.namespace, indexed[0]), ()) if indexed else ()
        found = [
            *self._by_name.get((order.namespace, order.machine), ()),
            *(each for each in pools if each[1].kind == VM_POOL),
        ]
        return [machine for _, machine in sorted(found, key=lambda each: each[0])]


def _is_created(change: ResourceChange) -> bool:
    """Return True if an object is created, perhaps in the place of one that is deleted."""
    if change.is_refused:
        return False
    is_new = change.type in (ChangeType.ADDED, ChangeType.RENAMED)
    return is_new or not _RECREATED.isdisjoint(change.effects)


def _in_state(impact: Impact, *, is_running: bool) -> Impact:
    """Return the impact on a machine in its state: one that does not run cannot be stopped."""
    is_stop = impact.effect is Effect.STOP
    return impact._replace(effect=Effect.NONE) if is_stop and not is_running else impact


def _with_impact(change: ResourceChange, impact: Impact) -> ResourceChange:
    impacts = [impact, *([change.impact] if change.impact else [])]
    return change._replace(impact=worst(impacts), effects=by_severity((*change.effects, impact.effect)))
