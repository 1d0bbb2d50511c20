"""VirtualMachines before and after a change, as the cluster stores them, for ``diff``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.admission.vmi import check_vmi
from renderer.kubevirt.facts.claims import Profiles, claims_of, storage_profiles
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.kubevirt.impact.state import VmChange, vm_state
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.instancetype.stored_vm import StoredVm, VmStore, read_cluster_config
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release


class ProjectState(Record):
    """The objects that VirtualMachines of an overlay can refer to: its resources and the catalogs.

    ``profiles`` are the StorageProfiles of the cluster that are not among the resources.
    """

    resources: ResourceSet
    catalog: Catalog
    profiles: Profiles = EMPTY


class VmChanges:
    """The VirtualMachines of one overlay, each state as a cluster of its target release stores it.

    ``between`` are the states since the VMs were started from ``before``, oldest first. ``former`` is the
    release that has started them, if the change is from one to another.
    """

    def __init__(
        self,
        before: ProjectState,
        after: ProjectState,
        release: Release,
        between: Sequence[ProjectState] = (),
        former: Release | None = None,
    ) -> None:
        self._former = former
        self._states = (before, *between, after)
        self._release = release

    def __call__(self, old: Resource, new: Resource) -> VmChange | None:
        """Return a VirtualMachine on both sides; None if KubeVirt cannot expand or default it.

        One with another name or namespace is another VirtualMachine, created by the change.
        """
        try:
            vms = self._vms(old, new)
        except (CauseError, DiagnosticError):
            return None
        before, *between, after = (vm_state(vm.content, vm.applied, vm.instance) for vm in vms)
        return VmChange(
            before,
            after,
            self.update_refusal(vms[-1], new),
            self.start_refusal(vms[-1], new),
            self.access_modes,
            tuple(between),
            started=self._started_by_former_release(old),
        )

    def found_by(self, old: Resource, new: Resource) -> tuple[object, ...] | None:
        """Return, in plain values, what a VirtualMachine finds in the cluster; None if that is not known.

        Machines with equal manifests that find the same in equal ``clusters`` change alike.
        """
        if len(self._states) > 2:  # noqa: PLR2004 - states between the two sides
            return None
        try:
            found = self.stores[0].found_by(old), self.stores[-1].found_by(new)
            return found if self._former is None else (*found, self._former_store.found_by(old))
        except (CauseError, DiagnosticError):
            return None

    @cached_property
    def clusters(self) -> tuple[object, ...]:
        """What the clusters of both sides are set to; empty if a KubeVirt object has invalid values."""
        try:
            stores = (*self.stores, self._former_store)
        except DiagnosticError:
            return ()
        return (self._release, self._former, *(store.config for store in stores))

    def _started_by_former_release(self, vm: Resource) -> JsonObject:
        """Return the instance that the release before has started; empty if it is the same release."""
        if self._former is None or self._former == self._release:
            return EMPTY
        try:
            return as_stored(self._former_store.create(vm).instance)
        except (CauseError, DiagnosticError):
            return EMPTY

    @cached_property
    def _former_store(self) -> VmStore:
        """Raises ``DiagnosticError`` for a KubeVirt object with invalid values."""
        before, former = self._states[0], self._former or self._release
        config = read_cluster_config(before.resources, before.catalog, former)
        return VmStore(before.catalog, before.resources, Cluster(former, config))

    def _vms(self, old: Resource, new: Resource) -> list[StoredVm]:
        """Return the VirtualMachine in each state with it. Raises ``CauseError`` or ``DiagnosticError``."""
        vms, written = [self.stores[0].create(old)], old
        for state, store in zip(self._states[1:-1], self.stores[1:-1], strict=True):
            found = next((each for each in state.resources if each.current_id == new.current_id), None)
            if found is not None:
                vms.append(store.update(vms[-1], written, found))
                written = found
        is_other = old.current_id != new.current_id
        vms.append(self.stores[-1].create(new) if is_other else self.stores[-1].update(vms[-1], written, new))
        return vms

    @cached_property
    def stores(self) -> list[VmStore]:
        """One for each state. Raises ``DiagnosticError`` for a KubeVirt object with invalid values."""
        stores: list[VmStore] = []
        for state in self._states:
            config = read_cluster_config(state.resources, state.catalog, self._release)
            stores.append(VmStore(state.catalog, state.resources, Cluster(self._release, config)))
        return stores

    @cached_property
    def _cluster_after(self) -> Cluster:
        after = self._states[-1]
        return Cluster(self._release, read_cluster_config(after.resources, after.catalog, self._release))

    def update_refusal(self, vm: StoredVm, resource: Resource) -> str:
        """Return why the webhook refuses the VM that the cluster would store; empty if it admits it."""
        behaviour = behaviour_of(self._release)
        try:
            spec = default_vmi_spec(object_at(vm.applied, "spec"), self._cluster_after.config, behaviour)
            vm_spec = {**object_at(vm.content, "spec"), "template": {**vm.applied, "spec": spec}}
            causes = check_vm(vm_spec, self._cluster_after, resource.namespace)
        except (CauseError, DiagnosticError):  # reported by the schema stage or the expansion
            return ""
        return next((cause.message for cause in causes), "")

    def start_refusal(self, vm: StoredVm, resource: Resource) -> str:
        """Return the reason why the webhook refuses the next instance; empty if it admits it."""
        metadata = {**object_at(vm.instance, "metadata"), "name": resource.name}
        try:
            causes = check_vmi({**vm.instance, "metadata": metadata}, self._cluster_after)
            return next((cause.message for cause in causes), "")
        except DiagnosticError:  # an invalid quantity; reported by the schema stage
            return ""

    @cached_property
    def access_modes(self) -> Mapping[str, tuple[str, ...]]:
        """The access modes of claims and DataVolumes by name, after the change."""
        found: dict[str, tuple[str, ...]] = {}
        for state in self._states:
            profiles = {**state.profiles, **storage_profiles(state.resources)}
            for resource in state.resources:
                found |= {name: modes for name, modes in claims_of(resource, profiles) if modes}
        return found
