"""What else the mutating webhook writes into a VirtualMachine that is created.

KubeVirt ``pkg/instancetype/webhooks/vm/mutator.go`` and ``pkg/defaults/defaults.go``
(``SetVirtualMachineDefaults``).
Its random firmware UUID and serial, and the PCI topology annotation, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Scope
from renderer.instancetype.defaults.vmi_spec import machine_type_of
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.json import JsonObject, array_at, object_at, text_at
from renderer.model.resource import Resource

_ARCHITECTURE_LABEL = "template.kubevirt.io/architecture"
_ARCHITECTURES = frozenset({"amd64", "arm64", "s390x"})


@dataclass(frozen=True, slots=True)
class Mutation:
    """The values afterwards; one storage class for each of the ``dataVolumeTemplates``, None for none."""

    architecture: str
    machine_type: str
    storage_class_names: tuple[str | None, ...]


def mutation_of(
    vm_spec: JsonObject,
    preference: JsonObject | None,
    config: ClusterConfig,
    scope: Scope,
    behaviour: Behaviour,
) -> Mutation:
    """What ``vm_spec`` gets; ``preference`` is the spec of the VM's preference, if it is found."""
    preferred = {} if preference is None else preference
    architecture = (
        text_at(vm_spec, "template", "spec", "architecture")
        or (text_at(preferred, "preferredArchitecture") if behaviour.mutates_architecture else "")
        or _architecture_of_data_source(vm_spec, scope, behaviour)
        or config.default_architecture
    )
    machine_type = (
        text_at(vm_spec, "template", "spec", "domain", "machine", "type")
        or text_at(preferred, "machine", "preferredMachineType")
        or machine_type_of(config, architecture, behaviour)
    )
    storage_class = text_at(preferred, "volumes", "preferredStorageClassName")
    names = tuple(
        _storage_class_name(object_at(template, "spec"), storage_class)
        for template in array_at(vm_spec, "dataVolumeTemplates")
    )
    return Mutation(architecture, machine_type, names)


def _architecture_of_data_source(vm_spec: JsonObject, scope: Scope, behaviour: Behaviour) -> str:
    """The architecture that the first labelled DataSource of a ``dataVolumeTemplate`` is for."""
    if not behaviour.reads_data_source_architecture:
        return ""
    for template in array_at(vm_spec, "dataVolumeTemplates"):
        reference = object_at(template, "spec", "sourceRef")
        if text_at(reference, "kind").lower() != "datasource":
            continue
        source = _data_source(reference, scope)
        architecture = "" if source is None else _architecture_label(source)
        if architecture in _ARCHITECTURES:
            return architecture
    return ""


def _architecture_label(source: Resource) -> str:
    return text_at(source.content, "metadata", "labels", _ARCHITECTURE_LABEL)


def _data_source(reference: JsonObject, scope: Scope) -> Resource | None:
    """The DataSource that is referred to, or the one it points at."""
    namespace = text_at(reference, "namespace") or scope.namespace
    source = scope.find("DataSource", text_at(reference, "name"), namespace)
    if source is None:
        return None
    target = object_at(source.content, "spec", "source").get("dataSource")
    if target is None:
        return source
    return scope.find("DataSource", text_at(target, "name"), text_at(target, "namespace"))


def _storage_class_name(data_volume_spec: JsonObject, preferred: str) -> str | None:
    """The storage class of a DataVolume's ``storage``, else of its ``pvc``."""
    names = [
        preferred or None if (name := section.get("storageClassName")) is None else name
        for key in ("storage", "pvc")
        if isinstance(section := data_volume_spec.get(key), dict)
    ]
    return next((name for name in names if isinstance(name, str)), None)
