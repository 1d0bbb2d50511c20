"""Objects that a cluster is deleting: with ``deletionTimestamp``, or in a namespace that has one.

The API server takes no deletion back (Kubernetes ``apiserver/pkg/registry/rest/delete.go`` BeforeDelete,
``update.go`` BeforeUpdate): such an object stays only until its finalizers are gone, whatever a sync applies
to it. Then the next sync creates what Git has of it, without what it held. In a namespace that is being
deleted, nothing can be created (``plugin/pkg/admission/namespace/lifecycle``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from renderer.diff.missing import RemovedObjects
from renderer.diff.reads import ChangedObject, ObjectName
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME, KUBEVIRT, KUBEVIRT_GROUP, is_hyperconverged
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.needs import NEEDED_KINDS
from renderer.kubevirt.impact.storage_objects import StorageObjects
from renderer.model.difference import ChangeType, DataChange, DataEffect, Effect, Impact, ResourceChange
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed

NAMESPACE = "Namespace"
#: Kinds of objects whose deletion is reported at other objects.
KINDS = frozenset({*NEEDED_KINDS, NAMESPACE})
_NAMESPACE = Gvk("", "v1", NAMESPACE)
_MOST_FINALIZERS = 5
#: The finalizer with which Kubernetes deletes an object, and leaves what it owns.
_ORPHAN = "orphan"
_UNDER_WAY = Impact(Effect.DELETED, "the cluster is deleting it")
#: Where the API server decides that an object goes.
DELETION = "kubernetes apiserver/pkg/registry/rest/delete.go BeforeDelete"


def is_being_deleted(content: JsonObject) -> bool:
    """Return True if the API server has accepted the deletion of an object, which still exists."""
    return bool(text_at(content, "metadata", "deletionTimestamp"))


class Deletions:
    """The objects that a cluster is deleting, and what is deleted with them."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self.objects = tuple(each for each in objects if is_being_deleted(each.content))
        self._installer = next((each for each in self.objects if _installs_kubevirt(each)), None)
        self._namespaces = frozenset(each.name for each in self.objects if each.gvk == _NAMESPACE)

    def reason(self, live: Resource) -> str:
        """Return why an object will soon be gone, and what it waits for; empty if nothing deletes it."""
        if is_being_deleted(live.content):
            since = text_at(live.content, "metadata", "deletionTimestamp")
            finalizers = [*map(str, array_at(live.content, "metadata", "finalizers"))]
            waits = f", and waits for {listed(finalizers, _MOST_FINALIZERS)}" if finalizers else ""
            return f"the cluster has been deleting it since {since}{waits}"
        if self.has_kind(live) and self._installer is not None:
            installer = f"{self._installer.kind} {self._installer.name}"
            return f"the cluster is deleting {installer}, and all machines with it"
        return f"the cluster is deleting its namespace {live.namespace}" if self.has_namespace(live) else ""

    def has_kind(self, resource: Resource) -> bool:
        """Return True if the cluster is deleting KubeVirt, and with it the kind of a machine.

        KubeVirt ``pkg/virt-operator/resource/apply/delete.go`` DeleteAll. If its ``uninstallStrategy`` keeps
        machines, its webhook refuses the deletion, and the object has no timestamp.
        """
        return self._installer is not None and VirtualMachineView.of(resource) is not None

    def has_namespace(self, resource: Resource) -> bool:
        """Return True if the cluster is deleting the namespace of an object."""
        return resource.namespace in self._namespaces

    def refusal(self, written: Resource) -> Impact | None:
        """Return why the API server does not create an object; None if nothing here says so."""
        if not self.has_namespace(written):
            return None
        reason = f"the cluster is deleting the namespace {written.namespace}, and creates nothing in it"
        source = "kubernetes plugin/pkg/admission/namespace/lifecycle/admission.go Admit"
        return Impact(Effect.REFUSED, reason, source)

    @cached_property
    def removed(self) -> RemovedObjects:
        """The objects being deleted that machines may need, as if Git had removed them."""
        return {
            ObjectName.of(each.current_id): ChangedObject(
                ResourceChange(ChangeType.REMOVED, each.current_id, None, (), _UNDER_WAY), is_under_way=True
            )
            for each in self.objects
            if each.kind in NEEDED_KINDS
        }

    def lost_disks(self, machine: VirtualMachineView, storage: StorageObjects) -> Iterator[DataChange]:
        """Yield the disks of a machine that the cluster is deleting; ``storage`` are the cluster's."""
        made = {text_at(each, "metadata", "name") for _, each in machine.data_volume_templates}
        for _, volume in machine.volumes:
            names = {
                text_at(volume, "persistentVolumeClaim", "claimName"),
                text_at(volume, "dataVolume", "name"),
            }
            for name in sorted(filter(None, names)):
                found = self._disks.get((machine.namespace, name))
                if self.has_namespace(machine.resource):
                    text = f"the cluster is deleting its namespace {machine.namespace}, and this disk with it"
                    found = found or storage.disk(machine.namespace, name)
                elif found is None:
                    continue
                else:
                    text = "the cluster is deleting it: what is on it is lost once nothing uses it"
                keeper = storage.kept_volume(machine.namespace, name, found.content if found else EMPTY)
                text += f"; its PersistentVolume stays ({keeper})" if keeper else ""
                text += "; virt-controller then makes it anew" if name in made else ""
                label = f"{DATA_VOLUME if found and found.kind == DATA_VOLUME else 'claim'} {name}"
                disk = text_at(volume, "name") or name
                yield DataChange(DataEffect.LOST, disk, text, label, "", DELETION)

    @cached_property
    def _disks(self) -> dict[tuple[str, str], Resource]:
        return {
            (each.namespace, each.name): each for each in self.objects if each.kind in (CLAIM, DATA_VOLUME)
        }


def _installs_kubevirt(resource: Resource) -> bool:
    is_kubevirt = (resource.gvk.group, resource.kind) == (KUBEVIRT_GROUP, KUBEVIRT)
    return is_kubevirt or is_hyperconverged(resource)


def what_is_lost(live: Resource, lost: Iterable[DataChange]) -> tuple[DataChange, ...]:
    """Return the ``lost`` disks of a deletion that is under way; nothing of what Kubernetes orphans."""
    if _ORPHAN in array_at(live.content, "metadata", "finalizers"):
        return tuple(each for each in lost if each.effect is not DataEffect.LOST)
    return tuple(lost)


def without_finalizers(live: Resource) -> Resource:
    """Return an object without the finalizers that its deletion waits for."""
    metadata = object_at(live.content, "metadata")
    left = {key: value for key, value in metadata.items() if key != "finalizers"}
    return live.with_content({**live.content, "metadata": left})
