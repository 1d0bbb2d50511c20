"""Data that a guest applies at its first boot only: a restart shows them to it, and changes nothing there.

cloud-init knows by its instance id whether it has set up a guest. KubeVirt makes the id of the firmware UUID
or of the name, whatever the data are, inline or in a Secret (``pkg/cloud-init/cloud-init.go``
cloudInitUUIDFromVMI, readCloudInitConfigDriveMetaData). The guest keeps the id on its boot disk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_FIELDS, CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView, element_segment
from renderer.kubevirt.impact.guest_view import CLOUD_INIT_INSTANCE
from renderer.kubevirt.impact.reads import CLOUD_INIT_ONCE, reads_of
from renderer.kubevirt.impact.storage_objects import root_of
from renderer.model.difference import DataChange, DataEffect, Effect, FieldChange, GuestChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject
from renderer.model.release import LATEST

_ALWAYS_FIRST = "each start is a first boot, as its boot disk is made anew"
#: The kinds whose machines keep their disks and their firmware UUID when they are restarted.
_RESTARTED = (VM, VM_POOL)
#: The effects of a field that waits for the next start.
_AT_START = (Effect.RESTART, Effect.PENDING, Effect.NEXT_START)


def after_first_boot(
    once: str, instance: JsonObject, data: Collection[DataChange], guest: Collection[GuestChange]
) -> str:
    """Return what becomes of data that a guest applies ``once``; empty if its next boot is another first one.

    ``data`` and ``guest`` are what the same change does to its disks, and what the guest sees of it.
    """
    is_another = any(each.effect is DataEffect.OTHER_ROOT for each in data) or any(
        each.fact == CLOUD_INIT_INSTANCE for each in guest
    )
    if not once or is_another:
        return ""
    root = root_of(instance)
    return _ALWAYS_FIRST if root and root[1].is_made_anew else once


def with_first_boot(
    changes: Sequence[FieldChange],
    machines: Collection[VirtualMachineView],
    instance: JsonObject,
    data: Collection[DataChange],
    guest: Collection[GuestChange],
) -> tuple[FieldChange, ...]:
    """Return the changed fields of a machine; the reasons say what its guest does not apply again.

    ``machines`` are both sides, as they are written. ``instance`` is the spec of the next instance.
    """
    kinds = {each.kind for each in machines}
    waiting = any(each.impact and each.impact.effect in _AT_START for each in changes)
    once = {} if not waiting or kinds.isdisjoint(_RESTARTED) else _applied_once(machines)
    return tuple(_with_reason(each, once, instance, data, guest) if once else each for each in changes)


def _with_reason(
    change: FieldChange,
    once: Mapping[FieldPath, str],
    instance: JsonObject,
    data: Collection[DataChange],
    guest: Collection[GuestChange],
) -> FieldChange:
    impact = change.impact
    if impact is None or impact.effect not in _AT_START:
        return change
    found = next((text for field, text in once.items() if field.overlaps(change.field)), "")
    text = after_first_boot(found, instance, data, guest)
    return change._replace(impact=impact._replace(reason=f"{impact.reason}; {text}")) if text else change


def _applied_once(machines: Collection[VirtualMachineView]) -> Mapping[FieldPath, str]:
    """Return the fields that hold or name data which a guest applies once, and what it does not apply."""
    return dict(item for machine in machines for item in _once_of(machine))


def _once_of(machine: VirtualMachineView) -> Iterator[tuple[FieldPath, str]]:
    for index, volume in machine.volumes:
        at = element_segment(volume, index)
        for source in CLOUD_INIT_VOLUMES:
            for fields in CLOUD_INIT_FIELDS if volume.get(source) is not None else ():
                for key in (fields.plain, fields.base64):
                    yield machine.in_instance("volumes", at, source, key), CLOUD_INIT_ONCE[fields]
    for read in reads_of(machine, LATEST):  # the release decides about the indexes of names only
        if read.rule.once:
            yield read.field, read.rule.once
