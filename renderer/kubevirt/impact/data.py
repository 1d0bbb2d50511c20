"""What a change does to the disks of a virtual machine: other disks, new ones, and those that are lost.

virt-controller makes the DataVolumes of ``dataVolumeTemplates`` that do not exist yet, and makes the
VirtualMachine their owner (``pkg/virt-controller/watch/vm/vm.go`` handleDataVolumes, ``…/watch/util``
CreateDataVolumeManifest). It never changes nor deletes them; Kubernetes deletes them with their owner. Claims
and DataVolumes that a volume only names are nobody's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from renderer.kubevirt.facts.lists import is_equal
from renderer.kubevirt.facts.virtual_machine import MANUAL, ONCE, RERUN_ON_FAILURE
from renderer.kubevirt.impact import lost_objects
from renderer.kubevirt.impact.restores import RESTORE_SOURCE, is_restored
from renderer.kubevirt.impact.storage_objects import (
    StorageObjects,
    Target,
    claim_spec,
    data_volume_templates,
    indexes,
    named,
    root_of,
    size_of,
    source_of,
    targets_of,
)
from renderer.kubevirt.impact.sync import VM_GO
from renderer.model.difference import DataChange, DataEffect, Effect
from renderer.model.kube.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource

_HANDLE = f"{VM_GO} handleDataVolumes"
_BACKEND_STORAGE = "pkg/storage/backend-storage/backend-storage.go createPVC"
_BOOT = "pkg/virt-launcher/virtwrap/converter/storage/disk.go"
_COPY = f"{VM_GO} handleVolumeUpdateRequest"
_ATTACH = "kubernetes pkg/controller/volume/attachdetach/reconciler/reconciler.go attachDesiredVolumes"
#: Where KubeVirt does what befalls a disk.
SOURCES: Mapping[DataEffect, tuple[str, ...]] = {
    DataEffect.UNTOUCHED: (_HANDLE,),
    DataEffect.KEPT: (_HANDLE, _BOOT, *lost_objects.SOURCES),
    DataEffect.NEW_DISK: (_HANDLE,),
    DataEffect.COPIED: (_COPY,),
    DataEffect.DETACHED: (_BOOT,),
    DataEffect.OTHER_DISK: (_BOOT,),
    DataEffect.OTHER_ROOT: (_BOOT,),
    DataEffect.UNDONE_RESTORE: (RESTORE_SOURCE,),
    DataEffect.SHARED: (_ATTACH,),
    DataEffect.LOST: (_HANDLE, _BACKEND_STORAGE, *lost_objects.SOURCES),
}
_IMMEDIATE = "kubevirt.io/immediate-data-volume-creation"
#: The run strategies with which a machine stays off once its guest has shut down.
_ENDING = (RERUN_ON_FAILURE, ONCE)


class Disks(NamedTuple):
    """A machine on one side: its spec, the spec of the instance that it starts, and what holds the data."""

    namespace: str
    vm_spec: JsonObject
    instance: JsonObject
    objects: StorageObjects
    annotations: JsonObject = EMPTY

    @property
    def targets(self) -> Mapping[str, Target]:
        return targets_of(self.instance)

    @property
    def templates(self) -> Mapping[str, JsonObject]:
        return data_volume_templates(self.vm_spec)

    @property
    def boots_from_new_disk(self) -> bool:
        """True if a machine that is made anew boots from a disk that is made with it."""
        root = root_of(self.instance)
        if root is None:
            return False
        _, target = root
        return target.is_made_anew or (target.is_claim and target.name in self.templates)

    def described(self, target: Target) -> str:
        """Return a target in words, with its size if the repository knows it."""
        if not target.is_claim:
            return f"{target.kind} {target.name}"
        template = self.templates.get(target.name)
        found = self.objects.disk(self.namespace, target.name)
        disk = template or (found.content if found else EMPTY)
        return named(target.kind, target.name, disk)


def data_changes(
    before: Disks,
    after: Disks,
    running: JsonObject,
    effects: Collection[Effect] = (),
    run_strategy: str = "",
) -> tuple[DataChange, ...]:
    """Return what a change of a machine in place does to its disks, the worst first.

    ``running`` is the spec of the instance after the reaction of virt-controller, empty without one.
    ``run_strategy`` is what decides whether there is an instance; empty if that is known.
    """
    live = targets_of(running) if running else None
    found = [
        *_Volumes(before, after, live, frozenset(effects), run_strategy).changes(),
        *_former_templates(before, after),
        *_new_disks(after, before.templates),
    ]
    return worst_first(found)


def worst_first(changes: Iterable[DataChange]) -> tuple[DataChange, ...]:
    """Return the changes with the worst effect first, else in their order."""
    effects = list(DataEffect)
    return tuple(sorted(changes, key=lambda each: (not each.is_harm, -effects.index(each.effect))))


class _Volumes(NamedTuple):
    """The volumes of a machine before and after a change.

    ``live`` is what those of the running instance point to after it, None without one. ``effects`` are those
    of the change, and ``run_strategy`` decides whether the machine runs, empty if that is known.
    """

    before: Disks
    after: Disks
    live: Mapping[str, Target] | None
    effects: frozenset[Effect]
    run_strategy: str

    def changes(self) -> Iterator[DataChange]:
        """Yield the volumes that point elsewhere, and those that are gone.

        A disk that another volume points to is the same disk.
        """
        old, new = self.before.targets, self.after.targets
        before, after = ({each.disk for each in side.values()} for side in (old, new))
        roots = root_of(self.before.instance), root_of(self.after.instance)
        replaced: set[str] = set()
        if roots[0] and roots[1] and roots[0][1].disk != roots[1][1].disk:
            name, target = roots[1]
            replaced = {name, roots[0][0]}
            yield self._replaced(DataEffect.OTHER_ROOT, name, roots[0][1], target)
        for name, target in old.items():
            present = new.get(name)
            if name in replaced or target.disk in after:
                continue
            if present is None or present.disk in before:
                yield self._detached(name, target)
            else:
                yield self._replaced(DataEffect.OTHER_DISK, name, target, present)

    def _when(self, *, is_live: bool) -> str:
        if is_live:
            return "at once if it runs, else at the next start" if self.run_strategy == MANUAL else "at once"
        return "as the change starts it" if Effect.START in self.effects else "at the next start"

    def _detached(self, name: str, target: Target) -> DataChange:
        is_live = self.live is not None and name not in self.live
        is_gone = target.is_claim and self.after.objects.has_lost(
            self.before.objects, self.before.namespace, target.name
        )
        fate = "it leaves Git, too" if is_gone else "nothing deletes it"
        text = f"{self._when(is_live=is_live)}; {fate}"
        return DataChange(DataEffect.DETACHED, name, text, self.before.described(target), "", _BOOT)

    def _replaced(self, effect: DataEffect, name: str, old: Target, new: Target) -> DataChange:
        sides = self.before.described(old), self.after.described(new)
        live = self.live.get(name) if self.live else None
        is_live = live is not None and live.disk == new.disk
        if is_live and Effect.MIGRATION in self.effects:
            text = "a live migration copies the data, and the old disk stays"
            if self.run_strategy == MANUAL:
                uncopied = (
                    "at the next start if it does not run now (runStrategy: Manual): nothing copies the data"
                )
                return DataChange(effect, name, f"{uncopied}; if it runs, {text}", *sides, _COPY)
            if self.run_strategy in _ENDING:
                text += "; if its guest has shut down, nothing copies it"
            return DataChange(DataEffect.COPIED, name, text, *sides, _COPY)
        text = self._when(is_live=is_live and effect is DataEffect.OTHER_DISK)
        source = _BOOT
        if is_restored(old, self.before.namespace, self.before.objects):
            effect, source = DataEffect.UNDONE_RESTORE, RESTORE_SOURCE
            text += "; to keep what was restored, write its name into Git"
        template = self.after.templates.get(new.name) if new.is_claim else None
        if template is not None and new.name not in self.before.templates:
            text += f"; a new one, {source_of(template) or 'without a source'}"
        return DataChange(effect, name, text, *sides, source, new.is_other_version_of(old))


def _former_templates(before: Disks, after: Disks) -> Iterator[DataChange]:
    new = after.templates
    for name, template in before.templates.items():
        if name not in new:
            text = "no longer in dataVolumeTemplates: the VM goes on owning it, and it is deleted with the VM"
            yield DataChange(DataEffect.KEPT, name, text, named("DataVolume", name, template), "", _HANDLE)
        elif not is_equal(template, new[name]):
            text = (
                "nothing happens to the disk that exists: only a newly made one follows dataVolumeTemplates"
            )
            if changed := [*_changed_parts(template, new[name])]:
                text = f"another {' and '.join(changed)}; {text}"
            if size_of(template) != size_of(new[name]):
                text += "; to grow the disk, edit its claim in the cluster"
            sides = named("DataVolume", name, template), named("DataVolume", name, new[name])
            yield DataChange(DataEffect.UNTOUCHED, name, text, *sides, _HANDLE)


def _changed_parts(old: JsonObject, new: JsonObject) -> Iterator[str]:
    """Yield what differs between two templates of a disk besides its size, in words."""
    before, after = (object_at(each, "spec") for each in (old, new))
    if not all(is_equal(before.get(key), after.get(key)) for key in ("source", "sourceRef")):
        yield "source"
    before, after = claim_spec(old), claim_spec(new)
    for key, word in (("storageClassName", "storage class"), ("volumeMode", "volume mode")):
        if before.get(key) != after.get(key):
            yield word


def _new_disks(machine: Disks, present: Collection[str]) -> Iterator[DataChange]:
    """Yield the DataVolumes that virt-controller makes, except for those that are ``present``."""
    when = "at the next start" if machine.annotations.get(_IMMEDIATE) == "false" else "at once"
    for name, template in machine.templates.items():
        if name not in present:
            source = source_of(template)
            text = f"made {when}{f', {source}' if source else ''}, if the cluster has none of that name"
            yield DataChange(
                DataEffect.NEW_DISK, name, text, "", named("DataVolume", name, template), _HANDLE
            )


def has_state_of_its_own(instance: JsonObject) -> str:
    """Return what KubeVirt keeps of a machine in a claim of its own; empty if nothing.

    ``IsBackendStorageNeeded``: the state of a persistent TPM, and UEFI variables.
    """
    domain = object_at(instance, "domain")
    tpm = object_at(domain, "devices", "tpm")
    efi = object_at(domain, "firmware", "bootloader", "efi")
    parts = [
        *(["TPM state"] if tpm.get("persistent") is True and tpm.get("enabled") is not False else []),
        *(["UEFI variables"] if efi.get("persistent") is True else []),
    ]
    return " and ".join(parts)


def scale_in(machine: Disks, pool: Resource, before: int, after: int) -> tuple[DataChange, ...]:
    """Return what happens to the disks of the machines that a pool with fewer replicas deletes.

    Which machines go, is known only if the pool sorts them by their index, or if all of them go.
    """
    strategy = object_at(pool.content, "spec", "scaleInStrategy")
    kept = {text_at(object_at(each), "statePreservation") for each in strategy.values()}
    order = text_at(strategy, "proactive", "selectionPolicy", "sortPolicy")
    if order == "AscendingOrder" or not after:
        lost = deletion(machine, pool.name, indexes(0, before - after))
    elif order == "DescendingOrder":
        lost = deletion(machine, pool.name, indexes(after, before))
    else:
        chosen = f"; {before - after} of {before}, which the pool chooses"
        lost = tuple(
            each._replace(text=f"{each.text}{chosen}")
            for each in deletion(machine, pool.name, (f"-0 to -{before - 1}",))
        )
    if kept - {"", "Disabled"}:
        text = f"the pool leaves it (statePreservation: {', '.join(sorted(kept - {''}))})"
        return tuple(
            each._replace(effect=DataEffect.KEPT, text=text) if each.effect is DataEffect.LOST else each
            for each in lost
        )
    return lost


def deletion(
    machine: Disks, name: str, suffixes: Iterable[str] = ("",), after: StorageObjects | None = None
) -> tuple[DataChange, ...]:
    """Return what the deletion of a machine does to its disks; of a pool, of each by its suffix.

    A claim that is not among the objects ``after`` either is left to its own deletion.
    """
    found = (each for suffix in suffixes for each in _deletion(machine, name, suffix, after))
    return worst_first(dict.fromkeys(found))


def _deletion(
    machine: Disks, vm: str, suffix: str = "", after: StorageObjects | None = None
) -> Iterator[DataChange]:
    owned = machine.templates
    for name, template in owned.items():
        text = "deleted with the VM, which owns it"
        keeper = machine.objects.kept_volume(machine.namespace, f"{name}{suffix}", template)
        if keeper:
            text += f"; its PersistentVolume stays ({keeper})"
        label = named("DataVolume", f"{name}{suffix}", template)
        yield DataChange(DataEffect.LOST, name, text, label, "", _HANDLE)
    state = has_state_of_its_own(machine.instance)
    if state:
        text = "deleted with the VM, which owns the claim with it"
        yield DataChange(DataEffect.LOST, vm, text, f"{state} of {vm}{suffix}", "", _BACKEND_STORAGE)
    for name, target in machine.targets.items():
        if target.is_claim and target.name not in owned:
            if after is not None and after.has_lost(machine.objects, machine.namespace, target.name):
                continue
            text = "the VM does not own it"
            yield DataChange(DataEffect.KEPT, name, text, machine.described(target), "", _HANDLE)
        elif target.kind == "file on the node":
            text = "nothing deletes files on nodes"
            yield DataChange(DataEffect.KEPT, name, text, machine.described(target), "", _BOOT)


def renaming(before: Disks, after: Disks, old_name: str) -> tuple[DataChange, ...]:
    """Return what happens to disks if a machine goes, and another one comes in its place.

    Kubernetes deletes what the old machine owns, also a DataVolume that the new one names.
    """
    is_same_place = before.namespace == after.namespace
    in_use = {target.name for target in after.targets.values() if target.is_claim} | set(after.templates)
    owned = in_use & set(before.templates)
    text = "the old VM owns it: deleted with it, although the new VM names it"
    lost = (
        each._replace(text=text) if is_same_place and each.disk in owned else each
        for each in _deletion(before, old_name)
    )
    return worst_first((*lost, *_new_disks(after, before.templates if is_same_place else ())))
