"""Objects that change in place, and the virtual machines that read them: each machine says when.

An object with another name, as a generator with a hash gives it, changes the reference of the machine, which
is judged as any of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.reads import IMPORTER, READ_FIELDS, Read, read_by_importer, reads_of
from renderer.model.difference import ChangeType, Effect, FieldChange, Impact, NoValue, ResourceChange, worst
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

_HALTED = "the VM is halted: read when it is started"


class _Key(NamedTuple):
    """What a machine names an object by."""

    kind: str
    namespace: str
    name: str


def with_reads(
    changes: Sequence[ResourceChange],
    written: Iterable[Resource],
    release: Release,
    runs: Callable[[VirtualMachineView], bool],
) -> list[ResourceChange]:
    """Return the changes, with those of machines that read a changed object: when they read it.

    ``written`` are the objects after the change. The field of the machine that names the object is said to
    change from one withheld value to another.
    """
    changed = {
        _Key(change.id.gvk.kind, change.id.namespace, change.id.name): change
        for change in changes
        if change.type is ChangeType.CHANGED and _is_read(change)
    }
    if not changed:
        return [*changes]
    found = {change.id: change for change in changes}
    for resource in written:
        for kind, name in read_by_importer(resource.content):
            change = changed.get(_Key(kind, resource.namespace, name))
            if change is not None:
                found[change.id] = _with_importer(found[change.id], resource)
        machine = VirtualMachineView.of(resource)
        if machine is None:
            continue
        fields = [
            field
            for read in reads_of(machine, release)
            for change in _changes_read(machine, read, changed)
            for field in _fields_of(read, change, is_running=runs(machine))
        ]
        own = found.get(resource.current_id)
        if fields and (own is None or own.type is ChangeType.CHANGED):
            found[resource.current_id] = _with_fields(own, resource.current_id, fields)
    return [*found.values()]


def _changes_read(
    machine: VirtualMachineView, read: Read, changed: Mapping[_Key, ResourceChange]
) -> Iterator[ResourceChange]:
    """Yield the changed objects that a field names: one, or one for each machine of a pool."""
    namespace, _, name = read.name.rpartition("/")
    key = _Key(read.rule.kind, namespace or machine.namespace, name)
    if not read.is_indexed:
        yield from filter(None, [changed.get(key)])
        return
    for each, change in changed.items():
        indexed = split_index(each.name)
        if indexed is not None and each._replace(name=indexed[0]) == key:
            yield change


def _with_importer(change: ResourceChange, resource: Resource) -> ResourceChange:
    if change.impact is not None:
        return change
    when = "at its next import" if resource.kind == "DataImportCron" else "while a disk is filled, not later"
    reason = f"the importer of {resource.current_id} reads it {when}"
    return change._replace(impact=Impact(Effect.NONE, reason, IMPORTER), effects=(Effect.NONE,))


def _is_read(change: ResourceChange) -> bool:
    refused = change.impact is not None and change.impact.effect is Effect.REFUSED
    return not refused and any(_changed_keys(change))


def _changed_keys(change: ResourceChange) -> set[str]:
    """Return the changed keys that machines may read, each after a dot; a dot alone for a whole field."""
    read = READ_FIELDS.get(change.id.gvk.kind, ())
    segments = (each.field.segments for each in change.fields if not each.kept)
    return {f".{path[1]}" if len(path) > 1 else "." for path in segments if path and path[0] in read}


def _fields_of(read: Read, change: ResourceChange, *, is_running: bool) -> Iterator[FieldChange]:
    id_ = change.id
    keys = _changed_keys(change)
    if read.rule.keys and "." not in keys and keys.isdisjoint(f".{key}" for key in read.rule.keys):
        return
    effect, reason, source = read.rule.impact
    if not is_running:
        effect, reason = Effect.NEXT_START, _HALTED
    impact = Impact(effect, f"{id_.gvk.kind} {id_.name} changes: {reason}", source)
    yield FieldChange(read.field, NoValue.WITHHELD, NoValue.WITHHELD, impact=impact)


def _with_fields(own: ResourceChange | None, id_: ResId, fields: Sequence[FieldChange]) -> ResourceChange:
    change = own or ResourceChange(ChangeType.CHANGED, id_, id_)
    impacts = [each.impact for each in fields if each.impact]
    if change.impact is not None and change.impact.effect is Effect.REFUSED:
        return change  # the machine stays as it is, but reads the object all the same when it starts
    impact = worst([*filter(None, [change.impact]), *impacts])
    effects = {*change.effects, *(each.effect for each in impacts)}
    return change._replace(
        fields=(*change.fields, *fields),
        impact=impact,
        effects=tuple(sorted(effects, key=lambda effect: -effect.severity)),
    )
