"""VirtualMachines before and after a change, as the cluster stores them, for ``diff``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.admission.vmi import check_vmi
from renderer.kubevirt.facts.claims import Profiles, claims_of, storage_profiles
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.firmware_uuid import without_random_values
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.kubevirt.impact.state import VmChange, vm_state
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import DEFAULT_NAMESPACE, Catalog, CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.instancetype.matcher import check_matcher_update
from renderer.kubevirt.instancetype.stored_vm import StoredVm, VmStore
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.run.work import spend

#: Steps for each state of a machine since it was started: virt-controller's reaction to it is worked out anew
#: for each later commit (``model.run.work``).
_STEPS_PER_STATE = 400


class ProjectState:
    """The objects that VirtualMachines of an overlay can refer to: its resources and the catalogs.

    ``profiles`` are the StorageProfiles of the cluster that are not among the resources. ``cluster`` has the
    objects that are in the cluster already; they are found after the resources.
    """

    def __init__(
        self,
        resources: ResourceSet,
        catalog: Catalog,
        profiles: Profiles = EMPTY,
        cluster: ProjectState | None = None,
    ) -> None:
        self.resources = resources
        self.catalog = catalog
        self.profiles = profiles
        self.cluster = cluster

    @cached_property
    def everything(self) -> Catalog:
        """The resources, then the objects of the cluster, then the catalogs."""
        others = self.catalog if self.cluster is None else self.catalog.after_catalog(self.cluster.own)
        return others.after_catalog(self.own)

    @cached_property
    def own(self) -> Catalog:
        """The resources alone."""
        return Catalog.of(CatalogSource("the overlay", self.resources))

    @cached_property
    def own_profiles(self) -> Profiles:
        """The StorageProfiles among the resources."""
        return storage_profiles(self.resources)

    @cached_property
    def claim_makers(self) -> Mapping[tuple[str, str], Sequence[Resource]]:
        """The resources that are or make a claim, by its namespace and name."""
        found: dict[tuple[str, str], list[Resource]] = {}
        for resource in self.resources:
            for name, _ in claims_of(resource, EMPTY):
                found.setdefault((resource.namespace, name), []).append(resource)
        return found


class _ClaimModes(Mapping[str, tuple[str, ...]]):
    """The access modes of the claims and DataVolumes of one namespace, by name; unknown ones are left out.

    Those written without a namespace count, too. A machine without one finds the claims of ``default``, in
    which kubectl creates both.
    """

    def __init__(self, states: Iterable[ProjectState], namespace: str) -> None:
        self._states = [layer for each in states for layer in _layers(each)]
        self._namespaces = ("", namespace) if namespace else (DEFAULT_NAMESPACE, "")
        self._made: dict[tuple[int, int], Mapping[str, tuple[str, ...]]] = {}
        self._found: dict[str, tuple[str, ...]] = {}  # any number of machines may name one claim

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if name not in self._found:
            self._found[name] = self._modes_of(name)
        if not self._found[name]:
            raise KeyError(name)
        return self._found[name]

    def _modes_of(self, name: str) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        for layer, (state, _) in enumerate(self._states):
            for namespace in self._namespaces:
                for maker in state.claim_makers.get((namespace, name), ()):
                    found = self._made_by(maker, layer)[name] or found
        return found

    def _made_by(self, maker: Resource, layer: int) -> Mapping[str, tuple[str, ...]]:
        """Return the access modes of the claims that a resource is or makes, by name."""
        key = id(maker), layer  # the states keep it alive
        if key not in self._made:
            self._made[key] = dict(claims_of(maker, self._states[layer][1]))
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        made = (key for state, _ in self._states for key in state.claim_makers)
        names = dict.fromkeys(name for namespace, name in made if namespace in self._namespaces)
        return (name for name in names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _layers(state: ProjectState) -> Iterator[tuple[ProjectState, Profiles]]:
    """Yield what the cluster has and the resources, with the StorageProfiles of both."""
    cluster = state.cluster
    profiles = {**state.profiles, **(cluster.own_profiles if cluster else EMPTY), **state.own_profiles}
    yield from [(cluster, profiles)] if cluster else []
    yield state, profiles


def matcher_update_refusal(before: StoredVm, after: StoredVm) -> str:
    """Return why the mutating webhook refuses new matchers in place of the old; empty if it admits them."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        old, new = (getattr(each.matchers, matcher_type.key) for each in (before, after))
        for cause in check_matcher_update(new, old, matcher_type):
            return cause.message
    return ""


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
        self._access_modes: dict[str, Mapping[str, tuple[str, ...]]] = {}

    def __call__(self, old: Resource, new: Resource) -> VmChange | None:
        """Return a VirtualMachine on both sides; None if KubeVirt cannot expand or default it.

        One with another name or namespace is another VirtualMachine, created by the change.
        """
        try:
            vms = self._vms(old, new)
        except (CauseError, DiagnosticError):
            return None
        before, *between, after = (vm_state(vm.content, vm.applied, vm.instance) for vm in vms)
        start_refusal = self.start_refusal(vms[-1], new)
        matcher_refusal = matcher_update_refusal(*vms[-2:]) if old.current_id == new.current_id else ""
        return VmChange(
            before,
            after,
            matcher_refusal or self.update_refusal(vms[-1], new),
            start_refusal,
            self.access_modes(new.namespace),
            tuple(between),
            started=self._started_by_former_release(old),
            was_startable=not (start_refusal and self._former_start_refusal(old)),
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
        """The settings of the clusters on both sides; empty if a KubeVirt object has invalid values."""
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

    def _former_start_refusal(self, vm: Resource) -> str:
        """Return why the cluster as it was before the change refuses an instance of the machine before."""
        try:
            return self.start_refusal(self._former_store.create(vm), vm, self._former_cluster)
        except (CauseError, DiagnosticError):
            return ""

    @cached_property
    def _former_store(self) -> VmStore:
        """Raises ``DiagnosticError`` for a KubeVirt object with invalid values."""
        return VmStore(self._states[0].everything, self._former_cluster)

    @cached_property
    def _former_cluster(self) -> Cluster:
        former = self._former or self._release
        return Cluster(former, cluster_config(self._states[0].everything, former))

    def _vms(self, old: Resource, new: Resource) -> list[StoredVm]:
        """Return the VirtualMachine in each state with it. Raises ``CauseError`` or ``DiagnosticError``."""
        spend(_STEPS_PER_STATE * (len(self._states) - 2), "following machines through commits")
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
        for catalog in (state.everything for state in self._states):
            cluster = Cluster(self._release, cluster_config(catalog, self._release))
            stores.append(VmStore(catalog, cluster, None if stores else self._former))
        return stores

    @cached_property
    def _cluster_after(self) -> Cluster:
        return Cluster(self._release, cluster_config(self._states[-1].everything, self._release))

    def update_refusal(self, vm: StoredVm, resource: Resource) -> str:
        """Return why the webhook refuses the VM that the cluster would store; empty if it admits it."""
        behaviour = behaviour_of(self._release)
        try:
            applied = without_random_values(object_at(vm.applied, "spec"))
            spec = default_vmi_spec(applied, self._cluster_after.config, behaviour)
            vm_spec = {**object_at(vm.content, "spec"), "template": {**vm.applied, "spec": spec}}
            causes = check_vm(vm_spec, self._cluster_after, resource.namespace)
        except (CauseError, DiagnosticError):  # reported by the schema stage or the expansion
            return ""
        return next((cause.message for cause in causes), "")

    def start_refusal(self, vm: StoredVm, resource: Resource, cluster: Cluster | None = None) -> str:
        """Return the reason why the webhook of a cluster refuses an instance; empty if it admits it.

        Without ``cluster``, it is the one after the change.
        """
        metadata = {**object_at(vm.instance, "metadata"), "name": resource.name}
        spec = without_random_values(object_at(vm.instance, "spec"))
        try:
            causes = check_vmi({"metadata": metadata, "spec": spec}, cluster or self._cluster_after)
            return next((cause.message for cause in causes), "")
        except DiagnosticError:  # an invalid quantity; reported by the schema stage
            return ""

    def access_modes(self, namespace: str) -> Mapping[str, tuple[str, ...]]:
        """Return the access modes of the claims and DataVolumes of a namespace by name, after the change."""
        if namespace not in self._access_modes:
            self._access_modes[namespace] = _ClaimModes(self._states, namespace)
        return self._access_modes[namespace]
