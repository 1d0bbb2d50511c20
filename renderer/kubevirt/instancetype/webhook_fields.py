"""Fields that the mutating webhook fills in, written in advance so that the cluster matches Git.

KubeVirt ``pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go``,
``pkg/instancetype/webhooks/vm/mutator.go`` and ``pkg/defaults/defaults.go`` (``SetVirtualMachineDefaults``).
The webhook chooses firmware UUID and serial at random; here they are derived from namespace and name.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID, uuid5

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.kinds import DATA_SOURCE, INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.kubevirt.instancetype.behaviour import Behaviour, PciTopology
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import with_default
from renderer.kubevirt.instancetype.find import Finder
from renderer.kubevirt.instancetype.resolve import resolve_matchers, select
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.render_config import WebhookField

_ARCHITECTURE_LABEL = "template.kubevirt.io/architecture"
_ARCHITECTURES = frozenset({"amd64", "arm64", "s390x"})
#: Identifies vmrender: another value would give every machine another identity.
_NAMESPACE = UUID("1f8c2a5e-6d0b-4c1e-9a57-3b2f0e8d4c61")
_SPEC = INSTANCE_SPEC.keys
_MACHINE_TYPE = (*_SPEC, "domain", "machine", "type")
_FIRMWARE = (*_SPEC, "domain", "firmware")
_PCI_TOPOLOGY = ("spec", "template", "metadata", "annotations", "kubevirt.io/pci-topology-version")
_PCIE_ARCHITECTURES = frozenset({"amd64", "arm64"})


class Mutation(Record):
    """The resulting values."""

    architecture: str
    machine_type: str


def mutation_of(
    vm_spec: JsonObject,
    preference: JsonObject | None,
    config: ClusterConfig,
    scope: Scope,
    behaviour: Behaviour,
) -> Mutation:
    """Return the values that ``vm_spec`` gets; ``preference`` is the preference's spec, if found."""
    preferred = {} if preference is None else preference
    architecture = (
        text_at(vm_spec, "template", "spec", "architecture")
        or (text_at(preferred, "preferredArchitecture") if behaviour.mutates_architecture else "")
        or architecture_of_data_source(vm_spec, scope, behaviour)
        or config.default_architecture
    )
    machine_type = (
        text_at(vm_spec, "template", "spec", "domain", "machine", "type")
        or text_at(preferred, "machine", "preferredMachineType")
        or Cluster(behaviour.release, config).machine_type(architecture)
    )
    return Mutation(architecture, machine_type)


def architecture_of_data_source(vm_spec: JsonObject, scope: Scope, behaviour: Behaviour) -> str:
    """Return the architecture of the first labelled DataSource of a ``dataVolumeTemplate``."""
    if not behaviour.reads_data_source_architecture:
        return ""
    for template in array_at(vm_spec, "dataVolumeTemplates"):
        reference = object_at(template, "spec", "sourceRef")
        if text_at(reference, "kind").lower() != "datasource":
            continue
        source = _data_source(reference, scope)
        if source is not None:
            architecture = text_at(source.content, "metadata", "labels", _ARCHITECTURE_LABEL)
            if architecture in _ARCHITECTURES:
                return architecture
    return ""


def _data_source(reference: JsonObject, scope: Scope) -> Resource | None:
    """Return the DataSource of a reference, or the one that it points to."""
    namespace = text_at(reference, "namespace") or scope.namespace
    source = scope.find(DATA_SOURCE, text_at(reference, "name"), namespace)
    if source is None:
        return None
    target = object_at(source.content, "spec", "source").get("dataSource")
    if target is None:
        return source
    return scope.find(DATA_SOURCE, text_at(target, "name"), text_at(target, "namespace"))


def with_webhook_fields(
    resources: ResourceSet,
    before: ResourceSet,
    catalog: Catalog,
    requested: Collection[WebhookField],
    behaviour: Behaviour,
) -> ResourceSet:
    """Return ``resources`` with the ``requested`` fields that VMs leave open and the release fills in.

    ``before`` are the same resources before expansion, whose matchers name objects in them or in ``catalog``.
    A VirtualMachine whose preference is not found stays unchanged: expansion reports it. The VirtualMachines
    of a pool are not in Git, and stay unchanged.
    """
    everything = catalog.after(CatalogSource("the overlay", before))
    try:
        writer = _Writer(everything, requested, cluster_config(everything, behaviour.release), behaviour)
    except DiagnosticError:
        return resources
    matching = {resource.current_id: resource for resource in before}
    return resources.map(lambda resource: writer.fill_in(resource, matching.get(resource.current_id)))


