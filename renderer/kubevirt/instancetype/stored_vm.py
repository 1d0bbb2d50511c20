"""A VirtualMachine as the cluster stores it, and the instance that virt-controller creates from it.

KubeVirt ``pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go``. The values that KubeVirt chooses
at random, the firmware's UUID and serial, are fixed texts here: it only matters if they change.
"""

from __future__ import annotations

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.firmware_uuid import AT_RANDOM
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.apply_custom_size import with_custom_size
from renderer.kubevirt.instancetype.apply_to_vm import apply
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import with_default
from renderer.kubevirt.instancetype.find import Finder, MatchedObject
from renderer.kubevirt.instancetype.matcher import Matcher, keeps_stored_revision
from renderer.kubevirt.instancetype.resolve import Matchers, ResolvedMatchers, resolve_matchers, select
from renderer.kubevirt.instancetype.started_instance import started_instance
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.instancetype.vmi_template import with_annotations
from renderer.kubevirt.instancetype.webhook_fields import (
    architecture_of_data_source,
    gets_pci_topology,
    mutation_of,
)
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at, with_value
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release

_TEMPLATE = ("spec", "template")
_VMI = (*_TEMPLATE, "spec")
_FIRMWARE = (*_VMI, "domain", "firmware")
_PCI_TOPOLOGY = (*_TEMPLATE, "metadata", "annotations", "kubevirt.io/pci-topology-version")
#: ``pkg/instancetype/annotations/annotations.go``.
_NAME_ANNOTATIONS = {
    INSTANCETYPE.key: ("kubevirt.io/instancetype-name", "kubevirt.io/cluster-instancetype-name"),
    PREFERENCE.key: ("kubevirt.io/preference-name", "kubevirt.io/cluster-preference-name"),
}
#: Annotations that name the matched objects in the instance, for people.
NAME_ANNOTATIONS = frozenset(name for names in _NAME_ANNOTATIONS.values() for name in names)


class StoredVm(Record):
    """A VirtualMachine as the cluster stores it, with the objects that it matched, and its next instance.

    ``content`` is the object after the mutating webhook; ``applied`` its ``spec.template`` with instance type
    and preference; ``instance`` the VirtualMachineInstance that is created from it (``metadata``, ``spec``).
    """

    content: JsonObject
    applied: JsonObject
    instance: JsonObject
    matchers: Matchers
    selected: ResolvedMatchers


