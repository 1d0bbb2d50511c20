"""Objects that order a controller to do something with a machine once: a restore, a live migration.

The controller acts as soon as such an object is created. A change of one that exists does nothing, since its
spec cannot be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from renderer.kubevirt.facts.kinds import VM, VM_RESTORE, VM_SNAPSHOT, VMI_MIGRATION
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.restores import IN_PLACE, SINCE_POLICIES
from renderer.kubevirt.impact.storage_objects import data_volume_templates, targets_of
from renderer.model.difference import DataChange, DataEffect, Effect, Impact
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release

CLONE, TRANSFER = "VirtualMachineClone", "ObjectTransfer"
_RESTORE_SOURCE = "pkg/storage/snapshot/restore.go"
_REPLACE_SOURCE = f"{_RESTORE_SOURCE} reconcileVolumeRestores"
_MIGRATION_SOURCE = "pkg/virt-controller/watch/migration/migration.go sync"
_TRANSFER_SOURCE = "containerized-data-importer pkg/controller/transfer/pvc.go ReconcilePending"
_CLONE_SOURCE = "pkg/virt-controller/watch/clone/clone.go createRestoreFromVm"
#: When a restore begins, by ``targetReadinessPolicy``, if its target runs (handleVMRestoreTargetNotReady).
_WAITS = {
    "StopTarget": "",
    "WaitEventually": "once the VM is stopped",
    "FailImmediate": "if the VM does not run when the restore begins",
}
_WAITS_A_WHILE = "if somebody stops the VM within five minutes"


class Order(Record):
    """What an object orders a controller to do.

    It is about the machine ``machine``, or about the machines with the claim ``claim``, in ``namespace``.
    ``data_of`` returns what happens to the disks of such a machine. ``needs_instance``: nothing happens to a
    machine that does not run.
    """

    namespace: str
    impact: Impact
    machine: str = ""
    claim: str = ""
    data_of: Callable[[VirtualMachineView], tuple[DataChange, ...]] = lambda _: ()
    needs_instance: bool = False


def order_of(resource: Resource, release: Release) -> Order | None:
    """Return what an object orders once it is created; None if it orders nothing."""
    read = ORDERS.get(resource.kind)
    return read(resource, release) if read else None


def _restore(resource: Resource, release: Release) -> Order | None:
    spec = object_at(resource.content, "spec")
    if text_at(spec, "target", "kind") != VM:
        return None
    snapshot = text_at(spec, "virtualMachineSnapshotName")
    is_in_place = text_at(spec, "volumeRestorePolicy") == IN_PLACE and release >= SINCE_POLICIES
    policy = text_at(spec, "targetReadinessPolicy")
    waits = _WAITS.get(policy, _WAITS_A_WHILE)
    return _of_restore(resource, text_at(spec, "target", "name"), snapshot, waits, is_in_place=is_in_place)


def _clone(resource: Resource, _release: Release) -> Order | None:
    """Return the restore of a snapshot into a machine that exists; no other clone may have such a target."""
    source, target = (object_at(resource.content, "spec", each) for each in ("source", "target"))
    if text_at(source, "kind") != VM_SNAPSHOT:
        return None
    snapshot = text_at(source, "name")
    order = _of_restore(resource, text_at(target, "name"), snapshot, _WAITS_A_WHILE, is_in_place=False)
    return order and order._replace(impact=order.impact._replace(source=_CLONE_SOURCE))


def _of_restore(
    resource: Resource, target: str, snapshot: str, waits: str, *, is_in_place: bool
) -> Order | None:
    if not target:
        return None
    name = f"{resource.kind} {resource.name}"
    state = f"that of VirtualMachineSnapshot {snapshot}"
    when = f", {waits}" if waits else ""

    def data_of(machine: VirtualMachineView) -> tuple[DataChange, ...]:
        owned = data_volume_templates(machine.spec)
        return tuple(
            DataChange(
                DataEffect.LOST if is_lost else DataEffect.OTHER_DISK,
                volume,
                f"{name} replaces its state with {state}{when}: what was written since is {fate}",
                claim.name,
                source=_REPLACE_SOURCE,
            )
            for volume, claim in targets_of(machine.instance).items()
            if claim.is_claim
            for is_lost in (is_in_place or claim.name in owned,)
            for fate in ("lost" if is_lost else "on the old claim alone",)
        )

    reason = f"{name} restores the disks of VirtualMachine {target}, {waits}"
    if not waits:
        reason = f"{name} stops VirtualMachine {target} and restores its disks (StopTarget)"
    source = f"{_RESTORE_SOURCE} handleVMRestoreTargetNotReady"
    impact = Impact(Effect.NONE if waits else Effect.STOP, reason, source)
    return Order(resource.namespace, impact, target, data_of=data_of)


def _migration(resource: Resource, _release: Release) -> Order | None:
    """Return the live migration of a machine; not the part of one that receives it from another cluster."""
    spec = object_at(resource.content, "spec")
    name, machine = f"{resource.kind} {resource.name}", text_at(spec, "vmiName")
    if "receive" in spec or not machine:
        return None
    impact = Impact(Effect.MIGRATION, f"{name} live-migrates {machine} at once", _MIGRATION_SOURCE)
    if "sendTo" in spec:
        reason = f"{name} live-migrates {machine} to another cluster (sendTo), and it stops here"
        impact = Impact(Effect.STOP, reason, _MIGRATION_SOURCE)
    return Order(resource.namespace, impact, machine, needs_instance=True)


def _transfer(resource: Resource, _release: Release) -> Order | None:
    source, target = (object_at(resource.content, "spec", each) for each in ("source", "target"))
    namespace, claim = text_at(source, "namespace"), text_at(source, "name")
    new = namespaced_name(text_at(target, "namespace") or namespace, text_at(target, "name") or claim)
    if not claim or new == namespaced_name(namespace, claim):
        return None
    text = f"{resource.kind} {resource.name} moves it to {new} once no pod uses it"
    reason = f"{resource.kind} {resource.name} moves claim {claim} to {new} once no pod uses it"
    impact = Impact(Effect.NO_START, f"{reason}; the next start does not find it", _TRANSFER_SOURCE)

    def data_of(machine: VirtualMachineView) -> tuple[DataChange, ...]:
        return tuple(
            DataChange(DataEffect.DETACHED, volume, text, claim, source=_TRANSFER_SOURCE)
            for volume, disk in targets_of(machine.instance).items()
            if disk.is_claim and disk.name == claim
        )

    return Order(namespace, impact, claim=claim, data_of=data_of)


#: What reads an order, by its kind.
ORDERS: Mapping[str, Callable[[Resource, Release], Order | None]] = {
    VM_RESTORE: _restore,
    CLONE: _clone,
    VMI_MIGRATION: _migration,
    TRANSFER: _transfer,
}
