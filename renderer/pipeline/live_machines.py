"""VirtualMachines of a cluster before and after a sync, for ``diff --live``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.adopt.live.cluster_objects import ClusterObjects
from renderer.adopt.live.compare_live import SyncedVm
from renderer.adopt.live.running_instance import has_all_of, running_vm, waiting_fields
from renderer.kubevirt.facts.kinds import (
    CONTROLLER_REVISION,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    HYPERCONVERGED,
    KUBEVIRT,
    MATCHER_TYPE_OF,
    SSP,
)
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.kubevirt.impact.state import VmChange, vm_state
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.stored_vm import StoredVm
from renderer.kubevirt.instancetype.webhook_fields import with_webhook_fields
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, JsonObject, object_at, with_value
from renderer.model.kube.res_id import ObjectKey
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import WebhookField
from renderer.pipeline.vm_changes import ProjectState, VmChanges, matcher_update_refusal

#: Kinds of objects that a VirtualMachine refers to.
FOUND_BY_MACHINES = frozenset(
    {
        *MATCHER_TYPE_OF,
        CONTROLLER_REVISION,
        KUBEVIRT,
        DATA_IMPORT_CRON,
        DATA_SOURCE,
        HYPERCONVERGED,
        SSP,
        "DataVolume",
        "PersistentVolumeClaim",
        "VolumeSnapshot",
    }
)
#: Fields that the webhook derives from other fields.
_PREDICTED = (
    WebhookField.ARCHITECTURE,
    WebhookField.MACHINE,
    WebhookField.MATCHER_KIND,
    WebhookField.PCI_TOPOLOGY,
    WebhookField.STORAGE_CLASS,
)
_TEMPLATE = ("spec", "template")


class LiveCluster:
    """The objects of a cluster, and those that its VirtualMachines refer to, for all overlays."""

    def __init__(self, objects: ClusterObjects) -> None:
        self.objects = objects
        found = tuple(each for each in objects.resources if each.kind in FOUND_BY_MACHINES)
        self.state = ProjectState(ResourceSet(found), Catalog())


class LiveMachines:
    """The VirtualMachines of one overlay in a cluster.

    Instance types are looked up in the cluster first, then in the project's catalogs.
    """

    def __init__(self, state: ProjectState, release: Release, cluster: LiveCluster) -> None:
        self._objects = cluster.objects
        self._release = release
        before = ProjectState(ResourceSet(), state.catalog, state.profiles, cluster.state)
        after = ProjectState(state.resources, state.catalog, state.profiles, cluster.state)
        self._catalog = before.everything
        self._changes = VmChanges(before, after, release)

    def predict(self, resources: Iterable[Resource]) -> Mapping[ObjectKey, JsonObject]:
        """Return the objects of Git, with the fields that KubeVirt's webhook derives, by identity."""
        written = ResourceSet(tuple(resources))
        behaviour = behaviour_of(self._release)
        made = with_webhook_fields(written, written, self._catalog, _PREDICTED, behaviour)
        return {each.object_key: each.content for each in made}

    def sync(self, live: Resource, synced: Resource) -> SyncedVm | None:
        """Return a VirtualMachine before and after a sync; None if KubeVirt cannot expand it.

        Until KubeVirt 1.4, the matchers name the revisions; since then, the status does.
        """
        before_store, after_store = self._changes.stores
        try:
            stored = _without_status(live)
            before = before_store.load(stored, _status(live))
            after = after_store.update(before, stored, synced)
        except (CauseError, DiagnosticError):
            return None
        change = VmChange(
            vm_state(before.content, before.applied, before.instance),
            vm_state(after.content, after.applied, after.instance),
            matcher_update_refusal(before, after) or self._changes.update_refusal(after, synced),
            self._changes.start_refusal(after, synced),
            self._changes.access_modes(synced.namespace),
        )
        applied = (_applied(live, before), _applied(synced, after))
        return SyncedVm(self._since_start(live, change), applied)

    def runs_as_stored(self, live: Resource) -> bool:
        """Return True if the instance of a VirtualMachine has its spec; also if that is unknown."""
        spec = self._running_spec(live)
        if not spec:
            return True
        try:
            applied = self._changes.stores[0].load_applied(_without_status(live), _status(live))
        except (CauseError, DiagnosticError):
            return True
        wanted = object_at(applied, "spec")
        return has_all_of(spec, wanted) or not any(waiting_fields(as_stored(wanted), spec))

    def _since_start(self, live: Resource, change: VmChange) -> VmChange:
        """Return the change with the running spec, if the instance was started with another spec."""
        spec = self._running_spec(live)
        if not spec or not any(waiting_fields(change.before.applied, spec)):
            return change
        return change._replace(before=running_vm(change.before, spec), waiting=change.before)

    def _running_spec(self, live: Resource) -> JsonObject:
        """Return the spec of an instance; empty without one, or if somebody shortened the dump."""
        instance = self._objects.instance(live)
        spec = EMPTY if instance is None else object_at(instance.content, "spec")
        return spec if "domain" in spec else EMPTY


def _status(live: Resource) -> JsonObject:
    return object_at(live.content, "status")


def _without_status(live: Resource) -> Resource:
    return live.with_content({key: each for key, each in live.content.items() if key != "status"})


def _applied(resource: Resource, vm: StoredVm) -> Resource:
    return resource.with_content(as_stored(with_value(vm.content, _TEMPLATE, vm.applied)))