class VmStore:
    """Simulate how a cluster stores VirtualMachines, with the instance types of one state of a project.

    ``catalog`` has all objects that they can refer to. ``creator`` is the release that created them, if it is
    not that of the cluster: what a VirtualMachine gets only once, an upgrade does not give to it.
    """

    def __init__(self, catalog: Catalog, cluster: Cluster, creator: Release | None = None) -> None:
        self._catalog = catalog
        self._cluster = cluster
        self._behaviour = behaviour_of(cluster.release)
        self._creator = behaviour_of(creator or cluster.release)
        self._finder = Finder(self._behaviour)
        self._live_finder = Finder(self._behaviour, live=True)

    @property
    def config(self) -> ClusterConfig:
        """The configuration of the cluster."""
        return self._cluster.config

    def create(self, resource: Resource) -> StoredVm:
        """Return the VirtualMachine after its creation. Raises ``CauseError`` or ``DiagnosticError``."""
        scope, matchers, selected = self._select(resource)
        content = self._mutate(_with_inference(resource.content, matchers), selected, scope)
        creator = self._creator
        if creator.assigns_firmware_uuid:
            content = with_default(content, (*_FIRMWARE, "uuid"), AT_RANDOM)
        if creator.assigns_firmware_serial:
            content = with_default(content, (*_FIRMWARE, "serial"), AT_RANDOM)
        spec = object_at(content, *_VMI)
        machine_type = text_at(spec, "domain", "machine", "type")
        if gets_pci_topology(text_at(spec, "architecture"), machine_type, creator):
            content = with_default(content, _PCI_TOPOLOGY, "v3")
        return self._with_instance(content, matchers, selected, resource)

    def found_by(self, resource: Resource) -> tuple[object, ...]:
        """Return, in plain values, all that the cluster has for the references of a VirtualMachine.

        Machines with equal specs that find the same are stored and started alike. Raises ``CauseError`` or
        ``DiagnosticError``.
        """
        scope, matchers, selected = self._select(resource)
        pairs = (
            (matchers.instancetype, selected.instancetype),
            (matchers.preference, selected.preference),
        )
        matched = [
            (matcher and matcher.content(), found and (found.spec, found.is_revision))
            for matcher, found in pairs
        ]
        vm_spec = object_at(resource.content, "spec")
        architecture = architecture_of_data_source(vm_spec, scope, self._behaviour)
        return (*matched, matchers.clears_memory, architecture)

    def load(self, resource: Resource, status: JsonObject) -> StoredVm:
        """Return the VirtualMachine that is in a cluster with this ``status``.

        Its instance type and preference are the copies that the status or its matchers name. The webhook
        fills in what an older release did not, at any update, be it one of virt-controller. Raises
        ``CauseError`` or ``DiagnosticError``.
        """
        matchers, selected, content = self._loaded(resource, status)
        return self._with_instance(content, matchers, selected, resource)

    def load_applied(self, resource: Resource, status: JsonObject) -> JsonObject:
        """Return ``applied`` of ``load``, which is cheaper by the instance."""
        _, selected, content = self._loaded(resource, status)
        return self._applied(content, selected, resource)[0]

    def _loaded(
        self, resource: Resource, status: JsonObject
    ) -> tuple[Matchers, ResolvedMatchers, JsonObject]:
        scope, matchers = self._resolve(resource)
        selected = select(matchers, status, scope, self._live_finder)
        return matchers, selected, self._mutate(resource.content, selected, scope)

    def update(self, before: StoredVm, old: Resource, new: Resource) -> StoredVm:
        """Return the VirtualMachine of ``before`` after ``new`` was applied in place of ``old``.

        If a matcher does not change, neither does the copy of its object that the cluster stored when the VM
        was created. Since KubeVirt 1.5 the status names that copy, so that it also stays when a matcher stops
        naming it. Raises ``CauseError`` or ``DiagnosticError``.
        """
        scope, matchers, found = self._select(new)
        selected = ResolvedMatchers(
            self._stored_match(before, matchers, found, INSTANCETYPE.key),
            self._stored_match(before, matchers, found, PREFERENCE.key),
        )
        merged = three_way_merge(before.content, old.content, _with_inference(new.content, matchers))
        content = merged if isinstance(merged, dict) else EMPTY
        version = object_at(before.content, *_PCI_TOPOLOGY[:-1]).get(_PCI_TOPOLOGY[-1])
        if version is not None:  # ``syncPCITopologyAnnotationsToVM``: it comes back from the instance
            content = with_default(content, _PCI_TOPOLOGY, version)
        return self._with_instance(self._mutate(content, selected, scope), matchers, selected, new)

    def _select(self, resource: Resource) -> tuple[Scope, Matchers, ResolvedMatchers]:
        scope, matchers = self._resolve(resource)
        return scope, matchers, select(matchers, EMPTY, scope, self._finder)

    def _resolve(self, resource: Resource) -> tuple[Scope, Matchers]:
        scope = Scope(self._catalog, resource.namespace)
        vm_spec = object_at(resource.content, "spec")
        return scope, resolve_matchers(vm_spec, scope, self._behaviour)

    def _stored_match(
        self, before: StoredVm, matchers: Matchers, found: ResolvedMatchers, key: str
    ) -> MatchedObject | None:
        """Return the object that a matcher selects: the stored one, unless the matcher has changed."""
        old: Matcher | None = getattr(before.matchers, key)
        new: Matcher | None = getattr(matchers, key)
        in_status = self._behaviour.records_revision_in_status and keeps_stored_revision(new, old)
        selected: MatchedObject | None = getattr(before.selected if old == new or in_status else found, key)
        return selected

    def _mutate(self, vm: JsonObject, selected: ResolvedMatchers, scope: Scope) -> JsonObject:
        preference = None if selected.preference is None else selected.preference.spec
        mutation = mutation_of(
            object_at(vm, "spec"), preference, self._cluster.config, scope, self._behaviour
        )
        vm = with_default(vm, (*_VMI, "architecture"), mutation.architecture)
        return with_default(vm, (*_VMI, "domain", "machine", "type"), mutation.machine_type)

    def _with_instance(
        self, content: JsonObject, matchers: Matchers, selected: ResolvedMatchers, resource: Resource
    ) -> StoredVm:
        applied, template, sized = self._applied(content, selected, resource)
        instance = started_instance(
            with_annotations(template, _name_annotations(matchers)),
            sized,
            Scope(self._catalog, resource.namespace),
            self._cluster,
        )
        return StoredVm(content, applied, instance, matchers, selected)

    def _applied(
        self, content: JsonObject, selected: ResolvedMatchers, resource: Resource
    ) -> tuple[JsonObject, JsonObject, ResolvedMatchers]:
        """Return the template with its size and preference, and what both were made of."""
        behaviour = self._behaviour
        template = object_at(content, *_TEMPLATE)
        vm = VirtualMachine.of(resource)
        sized = selected
        if vm is not None:
            sized, template = with_custom_size(selected, template, vm, behaviour)
        applied = apply(sized, template, Scope(self._catalog, resource.namespace), behaviour)
        return applied, template, sized


