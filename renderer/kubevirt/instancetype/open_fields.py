"""The fields of VirtualMachines that Git leaves open and the cluster fills in, which makes the two differ.

KubeVirt ``pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go`` and
``pkg/instancetype/webhooks/vm/mutator.go``; until 1.4 also its controller (``revisionName``), and for
machines from before 1.6 ``pkg/virt-controller/watch/vm/firmware.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.behaviour import Behaviour, PciTopology
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import ResourceSet
from renderer.model.record import Record

_TEMPLATE = ".spec.template.spec"
_ANNOTATIONS = ".spec.template.metadata.annotations"
_PCI_TOPOLOGY = "kubevirt.io/pci-topology-version"
_PCI_SLOTS = "kubevirt.io/pci-interface-slot-count"


class _OpenField(Record):
    """A path in jq syntax, and the test that a VirtualMachine with that ``spec`` leaves it open."""

    path: str
    is_open: Callable[[JsonObject, Behaviour], bool]


def open_fields(resources: ResourceSet, behaviour: Behaviour) -> tuple[str, ...]:
    """Return the jq paths that the release fills in for at least one VirtualMachine of ``resources``."""
    vms = (VirtualMachine.of(resource) for resource in resources)
    specs = [vm.spec for vm in vms if vm is not None and not vm.base.segments]
    return tuple(field.path for field in _FIELDS if any(field.is_open(spec, behaviour) for spec in specs))


def _vmi(spec: JsonObject) -> JsonObject:
    return object_at(spec, "template", "spec")


def _lacks_architecture(spec: JsonObject, _: Behaviour) -> bool:
    return not text_at(_vmi(spec), "architecture")


def _lacks_machine_type(spec: JsonObject, _: Behaviour) -> bool:
    return not text_at(_vmi(spec), "domain", "machine", "type")


def _lacks_uuid(spec: JsonObject, behaviour: Behaviour) -> bool:
    return behaviour.assigns_firmware_uuid and not text_at(_vmi(spec), "domain", "firmware", "uuid")


def _lacks_serial(spec: JsonObject, behaviour: Behaviour) -> bool:
    return behaviour.assigns_firmware_serial and not text_at(_vmi(spec), "domain", "firmware", "serial")


def _lacks_pci_topology(spec: JsonObject, behaviour: Behaviour) -> bool:
    annotations = object_at(spec, "template", "metadata", "annotations")
    return behaviour.pci_topology is not PciTopology.NONE and _PCI_TOPOLOGY not in annotations


def _lacks_storage_class(section: str) -> Callable[[JsonObject, Behaviour], bool]:
    def lacks(spec: JsonObject, behaviour: Behaviour) -> bool:
        if section == "storage" and not behaviour.fills_in_storage_class_of_storage:
            return False
        templates = (object_at(each, "spec") for each in array_at(spec, "dataVolumeTemplates"))
        sections = (each.get(section) for each in templates if spec.get("preference"))
        return any(isinstance(each, dict) and not text_at(each, "storageClassName") for each in sections)

    return lacks


def _matcher_fields(matcher: MatcherType) -> Iterator[_OpenField]:
    path = f".spec.{matcher.key}"

    def infers(spec: JsonObject, _: Behaviour) -> bool:
        return bool(text_at(spec, matcher.key, "inferFromVolume"))

    def lacks_kind(spec: JsonObject, behaviour: Behaviour) -> bool:
        content = object_at(spec, matcher.key)
        fills_in = behaviour.fills_in_matcher_kind or "inferFromVolume" in content
        return bool(content) and fills_in and not content.get("kind")

    def lacks_revision(spec: JsonObject, behaviour: Behaviour) -> bool:
        content = object_at(spec, matcher.key)
        return bool(content) and not behaviour.records_revision_in_status and not content.get("revisionName")

    yield _OpenField(f"{path}.inferFromVolume", infers)
    yield _OpenField(f"{path}.name", infers)
    yield _OpenField(f"{path}.kind", lacks_kind)
    yield _OpenField(f"{path}.revisionName", lacks_revision)


_FIELDS = (
    *_matcher_fields(INSTANCETYPE),
    *_matcher_fields(PREFERENCE),
    *(
        _OpenField(
            f".spec.dataVolumeTemplates[]?.spec.{section}.storageClassName", _lacks_storage_class(section)
        )
        for section in ("pvc", "storage")
    ),
    _OpenField(f"{_TEMPLATE}.architecture", _lacks_architecture),
    _OpenField(f"{_TEMPLATE}.domain.machine", _lacks_machine_type),
    _OpenField(f"{_TEMPLATE}.domain.firmware.uuid", _lacks_uuid),
    _OpenField(f"{_TEMPLATE}.domain.firmware.serial", _lacks_serial),
    _OpenField(f'{_ANNOTATIONS}["{_PCI_TOPOLOGY}"]', _lacks_pci_topology),
    _OpenField(f'{_ANNOTATIONS}["{_PCI_SLOTS}"]', _lacks_pci_topology),
)
