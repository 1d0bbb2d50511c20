"""Objects that are removed, and the virtual machines that still name them and do not start without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from renderer.diff.reads import ChangedObject, FoundByName, ObjectName, cause_in, with_fields
from renderer.kubevirt.facts.made_networks import made_networks, makes_networks
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import CLUSTER_WIDE, Need, needs_of
from renderer.model.difference import ChangeType, Effect, FieldChange, NoValue, ResourceChange
from renderer.model.kube.json import Json
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

RemovedObjects: TypeAlias = Mapping[ObjectName, ChangedObject]
#: Groups of KubeVirt, CDI and Kubernetes, whose objects name others but make none of the name that they give.
_NO_MAKERS = ("kubevirt.io", ".k8s.io", "k8s.cni.cncf.io")


def removed_objects(changes: Iterable[ResourceChange], overlay: str = "") -> RemovedObjects:
    """Return the changes by which the cluster loses an object, by its name.

    They are removals and renamings, also of what an operator makes others of, changes of what it makes, and
    those by which the cluster deletes what Git still has.
    """
    found: dict[ObjectName, ChangedObject] = {}
    for change in changes:
        if change.before is None or (change.impact and change.impact.effect in (Effect.NONE, Effect.REFUSED)):
            continue
        if change.type in (ChangeType.REMOVED, ChangeType.RENAMED) or change.deletion:
            found[ObjectName.of(change.before)] = ChangedObject(change, overlay)
        for made in set(change.former_made) - set(change.made):
            found.setdefault(ObjectName.of(made), ChangedObject(change, overlay, made=made))
    return found


class Makers:
    """Custom resources for which operators may make other objects, such as a SealedSecret."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._makers = [*filter(may_make_others, resources)]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that they may give to what they make: their own, and each text in their specs."""
        names = frozenset(each.name for each in self._makers)
        return names | texts_in(each.content.get("spec") for each in self._makers)

    def may_make(self, name: str) -> bool:
        """Return True if an operator may make an object of this name for one of them."""
        return name in self.names


def texts_in(values: Iterable[Json]) -> frozenset[str]:
    """Return each text in JSON trees, without keys."""
    found: set[str] = set()
    waiting = [*values]
    known: set[int] = set()  # aliases share mappings and lists
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, dict | list) and id(value) not in known:
            known.add(id(value))
            waiting += value.values() if isinstance(value, dict) else value
    return frozenset(found)


def with_missing_objects(
    changes: Sequence[ResourceChange],
    written: Iterable[Resource],
    may_make: Callable[[str], bool],
    release: Release,
    removed: RemovedObjects,
) -> list[ResourceChange]:
    """Return the changes of an overlay, also of its machines that need one of the ``removed`` objects.

    ``written`` are the objects after the change. ``may_make`` says if an operator may make a missing object
    of a name. A machine that does not start yet, as it is new or the cluster refuses it, is left to the
    rules about what it names.
    """
    if not removed:
        return [*changes]
    written, objects = tuple(written), FoundByName(removed)
    there = {ObjectName.of(one) for each in written for one in (each.current_id, *made_networks(each))}
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
            for name in names_of(machine, need)
            for object_ in objects.named(name, is_indexed=need.is_indexed)
            if not may_make((object_.made or object_.change.before or object_.change.id).name)
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


def may_make_others(resource: Resource) -> bool:
    """Return True for a custom resource for which an operator may make other objects."""
    is_maker = "." in resource.gvk.group and not resource.gvk.group.endswith(_NO_MAKERS)
    return is_maker and not makes_networks(resource)


def _field_of(need: Need, object_: ChangedObject) -> FieldChange:
    """Return the field that names a removed object: its content goes, not the name."""
    change, overlay, is_under_way, made = object_
    id_ = change.before or change.id
    missing = f"{id_.gvk.kind} {id_.name}{f' in {overlay}' if overlay else ''}"
    event = f"{missing} {change.deletion or 'is removed'}"
    if is_under_way:
        event = f"the cluster is deleting {missing}"
    if made:
        what = "is removed" if change.type is ChangeType.REMOVED else "changes"
        event = f"{missing} {what}, and its operator no longer makes {made.gvk.kind} {made.name}"
    return FieldChange(
        need.field,
        NoValue.WITHHELD,
        NoValue.ABSENT,
        impact=need.impact(event),
        cause=cause_in(change),
        read=id_,
    )
