"""The overlay that rules check, and the names in its matchers, indexed once for all rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final, TypeAlias

from renderer.checks.rules.inventory import Inventory, Item
from renderer.checks.rules.object_references import (
    REFERRING_KINDS,
    NamedReference,
    object_references,
)
from renderer.checks.rules.pod_labels import pod_labels, texts
from renderer.checks.rules.references import ObjectReference, references
from renderer.kubevirt.facts import kinds
from renderer.kubevirt.facts.claims import (
    Profiles,
    claims_of,
    storage_profiles,
)
from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_VOLUMES, NETWORK_DATA
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.container_images import image_digests, machine_images
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME, STORAGE_PROFILE
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import GuestFile, MissingKey
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.near_miss import numbers_of
from renderer.model.record import Record
from renderer.model.release import Release

INSTANCETYPE, PREFERENCE = kinds.INSTANCETYPE.key, kinds.PREFERENCE.key
INSTANCETYPES, PREFERENCES = kinds.INSTANCETYPE.kinds, kinds.PREFERENCE.kinds

#: The names that a release deploys to a cluster by itself, by kind of instance type or preference.
BundledNames = Callable[[Release], Mapping[str, frozenset[str]]]
#: A reference of a virtual machine, or of another object.
AnyReference: TypeAlias = ObjectReference | NamedReference

#: Looks up an object by kind, name and namespace in the project's catalogs.
Find = Callable[[str, str, str], Resource | None]


def not_named_by_machines(
    context: Context, matcher: str, resources: Sequence[Resource]
) -> Sequence[Resource]:
    """Return the instance types or preferences that no machine names.

    The others are checked together with their machines: KubeVirt rejects a machine that conflicts with them.
    """
    machines = (VirtualMachineView.of(resource) for resource in context.composed)
    named = {text_at(machine.spec, matcher, "name") for machine in machines if machine is not None}
    return [
        resource
        for resource in resources
        # The earlier names are the names before prefixes and suffixes were added.
        if named.isdisjoint((resource.name, *(earlier.name for earlier in resource.previous_ids)))
    ]


def preference_of(context: Context, machine: VirtualMachineView) -> Resource | None:
    """Return the preference that a machine named before it was expanded; None if it is not known."""
    return _matched(context, machine, kinds.PREFERENCE)


def instancetype_of(context: Context, machine: VirtualMachineView) -> Resource | None:
    """Return the instance type that a machine named before it was expanded; None if it is not known."""
    return _matched(context, machine, kinds.INSTANCETYPE)


def _matched(
    context: Context, machine: VirtualMachineView, matcher_type: kinds.MatcherType
) -> Resource | None:
    matcher = object_at(context.spec_before(machine), matcher_type.key)
    name, kind = text_at(matcher, "name"), matcher_type.matched_kind(text_at(matcher, "kind"))
    if not name or kind is None or text_at(matcher, "revisionName"):
        return None
    return context.look_up(kind, name, "" if kind in kinds.CLUSTER_KINDS else machine.namespace)


def comes_from_overlay(context: Context, machine: VirtualMachineView, path: tuple[Segment, ...]) -> bool:
    """Return True if an instance type or preference of the overlay has set a field of the machine's instance.

    Rules report such a value where it was written, and not again for each machine.
    """
    written = context.spec_before(machine)
    if written is machine.spec or value_at(object_at(written, "template", "spec"), path) is not None:
        return False
    names = {text_at(written, matcher, "name") for matcher in (INSTANCETYPE, PREFERENCE)}
    return not names.isdisjoint(context.matched_names)


#: Tests whether a cluster gets an object, by kind, name and namespace.
IsInCluster = Callable[[str, str, str], bool]


def no_bundled_names(_: Release) -> Mapping[str, frozenset[str]]:
    """Return no names: the bundled names of releases are unknown."""
    return {}


def no_catalog(_kind: str, _name: str, _namespace: str) -> Resource | None:
    """Return None: there is no catalog."""
    return None


def nothing_in_cluster(_kind: str, _name: str, _namespace: str) -> bool:
    """Return False: nothing but the overlay is known of the cluster."""
    return False


def no_profiles() -> Profiles:
    """Return no profiles: nothing is known of the cluster's storage classes."""
    return {}