class _Writer:
    def __init__(
        self,
        catalog: Catalog,
        requested: Collection[WebhookField],
        config: ClusterConfig,
        behaviour: Behaviour,
    ) -> None:
        self._catalog = catalog
        self._requested = requested
        self._config = config
        self._behaviour = behaviour
        self._finder = Finder(behaviour)

    def fill_in(self, resource: Resource, before: Resource | None) -> Resource:
        vm, matching = VirtualMachine.of(resource), VirtualMachine.of(before) if before else None
        if vm is None or matching is None or vm.base.segments or vm.template is None:
            return resource
        scope = Scope(self._catalog, resource.namespace)
        try:
            matchers = resolve_matchers(matching.spec, scope, self._behaviour)
            preference = select(matchers, matching.status, scope, self._finder).preference
        except (CauseError, DiagnosticError):
            return resource
        return vm.with_content(self._content(vm.content, preference.spec if preference else None, scope))

    def _content(self, vm: JsonObject, preference: JsonObject | None, scope: Scope) -> JsonObject:
        mutation = mutation_of(object_at(vm, "spec"), preference, self._config, scope, self._behaviour)
        if WebhookField.MATCHER_KIND in self._requested and self._behaviour.fills_in_matcher_kind:
            vm = _with_matcher_kind(_with_matcher_kind(vm, INSTANCETYPE), PREFERENCE)
        if WebhookField.ARCHITECTURE in self._requested:
            vm = with_default(vm, (*_SPEC, "architecture"), mutation.architecture)
        if WebhookField.MACHINE in self._requested:
            vm = with_default(vm, _MACHINE_TYPE, mutation.machine_type)
        if WebhookField.STORAGE_CLASS in self._requested:
            preferred = text_at(preference, "volumes", "preferredStorageClassName")
            vm = with_storage_classes(vm, preferred, self._behaviour)
        if WebhookField.FIRMWARE in self._requested:
            vm = _with_firmware(vm, scope.namespace, self._behaviour)
        if WebhookField.PCI_TOPOLOGY in self._requested and gets_pci_topology(
            mutation.architecture, mutation.machine_type, self._behaviour
        ):
            vm = with_default(vm, _PCI_TOPOLOGY, "v3")
        return vm


def _with_matcher_kind(vm: JsonObject, matcher: MatcherType) -> JsonObject:
    """Fill in the kind of a matcher with a name; an inferred one gets its kind with its name."""
    content = object_at(vm, "spec", matcher.key)
    if not text_at(content, "name"):
        return vm
    return with_default(vm, ("spec", matcher.key, "kind"), matcher.default_kind)


def with_storage_classes(vm: JsonObject, preferred: str, behaviour: Behaviour) -> JsonObject:
    """Return the VM; the ``dataVolumeTemplates`` have the preferred storage class where they name none."""
    templates = array_at(vm, "spec", "dataVolumeTemplates")
    if not preferred or not templates:
        return vm
    sections = ("pvc", "storage") if behaviour.fills_in_storage_class_of_storage else ("pvc",)
    filled = [_with_storage_class(each, preferred, sections) for each in templates]
    return with_value(vm, ("spec", "dataVolumeTemplates"), filled)


def _with_storage_class(template: Json, preferred: str, sections: tuple[str, ...]) -> Json:
    if not isinstance(template, dict):
        return template
    changed: JsonObject = template
    for section in sections:
        content = object_at(template, "spec").get(section)
        if isinstance(content, dict) and content.get("storageClassName") is None:
            changed = with_value(changed, ("spec", section, "storageClassName"), preferred)
    return changed


def _with_firmware(vm: JsonObject, namespace: str, behaviour: Behaviour) -> JsonObject:
    name = f"{namespace}/{text_at(vm, 'metadata', 'name')}"
    if behaviour.assigns_firmware_uuid:
        vm = with_default(vm, (*_FIRMWARE, "uuid"), str(uuid5(_NAMESPACE, name)))
    if behaviour.assigns_firmware_serial:
        vm = with_default(vm, (*_FIRMWARE, "serial"), str(uuid5(_NAMESPACE, f"{name}/serial")))
    return vm


def gets_pci_topology(architecture: str, machine_type: str, behaviour: Behaviour) -> bool:
    """Return True if a VM gets an annotation with its PCI topology on creation (``SupportsPCIeHotplug``)."""
    match behaviour.pci_topology:
        case PciTopology.NONE:
            return False
        case PciTopology.OF_ALL:
            return True
        case PciTopology.OF_ARCHITECTURES:
            return architecture in _PCIE_ARCHITECTURES
        case PciTopology.OF_MACHINE_TYPES:
            is_pcie = "q35" in machine_type or machine_type.startswith("virt")
            return is_pcie and architecture in _PCIE_ARCHITECTURES
