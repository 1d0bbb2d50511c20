"""Objects that order a controller to act on a machine: the machine says what is done to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from renderer.diff.reads import Runs
from renderer.kubevirt.facts.kinds import VM_POOL
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.orders import Order, order_of
from renderer.kubevirt.impact.storage_objects import targets_of
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange, worst
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

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
    machines = [*filter(None, map(VirtualMachineView.of, written))]
    for resource, order in orders:
        about = [each for each in machines if _is_about(order, each)]
        names = " and ".join(f"{each.kind} {each.name}" for each in about)
        reason = f"what it does is said at {names}"
        impact = Impact(Effect.NONE, reason) if about else order.impact
        found[resource.current_id] = _with_impact(found[resource.current_id], impact)
        for machine in about:
            id_ = machine.resource.current_id
            own = found.get(id_) or ResourceChange(ChangeType.CHANGED, id_, id_)
            is_there = own.type is ChangeType.CHANGED and not own.is_refused
            if is_there and (runs(machine) or not order.needs_instance):
                data = dict.fromkeys((*own.data, *order.data_of(machine)))
                impact = _in_state(order.impact, is_running=runs(machine))
                found[id_] = _with_impact(own._replace(data=tuple(data)), impact)
    return [*found.values()]


def _is_created(change: ResourceChange) -> bool:
    """Return True if an object is created, perhaps in the place of one that is deleted."""
    if change.is_refused:
        return False
    is_new = change.type in (ChangeType.ADDED, ChangeType.RENAMED)
    return is_new or not _RECREATED.isdisjoint(change.effects)


def _is_about(order: Order, machine: VirtualMachineView) -> bool:
    if machine.namespace != order.namespace:
        return False
    if order.claim:
        claims = targets_of(machine.instance).values()
        return any(each.is_claim and each.name == order.claim for each in claims)
    indexed = split_index(order.machine) if machine.kind == VM_POOL else None
    return machine.name in (order.machine, indexed and indexed[0])


def _in_state(impact: Impact, *, is_running: bool) -> Impact:
    """Return the impact on a machine in its state: one that does not run cannot be stopped."""
    is_stop = impact.effect is Effect.STOP
    return impact._replace(effect=Effect.NONE) if is_stop and not is_running else impact


def _with_impact(change: ResourceChange, impact: Impact) -> ResourceChange:
    impacts = [impact, *([change.impact] if change.impact else [])]
    effects = {*change.effects, impact.effect}
    return change._replace(
        impact=worst(impacts), effects=tuple(sorted(effects, key=lambda effect: -effect.severity))
    )