class Lookups(Record):
    """What rules can ask about beyond the overlay; ``find_cluster`` finds the cluster that it is for.

    ``is_in_cluster`` tests whether another overlay of the cluster has an object, by kind, name and namespace;
    ``is_surely_in_cluster`` says so only where the overlays are known to be for one cluster.
    ``find_profiles`` returns the StorageProfiles of the cluster that are not in the overlay.
    """

    find_in_catalogs: Find = no_catalog
    bundled_names: BundledNames = no_bundled_names
    find_cluster: Callable[[Release], Cluster] = Cluster
    is_in_cluster: IsInCluster = nothing_in_cluster
    is_surely_in_cluster: IsInCluster = nothing_in_cluster
    find_profiles: Callable[[], Profiles] = no_profiles


NO_LOOKUPS = Lookups()


class Context:
    """``resources`` are rendered; ``composed`` are the same resources before their VMs were expanded."""

    def __init__(
        self,
        resources: ResourceSet,
        composed: ResourceSet,
        release: Release,
        lookups: Lookups = NO_LOOKUPS,
    ) -> None:
        self.resources: Final = resources
        self.composed: Final = composed
        self.release: Final = release
        self.lookups: Final = lookups
        self._found: dict[tuple[str, str, str], Resource | None] = {}
        self._are_used: dict[tuple[str, str], bool] = {}
        #: The items that a missing name may mean, by kind, name and namespace (``not_found``).
        self.similar: dict[tuple[str, str, str], Mapping[str, Item]] = {}
        #: The indices that pools lack, by kind, name, namespace and number of machines (``missing_indices``).
        self.missing_indices: dict[tuple[str, str, str, int], Sequence[range]] = {}
        #: The machine that was asked about last, and its guest data (``guest_files``).
        self.guest_files: tuple[VirtualMachineView | None, Sequence[GuestFile | MissingKey]] = None, ()

    @cached_property
    def cluster(self) -> Cluster:
        """The target cluster, as its ``KubeVirt`` object configures it."""
        return self.lookups.find_cluster(self.release)

    @cached_property
    def machines(self) -> Sequence[VirtualMachineView]:
        """The virtual machines, pools and instances, in order."""
        machines = (VirtualMachineView.of(resource) for resource in self.resources)
        return [machine for machine in machines if machine is not None]

    @cached_property
    def by_kind(self) -> Mapping[str, Sequence[Resource]]:
        """The resources by kind, regardless of their group."""
        found: dict[str, list[Resource]] = {}
        for resource in self.resources:
            found.setdefault(resource.kind, []).append(resource)
        return found

    def of_kind(self, *kinds: str) -> Sequence[Resource]:
        return [resource for kind in kinds for resource in self.by_kind.get(kind, ())]

    @cached_property
    def matched_names(self) -> frozenset[str]:
        """The names of the instance types and preferences of the overlay."""
        return frozenset(each.name for each in self.of_kind(*INSTANCETYPES, *PREFERENCES))

    def look_up(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object as expansion finds it: in the overlay, or else in the project's catalogs."""
        key = kind, name, namespace
        if key not in self._found:
            of_name = self._composed_by_name(kind).get(name, ())
            found = (each for each in of_name if not namespace or each.namespace in ("", namespace))
            self._found[key] = next(found, None) or self.lookups.find_in_catalogs(kind, name, namespace)
        return self._found[key]

    def spec_before(self, machine: VirtualMachineView) -> JsonObject:
        """Return the machine's spec before expansion; its own spec if nothing was composed by that name."""
        rendered = machine.resource
        resource = self._composed_by_unique_name.get(machine.name)
        # The parts of the id are compared, because ids of a large fleet use memory.
        if resource is None or (resource.namespace, resource.kind, resource.api_version) != (
            rendered.namespace,
            rendered.kind,
            rendered.api_version,
        ):
            resource = self._composed_by_id.get(rendered.current_id, rendered)
        return object_at(resource.content, *machine.paths.spec.keys)

    @cached_property
    def _composed_by_unique_name(self) -> Mapping[str, Resource | None]:
        """The composed resource of each name; None for an ambiguous name."""
        found: dict[str, Resource | None] = {}
        for resource in self.composed:
            found[resource.name] = None if resource.name in found else resource
        return found

    @cached_property
    def _composed_by_id(self) -> Mapping[ResId, Resource]:
        """The composed resources with ambiguous names."""
        names = self._composed_by_unique_name
        ambiguous = (resource for resource in self.composed if names[resource.name] is None)
        return {resource.current_id: resource for resource in ambiguous}

    def _composed_by_name(self, kind: str) -> Mapping[str, Sequence[Resource]]:
        """Index the composed resources of a kind: few kinds are looked up, and never machines."""
        if kind not in self._composed_of_kind:
            found: dict[str, list[Resource]] = {}
            for resource in self.composed:
                if resource.kind == kind:
                    found.setdefault(resource.name, []).append(resource)
            self._composed_of_kind[kind] = found
        return self._composed_of_kind[kind]

    @cached_property
    def _composed_of_kind(self) -> dict[str, Mapping[str, Sequence[Resource]]]:
        return {}

    @cached_property
    def pod_labels(self) -> Sequence[tuple[Resource, Mapping[str, str]]]:
        """The resources that create pods with labels, and these labels."""
        labelled = ((resource, texts(pod_labels(resource.content))) for resource in self.resources)
        return [(resource, labels) for resource, labels in labelled if labels]

    @cached_property
    def access_modes(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """The access modes of claims, by namespace and name; a claim with unknown modes is left out."""
        profiles = {**self.lookups.find_profiles(), **storage_profiles(self.of_kind(STORAGE_PROFILE))}
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for resource in (*self.of_kind(CLAIM, DATA_VOLUME), *(machine.resource for machine in self.machines)):
            for name, modes in claims_of(resource, profiles):
                if modes:
                    found.setdefault(resource.namespace, {})[name] = modes
        return found

    @cached_property
    def image_digests(self) -> Mapping[str, frozenset[str]]:
        """The digests of images that machines name by tag and digest, by repository and tag."""
        return image_digests(image for machine in self.machines for _, image in machine_images(machine))

    @cached_property
    def network_data_secrets(self) -> frozenset[str]:
        """The names of the Secrets from which volumes of cloud-init have their network data."""
        return frozenset(
            text_at(volume, kind, NETWORK_DATA.reference, "name")
            for machine in self.machines
            for _, volume in machine.volumes
            for kind in CLOUD_INIT_VOLUMES
        )

    @cached_property
    def inventory(self) -> Inventory:
        return Inventory(self.resources, self.machines, with_machines=bool(self.other_references))

    @cached_property
    def references(self) -> Mapping[str, Sequence[ObjectReference]]:
        """The references of virtual machines to other objects, by kind."""
        return references(self.machines, self.release)

    @cached_property
    def other_references(self) -> Mapping[str, Sequence[NamedReference]]:
        """The references of other objects, such as snapshots, by kind."""
        return object_references(self.of_kind(*REFERRING_KINDS))

    def references_to(self, kind: str) -> Iterator[AnyReference]:
        """Yield the references to a kind, of virtual machines first."""
        yield from self.references.get(kind, ())
        yield from self.other_references.get(kind, ())

    def is_used(self, kind: str, item: Item) -> bool:
        """Return True if a virtual machine, or another object, refers to the item."""
        keys = [(kind, item.name, False)]
        indexed = split_index(item.name) if self._has_indexed_references else None
        if indexed is not None:
            keys.append((kind, indexed[0], True))
        of_names = [self._namespaces_referred_to.get(key, ()) for key in keys]
        if not item.namespace:
            return any(of_names)
        return any("" in namespaces or item.namespace in namespaces for namespaces in of_names)

    def is_any_used(self, kind: str, name: str) -> bool:
        """Return True if something refers to an item of a name."""
        if (kind, name) not in self._are_used:
            items = self.inventory.named(kind, name)
            self._are_used[kind, name] = any(self.is_used(kind, item) for item in items)
        return self._are_used[kind, name]

    def candidates(self, kind: str) -> Mapping[tuple[str, ...], Sequence[tuple[str, Item, bool]]]:
        """Return name, item, and if something refers to it, of all items, by the numbers in the name.

        An item is listed once for each name that it has or had.
        """
        if kind not in self._candidates:
            found: dict[tuple[str, ...], list[tuple[str, Item, bool]]] = {}
            for name, item in self.inventory.names(kind):
                found.setdefault(numbers_of(name), []).append((name, item, self.is_used(kind, item)))
            self._candidates[kind] = found
        return self._candidates[kind]

    @cached_property
    def _candidates(self) -> dict[str, Mapping[tuple[str, ...], Sequence[tuple[str, Item, bool]]]]:
        return {}

    @cached_property
    def _namespaces_referred_to(self) -> Mapping[tuple[str, str, bool], AbstractSet[str]]:
        """The namespaces of references by kind, name, and whether an index is appended to the name."""
        found: dict[tuple[str, str, bool], set[str]] = {}
        for kind in {**self.references, **self.other_references}:
            for reference in self.references_to(kind):
                key = kind, reference.name, reference.is_indexed
                found.setdefault(key, set()).add(reference.namespace)
        return found

    @cached_property
    def _has_indexed_references(self) -> bool:
        return any(is_indexed for _, _, is_indexed in self._namespaces_referred_to)
