"""Objects that change in place, and the virtual machines that read them: each machine says when.

An object with another name, as a generator with a hash gives it, changes the reference of the machine, which
is judged as any of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Self, TypeAlias

from renderer.kubevirt.facts.made_secrets import says_when
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.first_boot import after_first_boot
from renderer.kubevirt.impact.reads import IMPORTER, READ_FIELDS, Read, read_by_importer, reads_of
from renderer.model.difference import (
    Cause,
    ChangeType,
    Effect,
    FieldChange,
    Impact,
    NoValue,
    ResourceChange,
)
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.run.work import spend

#: Steps for an object that a machine of a pool names: what is said of it costs as much as a changed field.
_STEPS_PER_OBJECT = 40
#: The fields of an object that say nothing of a Secret that is made of it.
_ABOUT_OBJECT = ("apiVersion", "metadata", "status")
_HALTED = Impact(Effect.NEXT_START, "the VM is halted: read when it is started")


class ObjectName(NamedTuple):
    """What a machine names an object by."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, resource: ResId) -> Self:
        """Return the name of an object."""
        return cls(resource.gvk.kind, resource.namespace, resource.name)


class ChangedObject(NamedTuple):
    """The change of an object that machines may read; ``overlay`` has it, empty for that of the machines.

    ``is_under_way``: the cluster makes the change already, whatever a sync does. ``made`` is what
    an operator makes of the changed object; None if the machines read the object itself.
    """

    change: ResourceChange
    overlay: str = ""
    is_under_way: bool = False
    made: ResId | None = None


ChangedObjects: TypeAlias = Mapping[ObjectName, ChangedObject]


class FoundByName:
    """Objects that change or go, as machines find them: by name, or in a pool by the name before an index."""

    def __init__(self, objects: ChangedObjects) -> None:
        self._objects = objects

    @cached_property
    def _indexed(self) -> Mapping[ObjectName, Sequence[ChangedObject]]:
        found: dict[ObjectName, list[ChangedObject]] = {}
        for name, object_ in self._objects.items():
            if base := without_index(name):
                found.setdefault(base, []).append(object_)
        return found

    def named(self, name: ObjectName, *, is_indexed: bool) -> Sequence[ChangedObject]:
        """Return the objects that a field names: one, or one for each machine of a pool."""
        if is_indexed:
            found = self._indexed.get(name, ())
            spend(_STEPS_PER_OBJECT * len(found), "looking for what machines of pools name")
            return found
        object_ = self._objects.get(name)
        return () if object_ is None else (object_,)


def without_index(name: ObjectName) -> ObjectName | None:
    """Return a name as a pool writes it, without the index of one of its machines; None without an index."""
    indexed = split_index(name.name)
    return None if indexed is None else name._replace(name=indexed[0])


#: Returns True if a machine runs.
Runs: TypeAlias = Callable[[VirtualMachineView], bool]


def should_run(machine: VirtualMachineView) -> bool:
    """Return True if the manifest of a machine says that it runs."""
    return not machine.is_halted


def changed_objects(changes: Iterable[ResourceChange], overlay: str = "") -> ChangedObjects:
    """Return the changes of objects that machines may read, by name."""
    found: dict[ObjectName, ChangedObject] = {}
    for change in changes:
        if change.type is ChangeType.CHANGED and not _is_refused(change):
            if any(_changed_keys(change)):
                found[ObjectName.of(change.id)] = ChangedObject(change, overlay)
            for made in change.made if _changes_secrets(change) else ():
                found.setdefault(ObjectName.of(made), ChangedObject(change, overlay, made=made))
    return found


def with_reads(
    changes: Sequence[ResourceChange], written: Iterable[Resource], release: Release, runs: Runs
) -> list[ResourceChange]:
    """Return the changes; a machine that reads a changed object has an impact that says when.

    ``written`` are the objects after the change.
    """
    changed = changed_objects(changes)
    if not changed:
        return [*changes]
    written = tuple(written)
    read = _with_importers(changes, written, changed)
    return with_readers(read, written, release, runs, changed)


def _with_importers(
    changes: Sequence[ResourceChange], written: Iterable[Resource], changed: ChangedObjects
) -> list[ResourceChange]:
    found = {change.id: change for change in changes}
    for resource in written:
        for kind, name in read_by_importer(resource.content):
            object_ = changed.get(ObjectName(kind, resource.namespace, name))
            if object_ is not None:
                found[object_.change.id] = with_importer(found[object_.change.id], resource)
    return [*found.values()]