def start(vm: Resource, objects: Catalog, cluster: Cluster) -> JsonObject:
    """Return ``metadata`` and ``spec`` of the instance that virt-controller creates for a new VirtualMachine.

    ``objects`` are the objects in the cluster: instance types, preferences and revisions, volumes and their
    sources. Raises ``CauseError`` or ``DiagnosticError`` if there is no instance.
    """
    catalog = objects.after(CatalogSource("the overlay", ResourceSet((vm,))))
    return VmStore(catalog, cluster).create(vm).instance


def three_way_merge(live: Json, old: Json, new: Json) -> Json:
    """Return ``live`` after ``kubectl apply`` of ``new``, with ``old`` applied last: a three-way merge."""
    if not isinstance(new, dict) or not isinstance(live, dict):
        return new
    before = old if isinstance(old, dict) else EMPTY
    kept = {key: value for key, value in live.items() if new.get(key) is not None or before.get(key) is None}
    merged = {
        key: three_way_merge(live.get(key), before.get(key), value)
        for key, value in new.items()
        if value is not None
    }
    return {**kept, **merged}


def read_cluster_config(resources: ResourceSet, catalog: Catalog, release: Release) -> ClusterConfig:
    """Return the configuration of the ``KubeVirt`` object among ``resources``, else in ``catalog``.

    Without one, it is the default of the target release's product.

    Raises ``DiagnosticError`` for a value of a wrong type.
    """
    return cluster_config(catalog.after(CatalogSource("the overlay", resources)), release)


def _with_inference(vm: JsonObject, matchers: Matchers) -> JsonObject:
    template = object_at(vm, *_TEMPLATE)
    changed = matchers.template(template)
    return vm if changed is template else with_value(vm, _TEMPLATE, changed)


def _name_annotations(matchers: Matchers) -> JsonObject:
    named: dict[str, Json] = {}
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        matcher: Matcher | None = getattr(matchers, matcher_type.key)
        if matcher is None:
            continue
        kind = matcher_type.matched_kind(matcher.kind)
        annotation = _NAME_ANNOTATIONS[matcher_type.key][kind == matcher_type.cluster_kind]
        named[annotation] = matcher.name
    return named
