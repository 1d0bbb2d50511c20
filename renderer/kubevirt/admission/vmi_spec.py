"""A VirtualMachineInstance's spec, as the checks read it."""

from __future__ import annotations

from collections.abc import Container, Sequence

from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import EMPTY, Json, JsonObject, text_at
from renderer.model.quantity import Quantity
from renderer.model.record import Record

_ZERO = Quantity.of(None)


class VmiSpec(Record):
    """The spec's ``content`` at ``path``, with the sections that many checks use.

    A missing section is empty; ``content`` and ``domain`` show if it is there. An empty list equals a missing
    one, because KubeVirt's mutating webhook drops empty lists. ``fields`` are the names of the fields written
    in the spec and in the sections of its domain.
    """

    path: FieldPath
    content: JsonObject
    domain: JsonObject
    cpu: JsonObject
    memory: JsonObject
    requests: JsonObject
    limits: JsonObject
    devices: JsonObject
    disks: Sequence[JsonObject]
    interfaces: Sequence[JsonObject]
    networks: Sequence[JsonObject]
    volumes: Sequence[JsonObject]
    fields: frozenset[str]

    @classmethod
    def of(cls, content: JsonObject, path: FieldPath) -> VmiSpec:
        domain = section(content, "domain")
        cpu, memory, devices = section(domain, "cpu"), section(domain, "memory"), section(domain, "devices")
        resources = section(domain, "resources")
        return cls(
            path,
            content,
            domain,
            cpu,
            memory,
            section(resources, "requests"),
            section(resources, "limits"),
            devices,
            elements(devices, "disks"),
            elements(devices, "interfaces"),
            elements(content, "networks"),
            elements(content, "volumes"),
            frozenset((*content, *domain, *cpu, *memory, *devices, *resources)),
        )

    @property
    def architecture(self) -> str:
        """The architecture; empty if it is not set."""
        return text_at(self.content, "architecture")

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the spec."""
        return self.path.child(*segments)

    def device(self, *segments: Segment) -> FieldPath:
        """Return the path of a field below ``domain.devices``."""
        return self.path.child("domain", "devices", *segments)


class VmSpec(Record):
    """A VirtualMachine's spec, ``content`` at ``path``, and the spec of the instance in its template.

    ``templates`` are its ``dataVolumeTemplates``.
    """

    path: FieldPath
    content: JsonObject
    vmi: VmiSpec
    templates: Sequence[JsonObject]

    @classmethod
    def of(cls, content: JsonObject, path: FieldPath) -> VmSpec:
        template = section(section(content, "template"), "spec")
        vmi = VmiSpec.of(template, path.child("template", "spec"))
        return cls(path, content, vmi, elements(content, "dataVolumeTemplates"))

    @property
    def fields(self) -> frozenset[str]:
        """The names of the fields written in the spec and in the VirtualMachineInstance's spec."""
        return self.vmi.fields | frozenset(self.content)

    def at(self, *segments: Segment) -> FieldPath:
        """Return the path of a field of the spec."""
        return self.path.child(*segments)


def section(parent: JsonObject, key: str) -> JsonObject:
    """Return the mapping at ``key``; an empty one if it is missing."""
    child = parent.get(key)
    return child if isinstance(child, dict) else EMPTY


def elements(parent: JsonObject, key: str) -> Sequence[JsonObject]:
    """Return the mappings in the list at ``key``; any other element counts as an empty mapping."""
    children = parent.get(key)
    if not isinstance(children, list):
        return ()
    return [child if isinstance(child, dict) else EMPTY for child in children]


def text(parent: JsonObject, key: str) -> str:
    """Return the text at ``key``; an empty one if it is missing."""
    value = parent.get(key)
    return value if isinstance(value, str) else ""


def texts(parent: JsonObject, key: str) -> Sequence[str]:
    """Return the texts in the list at ``key``; an empty one in place of null."""
    children = parent.get(key)
    return (
        [child if isinstance(child, str) else "" for child in children] if isinstance(children, list) else ()
    )


def number(parent: JsonObject, key: str) -> int:
    """Return the integer at ``key``; 0 if it is missing."""
    value = parent.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def quantity(parent: JsonObject, key: str) -> Quantity:
    """Return the quantity at ``key``; 0 if it is missing. Raises ``DiagnosticError`` if it is invalid."""
    value = parent.get(key)
    return _ZERO if value is None else Quantity.of(value)


def has(parent: JsonObject, key: str) -> bool:
    """Return True if the value is not null, like a Go pointer that is not nil."""
    return parent.get(key) is not None


def present(parent: JsonObject, keys: Container[str]) -> list[str]:
    """Return the ``keys`` that are present."""
    return [key for key, value in parent.items() if value is not None and key in keys]


def is_not_disabled(parent: JsonObject, key: str) -> bool:
    """Return True if a feature is present and not ``enabled: false`` (Go's ``FeatureState``)."""
    value: Json = parent.get(key)
    return isinstance(value, dict) and value.get("enabled") is not False