def with_readers(
    changes: Sequence[ResourceChange],
    written: Iterable[Resource],
    release: Release,
    runs: Runs,
    changed: ChangedObjects,
) -> list[ResourceChange]:
    """Return the changes of an overlay, also of its machines that read one of the ``changed`` objects.

    In the change of such a machine, the field that names the object has two withheld values.
    """
    found = {change.id: change for change in changes}
    objects = FoundByName(changed)
    for resource in written:
        machine = VirtualMachineView.of(resource)
        if machine is None:
            continue
        own = found.get(resource.current_id)
        fields = [
            field
            for read in reads_of(machine, release)
            for object_ in objects.named(_name_of(machine, read), is_indexed=read.is_indexed)
            for field in _fields_of(read, object_, _impact(read, machine, own, is_running=runs(machine)))
        ]
        if fields and (own is None or own.type is ChangeType.CHANGED):
            found[resource.current_id] = with_fields(own, resource.current_id, fields)
    return [*found.values()]


def named_objects(machine: VirtualMachineView, release: Release) -> Iterator[ObjectName]:
    """Yield the names of the objects that a machine reads; of those with an index, the part before it."""
    for read in reads_of(machine, release):
        yield _name_of(machine, read)


def _name_of(machine: VirtualMachineView, read: Read) -> ObjectName:
    namespace, _, name = read.name.rpartition("/")
    return ObjectName(read.rule.kind, namespace or machine.namespace, name)


def with_importer(change: ResourceChange, resource: Resource) -> ResourceChange:
    """Return the change of an object that CDI reads while it fills a disk of ``resource``."""
    if change.impact is not None:
        return change
    when = "at its next import" if resource.kind == "DataImportCron" else "while a disk is filled, not later"
    reason = f"the importer of {resource.current_id} reads it {when}"
    return change.with_impact(Impact(Effect.NONE, reason, IMPORTER))


def _is_refused(change: ResourceChange) -> bool:
    """Return True for a refused change; that of an object that was refused before counts as admitted."""
    return change.impact is not None and change.impact.effect is Effect.REFUSED


def _changes_secrets(change: ResourceChange) -> bool:
    """Return True if the Secrets that an operator makes of an object may get another content."""
    segments = (each.field.segments for each in change.fields if not each.kept)
    return any(
        path and path[0] not in _ABOUT_OBJECT and not says_when(".".join(map(str, path[1:3])))
        for path in segments
    )


def _changed_keys(change: ResourceChange) -> set[str]:
    """Return the changed keys that machines may read, each after a dot; a dot alone for a whole field."""
    read = READ_FIELDS.get(change.id.gvk.kind, ())
    segments = (each.field.segments for each in change.fields if not (each.kept or each.impact))
    return {f".{path[1]}" if len(path) > 1 else "." for path in segments if path and path[0] in read}


def _impact(
    read: Read, machine: VirtualMachineView, own: ResourceChange | None, *, is_running: bool
) -> Impact:
    """Return the impact on a machine of a change of an object that it reads.

    ``own`` is the change of the machine itself, if it has one.
    """
    impact = read.rule.impact if is_running else _HALTED._replace(source=read.rule.impact.source)
    facets = ((), ()) if own is None else (own.data, own.guest)
    text = after_first_boot(read.rule.once, machine.instance, *facets)
    return impact._replace(reason=f"{impact.reason}; {text}") if text else impact


def _fields_of(read: Read, object_: ChangedObject, impact: Impact) -> Iterator[FieldChange]:
    change, id_ = object_.change, object_.change.id
    keys = {"."} if object_.made else _changed_keys(change)
    if read.rule.keys and "." not in keys and keys.isdisjoint(f".{key}" for key in read.rule.keys):
        return
    named = f"{id_.gvk.kind} {id_.name}{f' in {object_.overlay}' if object_.overlay else ''}"
    if object_.made:
        named = f"{named}, of which an operator makes {object_.made.gvk.kind} {object_.made.name},"
    impact = impact._replace(reason=f"{named} changes: {impact.reason}")
    withheld = NoValue.WITHHELD
    yield FieldChange(read.field, withheld, withheld, impact=impact, cause=cause_in(change), read=id_)


def cause_in(change: ResourceChange) -> Cause | None:
    """Return the first known place in the sources that changed an object."""
    return next(iter(change.causes), None)


def with_fields(own: ResourceChange | None, id_: ResId, fields: Sequence[FieldChange]) -> ResourceChange:
    """Return the change of a machine, with fields whose objects change."""
    change = own or ResourceChange(ChangeType.CHANGED, id_, id_)
    impacts = [each.impact for each in fields if each.impact]
    if _is_refused(change):
        return change  # the machine stays as it is, but reads the object all the same when it starts
    return change._replace(fields=(*change.fields, *fields)).worsened(impacts)
