"""Claims and DataVolumes of Git that a machine makes as well, by its ``dataVolumeTemplates``.

virt-controller takes what has the name of a template for the disk of its machine, and becomes its owner
(``pkg/virt-controller/watch/vm/vm.go`` ``handleDataVolumes``, ``pkg/controller/controller_ref_manager.go``
``ClaimMatchedDataVolumes``). An engine applies its object to what the machine has made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from renderer.diff.overlay_side import OverlaySide
from renderer.diff.update_judge import refused_update
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.immutable.claim_size import classes_by_name
from renderer.kubevirt.impact.immutable.row import ObjectUpdate
from renderer.kubevirt.impact.storage_objects import data_volume_templates
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

_SOURCE = "pkg/controller/controller_ref_manager.go ClaimMatchedDataVolumes"
#: The namespace and name of a disk.
_Disk: TypeAlias = tuple[str, str]
_Share: TypeAlias = Callable[[str, str], bool]
_Found = TypeVar("_Found")


class _Maker(NamedTuple):
    """A machine or pool, and its template of a disk."""

    machine: VirtualMachineView
    template: JsonObject


class _OneSide:
    """The makers of disks, and the claims and DataVolumes of all overlays, by disk and overlay."""

    def __init__(self) -> None:
        self._makers: dict[_Disk, dict[str, _Maker]] = {}
        self._claims: dict[_Disk, dict[str, Resource]] = {}
        #: The disks whose name ends in an index, by the name before it.
        self._indexed: dict[_Disk, set[_Disk]] = {}

    def add(self, path: str, side: OverlaySide | None) -> None:
        for each in side.written if side else ():
            if each.kind in (CLAIM, DATA_VOLUME):
                disk = each.namespace, each.name
                self._claims.setdefault(disk, {})[path] = each
                if indexed := split_index(each.name):
                    self._indexed.setdefault((each.namespace, indexed[0]), set()).add(disk)
            elif machine := VirtualMachineView.of(each):
                for name, template in data_volume_templates(machine.spec).items():
                    self._makers.setdefault((each.namespace, name), {})[path] = _Maker(machine, template)

    def claim(self, disk: _Disk, path: str, share: _Share) -> Resource | None:
        """Return the claim or DataVolume of a disk that an overlay of the same cluster has."""
        return _near(self._claims.get(disk, {}), path, share)

    def maker(self, disk: _Disk, path: str, share: _Share) -> _Maker | None:
        """Return what makes a disk in the same cluster; the disks of a pool have an index."""
        namespace, name = disk
        found = _near(self._makers.get(disk, {}), path, share)
        if found is not None and found.machine.is_one:
            return found
        indexed = split_index(name)
        found = _near(self._makers.get((namespace, indexed[0]), {}), path, share) if indexed else None
        is_made = found and indexed and not found.machine.is_one and indexed[1] < found.machine.replicas
        return found if is_made else None

    def claims_made_by(self, machine: VirtualMachineView) -> Iterator[_Disk]:
        """Yield the disks that a machine or pool makes, and of which an overlay has a claim."""
        for name in data_volume_templates(machine.spec):
            disk = machine.namespace, name
            if machine.is_one:
                yield from [disk] if disk in self._claims else ()
            else:
                yield from sorted(self._indexed.get(disk, ()))


class MadeClaims:
    """The claims and DataVolumes of all overlays on both sides, and the machines that make them."""

    def __init__(self) -> None:
        self._former, self._latter = _OneSide(), _OneSide()
        self._sides: dict[str, OverlaySide] = {}
        self._objects: dict[tuple[str, ResId], Resource] = {}

    def add(self, path: str, before: OverlaySide | None, after: OverlaySide | None) -> None:
        """Add an overlay."""
        self._former.add(path, before)
        self._latter.add(path, after)
        if after is not None:
            self._sides[path] = after
            kept = (each for each in after.written if each.kind in (CLAIM, DATA_VOLUME) or _makes_disks(each))
            self._objects.update({(path, each.current_id): each for each in kept})

    def judged(self, change: ResourceChange, path: str, share: _Share) -> ResourceChange:
        """Return the change of an overlay, with what it does to a disk that has two makers from now on.

        ``share`` says if two overlays are of one cluster.
        """
        resource = self._objects.get((path, change.id))
        if resource is None or change.is_refused:
            return change
        if machine := VirtualMachineView.of(resource):
            taken = [*self._taken_over(machine, path, share)]
            return change.worsened(taken) if taken else change
        disk = resource.namespace, resource.name
        maker = self._former.maker(disk, path, share)
        is_new = change.type in (ChangeType.ADDED, ChangeType.RENAMED)
        if not is_new or maker is None or self._former.claim(disk, path, share):
            return change
        is_made = self._latter.maker(disk, path, share) is not None
        return change.worsened([self._impact(resource, maker, self._sides[path], is_made=is_made)])

    def _taken_over(self, machine: VirtualMachineView, path: str, share: _Share) -> Iterator[Impact]:
        for disk in self._latter.claims_made_by(machine):
            claim = self._former.claim(disk, path, share)
            maker = self._latter.maker(disk, path, share)
            is_its = maker is not None and maker.machine.resource.current_id == machine.resource.current_id
            if claim and is_its and not self._former.maker(disk, path, share):
                reason = (
                    f"it takes over {claim.current_id} (dataVolumeTemplates), and that is deleted with it"
                )
                yield Impact(Effect.AT_RISK, reason, _SOURCE)

    @staticmethod
    def _impact(added: Resource, maker: _Maker, side: OverlaySide, *, is_made: bool) -> Impact:
        """Return what becomes of the disk that a machine has made as an engine applies an object to it."""
        owner = f"{maker.machine.kind} {maker.machine.name}"
        made = added.with_content(_as_made(added, maker.template))
        update = ObjectUpdate(made, made.with_content(_merged(made.content, added.content)))
        update = update._replace(storage_classes=classes_by_name((*side.written, *side.storage_classes)))
        changes = field_changes(update.before.content, update.after.content)
        refused = refused_update(update, changes, side)
        if refused and refused.impact:
            return refused.impact._replace(reason=f"{owner} has made it: {refused.impact.reason}")
        effect = Effect.AT_RISK if is_made else Effect.NONE
        reason = f"{owner} has made it, too (dataVolumeTemplates): whichever of the two is removed deletes it"
        return Impact(effect, reason, _SOURCE)


def _makes_disks(resource: Resource) -> bool:
    machine = VirtualMachineView.of(resource)
    return machine is not None and bool(machine.data_volume_templates)


def _as_made(added: Resource, template: JsonObject) -> JsonObject:
    """Return a claim or DataVolume as the cluster makes it of a template, as far as that is certain.

    CDI makes the claim of a ``storage`` section larger, and KubeVirt writes what a ``sourceRef`` refers to.
    """
    spec, storage = object_at(template, "spec"), object_at(template, "spec", "storage")
    if added.kind == CLAIM:
        spec = _without(storage, "resources") if storage else object_at(spec, "pvc")
    elif "sourceRef" in spec:
        spec = {**_without(spec, "sourceRef"), "source": object_at(added.content, "spec").get("source")}
    return {**added.content, "spec": spec}


def _without(value: JsonObject, key: str) -> JsonObject:
    return {name: each for name, each in value.items() if name != key}


def _merged(below: JsonObject, above: JsonObject) -> JsonObject:
    """Return an object with what an engine applies to it, which removes nothing that it has not written."""
    merged: dict[str, Json] = {**below}
    for key, value in above.items():
        other = merged.get(key)
        is_mapping = isinstance(value, dict) and isinstance(other, dict)
        merged[key] = _merged(object_at(other), object_at(value)) if is_mapping else value
    return merged


def _near(found: Mapping[str, _Found], path: str, share: _Share) -> _Found | None:
    spend(len(found), "looking for disks that machines make")
    return next((each for other, each in found.items() if share(path, other)), None)
