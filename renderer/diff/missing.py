"""Objects that are removed, and the virtual machines that still name them and do not start without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from renderer.diff.reads import ChangedObject, ObjectName, cause_in, with_fields
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import CLUSTER_WIDE, Need, needs_of
from renderer.model.difference import ChangeType, Effect, FieldChange, NoValue, ResourceChange
from renderer.model.kube.json import Json, array_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

RemovedObjects: TypeAlias = Mapping[ObjectName, ChangedObject]
#: Groups of KubeVirt, CDI and Kubernetes, whose objects name others but make none of the name that they give.
_NO_MAKERS = ("kubevirt.io", ".k8s.io", "k8s.cni.cncf.io")


def removed_objects(changes: Iterable[ResourceChange], overlay: str = "") -> RemovedObjects:
    """Return the changes by which the cluster loses an object, by its name: removals and renamings."""
    return {
        ObjectName.of(change.before): ChangedObject(change, overlay)
        for change in changes
        if change.before is not None
        and change.type in (ChangeType.REMOVED, ChangeType.RENAMED)
        and not (change.impact and change.impact.effect in (Effect.NONE, Effect.REFUSED))
    }


def with_missing_objects(
    changes: Sequence[ResourceChange],
    written: Iterable[Resource],
    makers: Iterable[Resource],
    release: Release,
    removed: RemovedObjects,
) -> list[ResourceChange]:
    """Return the changes of an overlay, with those of its machines that need one of the ``removed`` objects.

    ``written`` are the objects after the change, ``makers`` those for which operators may make the missing
    ones: a SealedSecret. A machine that does not start yet, as it is new or the
    cluster refuses it, is left to the rules about what it names.
    """
    if not removed:
        return [*changes]
    written, makers = tuple(written), [*filter(may_make_others, makers)]
    there = {ObjectName.of(each.current_id) for each in written}
    found = {change.id: change for change in changes}
    for resource in written:
        machine = VirtualMachineView.of(resource)
        own = found.get(resource.current_id)
        if machine is None or (own is not None and own.type is not ChangeType.CHANGED):
            continue
        fields = [
            _field_of(need, object_)
            for need in needs_of(machine, release)
            if there.isdisjoint(names_of(machine, need))
            for object_ in _removed(machine, need, removed)
            if not any(_makes(each, object_.change.before or object_.change.id) for each in makers)
        ]
        if fields:
            change = with_fields(own, resource.current_id, fields)
            refusal = change.start_refusal or (fields[0].impact.reason if fields[0].impact else "")
            found[resource.current_id] = change._replace(start_refusal=refusal)
    return [*found.values()]


def names_of(machine: VirtualMachineView, need: Need) -> tuple[ObjectName, ...]:
    """Return the names of the objects that a machine needs, one of which will do."""
    namespace, _, name = need.name.rpartition("/")
    return tuple(
        ObjectName(kind, "" if kind in CLUSTER_WIDE else namespace or machine.namespace, name)
        for kind in need.kinds
    )


def _removed(machine: VirtualMachineView, need: Need, removed: RemovedObjects) -> Iterator[ChangedObject]:
    """Yield the removed objects that a field names: one, or one for each machine of a pool."""
    for named in names_of(machine, need):
        if not need.is_indexed:
            yield from filter(None, [removed.get(named)])
            continue
        for each, object_ in removed.items():
            indexed = split_index(each.name)
            if indexed is not None and each._replace(name=indexed[0]) == named:
                yield object_


def may_make_others(resource: Resource) -> bool:
    """Return True for a custom resource for which an operator may make other objects."""
    return "." in resource.gvk.group and not resource.gvk.group.endswith(_NO_MAKERS)


def _makes(maker: Resource, missing: ResId) -> bool:
    """Return True if a custom resource has the name of a missing object, or mentions it."""
    return maker.name == missing.name or _mentions(maker.content.get("spec"), missing.name)


def _mentions(value: Json, name: str) -> bool:
    if isinstance(value, dict):
        return any(_mentions(each, name) for each in value.values())
    return value == name or any(_mentions(each, name) for each in array_at(value))


def _field_of(need: Need, object_: ChangedObject) -> FieldChange:
    """Return the field that names a removed object: its content goes, not the name."""
    change, overlay, is_under_way = object_
    id_ = change.before or change.id
    missing = f"{id_.gvk.kind} {id_.name}{f' in {overlay}' if overlay else ''}"
    event = f"the cluster is deleting {missing}" if is_under_way else f"{missing} is removed"
    return FieldChange(
        need.field,
        NoValue.WITHHELD,
        NoValue.ABSENT,
        impact=need.impact(event),
        cause=cause_in(change),
        read=id_,
    )
