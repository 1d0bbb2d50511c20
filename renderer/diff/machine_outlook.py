"""What a change means for the data of a virtual machine, and for the guest in it.

Both are facets beside the effect: a change that needs no restart may still make the guest find another disk.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.data import Disks, data_changes, deletion, renaming, scale_in
from renderer.kubevirt.impact.first_boot import with_first_boot
from renderer.kubevirt.impact.guest_machine import GuestCluster, GuestMachine
from renderer.kubevirt.impact.guest_view import guest_changes
from renderer.kubevirt.impact.judge import Judgement
from renderer.kubevirt.impact.state import VmChange
from renderer.kubevirt.impact.storage_objects import StorageObjects, indexes
from renderer.model.difference import DataChange, DataEffect, Effect, GuestChange
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.kube.resource import Resource

_API_VERSION = "kubevirt.io/v1"


def as_virtual_machine(resource: Resource) -> Resource:
    """Return the VirtualMachine of a pool; of another kind, one that starts the same instance."""
    view = VirtualMachineView.of(resource)
    if view is None or resource.kind == VM:
        return resource
    template: dict[str, Json] = {"spec": view.instance}
    metadata = object_at(resource.content, *view.paths.template.keys, "metadata")
    if metadata and view.paths.template.segments:
        template["metadata"] = metadata
    spec: JsonObject = {**view.spec, "template": template}
    identity: JsonObject = object_at(resource.content, "metadata")
    return resource.with_content({"apiVersion": _API_VERSION, "kind": VM, "metadata": identity, "spec": spec})


class Outlook:
    """What holds the data on both sides of an overlay, and the clusters that start its machines."""

    def __init__(
        self,
        storage: tuple[StorageObjects, StorageObjects],
        clusters: tuple[GuestCluster, GuestCluster],
    ) -> None:
        self.storage = storage
        self._clusters = clusters

    def of_update(self, change: VmChange, old: Resource, new: Resource, judgement: Judgement) -> Judgement:
        """Return the judgement of a machine that is changed in place, with data and guest."""
        if judgement.impact is not None and judgement.impact.effect is Effect.REFUSED:
            return judgement
        before, after = self._disks(change, old, new)
        running = object_at(judgement.running, "spec")
        deciding = change.before.run_strategy if change.runs is None else ""
        data = data_changes(before, after, running, judgement.effects, deciding)
        if old.kind == VM_POOL:
            data = self._of_pool(before, old, new, judgement) or data
        guest = self._guest(change, old, new, judgement.running)
        views = [view for each in (old, new) if (view := VirtualMachineView.of(each))]
        changes = with_first_boot(judgement.changes, views, after.instance, data, guest)
        return judgement._replace(changes=changes, data=data, guest=guest)

    def of_restart(self, change: VmChange, old: Resource, new: Resource) -> tuple[GuestChange, ...]:
        """Return what the guest sees of a machine that the other cluster starts."""
        return self._guest(change, old, new)

    def of_another(
        self, change: VmChange, old: Resource, new: Resource, *, is_kept: bool
    ) -> tuple[tuple[DataChange, ...], tuple[GuestChange, ...]]:
        """Return data and guest of a machine that another one replaces; ``is_kept``: the old one stays."""
        before, after = self._disks(change, old, new)
        data = renaming(before, after, old.name)
        if is_kept:
            data = tuple(each for each in data if each.effect is DataEffect.NEW_DISK)
        # A system on a new disk has seen no other machine.
        return data, () if after.boots_from_new_disk else self._guest(change, old, new)

    def _of_pool(
        self, before: Disks, old: Resource, new: Resource, judgement: Judgement
    ) -> tuple[DataChange, ...]:
        """Return the disks of the machines that a pool deletes; empty if it deletes none."""
        views = VirtualMachineView.of(old), VirtualMachineView.of(new)
        replicas = [view.replicas for view in views if view]
        if judgement.impact is not None and judgement.impact.effect is Effect.REPLACED:
            return deletion(before, old.name, indexes(0, replicas[0]))
        if replicas[1] >= replicas[0]:
            return ()
        return scale_in(before, new, *replicas)

    def of_deletion(self, resource: Resource, applied: Resource) -> tuple[DataChange, ...]:
        """Return what happens to the disks of a machine that is deleted."""
        view = VirtualMachineView.of(applied)
        if view is None:
            return ()
        metadata = object_at(view.machine, "metadata", "annotations")
        machine = Disks(resource.namespace, view.spec, view.instance, self.storage[0], metadata)
        suffixes = indexes(0, view.replicas) if view.kind == VM_POOL else ("",)
        return deletion(machine, resource.name, suffixes, self.storage[1])

    def _disks(self, change: VmChange, old: Resource, new: Resource) -> tuple[Disks, Disks]:
        before, after = (
            Disks(
                each.namespace,
                state.spec,
                object_at(state.instance, "spec"),
                storage,
                object_at(state.content, "metadata", "annotations"),
            )
            for each, state, storage in zip(
                (old, new), (change.before, change.after), self.storage, strict=True
            )
        )
        return before, after

    def _guest(
        self, change: VmChange, old: Resource, new: Resource, running: JsonObject = EMPTY
    ) -> tuple[GuestChange, ...]:
        before, after = (
            GuestMachine.of(each.name, each.namespace, instance, cluster)
            for each, instance, cluster in zip(
                (old, new),
                (change.started or change.before.instance, change.after.instance),
                self._clusters,
                strict=True,
            )
        )
        live = GuestMachine.of(new.name, new.namespace, running, self._clusters[0]) if running else None
        return guest_changes(before, after, live)
