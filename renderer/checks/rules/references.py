"""The objects that virtual machines refer to by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from renderer.checks.rules.inventory import (
    kind_looked_up,
)
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    CONFIG_MAP,
    DATA_SOURCE,
    NETWORK,
    SECRET,
    SERVICE_ACCOUNT,
    VOLUME_SNAPSHOT,
)
from renderer.kubevirt.facts.name_references import CREDENTIAL_SECRETS, INSTANCE_FIELDS
from renderer.kubevirt.facts.pool_names import has_indexed_references
from renderer.kubevirt.facts.virtual_machine import Element, VirtualMachineView, elements
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import LATEST, Release
from renderer.model.run.work import spend

_KeyPath = tuple[str, ...]


def _fields_in_volumes() -> Mapping[str, tuple[tuple[_KeyPath, str], ...]]:
    found: dict[str, tuple[tuple[_KeyPath, str], ...]] = {}
    for field in INSTANCE_FIELDS:
        if field.path[:1] == ("volumes",):
            source, *path = *field.path[1:], field.name
            found[source] = (*found.get(source, ()), (tuple(path), kind_looked_up(field.targets({}))))
    return found


#: The kinds of volumes: the field with the name, and the kind it names. A field ``optional`` next to it
#: allows a missing object.
_IN_VOLUMES = _fields_in_volumes()


class ReferencePlace(Record):
    """The path of a field of machines, in two parts, which are joined only for a finding."""

    base: FieldPath
    at: tuple[Segment, ...] = ()


#: The places of all machines: a fleet has only two or three different ones.
_place = lru_cache(maxsize=1024)(ReferencePlace)


class ObjectReference(Record):
    """``name`` is looked up in ``namespace``, which is empty if it is unknown.

    If ``is_indexed``, each machine of a pool refers to an object of its own: ``ci-0``, ``ci-1`` … for ``ci``.
    """

    machine: VirtualMachineView
    place: ReferencePlace
    path: _KeyPath
    kind: str
    name: str
    namespace: str
    is_indexed: bool = False

    @property
    def resource(self) -> Resource:
        return self.machine.resource

    @property
    def qualified_name(self) -> str:
        """The name, after the namespace if it is known."""
        return namespaced_name(self.namespace, self.name)

    def names(self) -> Iterator[str]:
        """Yield the names of the objects: one, or one for each machine of a pool."""
        if not self.is_indexed:
            yield self.name
            return
        replicas = max(self.machine.replicas, 0)
        spend(replicas, "naming the objects of a pool's machines")
        yield from (f"{self.name}-{index}" for index in range(replicas))

    @property
    def field(self) -> FieldPath:
        return self.place.base.child(*self.place.at, *self.path)


def references(
    machines: Iterable[VirtualMachineView], release: Release = LATEST
) -> Mapping[str, list[ObjectReference]]:
    """Return all references, by the kind that they name."""
    found: dict[str, list[ObjectReference]] = {}
    for machine in machines:
        for reference in _references(machine, release):
            found.setdefault(reference.kind, []).append(reference)
    return found


def _references(machine: VirtualMachineView, release: Release) -> Iterator[ObjectReference]:
    for index, volume in machine.volumes:
        yield from _volume_references(machine, index, volume, release)
    for index, network in machine.networks:
        yield from _network_references(machine, index, network)
    for element in machine.data_volume_templates:
        yield from _data_volume_references(machine, element)
    for index, credential in elements(machine.instance.get("accessCredentials")):
        place = _place(machine.paths.instance, ("accessCredentials", index))
        for path in CREDENTIAL_SECRETS:
            yield from _references_at(machine, place, credential, path, SECRET)
    if "serviceAccountName" in machine.instance:
        here = _place(machine.paths.instance)
        yield from _references_at(machine, here, machine.instance, ("serviceAccountName",), SERVICE_ACCOUNT)


def _volume_references(
    machine: VirtualMachineView, index: int, volume: JsonObject, release: Release
) -> Iterator[ObjectReference]:
    for source in volume:
        content = volume[source] if source in _IN_VOLUMES else None
        if isinstance(content, dict) and content.get("optional") is not True:
            is_indexed = has_indexed_references(machine, source, release)
            for path, kind in _IN_VOLUMES[source]:
                if path[0] in content:
                    place = _place(machine.paths.instance, ("volumes", index, source))
                    for reference in _references_at(machine, place, content, path, kind):
                        yield reference._replace(is_indexed=True) if is_indexed else reference


def _network_references(
    machine: VirtualMachineView, index: int, network: JsonObject
) -> Iterator[ObjectReference]:
    written = object_at(network, "multus").get("networkName")
    if isinstance(written, str) and written:
        namespace, slash, name = written.rpartition("/")
        place = _place(machine.paths.instance, ("networks", index))
        path = ("multus", "networkName")
        yield ObjectReference(machine, place, path, NETWORK, name, namespace if slash else machine.namespace)


def _data_volume_references(machine: VirtualMachineView, element: Element) -> Iterator[ObjectReference]:
    index, template = element
    spec = object_at(template, "spec")
    place = _place(machine.paths.spec, ("dataVolumeTemplates", index, "spec"))
    source_ref = spec.get("sourceRef")
    if isinstance(source_ref, dict) and source_ref.get("kind") == DATA_SOURCE:
        yield from _namespaced_reference(machine, place, source_ref, ("sourceRef", "name"), DATA_SOURCE)
    source = spec.get("source")
    for kind, content in source.items() if isinstance(source, dict) else ():
        if kind == "pvc" and isinstance(content, dict):
            yield from _namespaced_reference(machine, place, content, ("source", "pvc", "name"), CLAIM)
        elif kind == "snapshot" and isinstance(content, dict):
            path = ("source", "snapshot", "name")
            yield from _namespaced_reference(machine, place, content, path, VOLUME_SNAPSHOT)
        else:
            yield from _references_at(machine, place, spec, ("source", kind, "secretRef"), SECRET)
            yield from _references_at(machine, place, spec, ("source", kind, "certConfigMap"), CONFIG_MAP)


def _namespaced_reference(
    machine: VirtualMachineView, place: ReferencePlace, reference: JsonObject, path: _KeyPath, kind: str
) -> Iterator[ObjectReference]:
    """Yield the reference to an object that may be in another namespace."""
    name, namespace = reference.get("name"), reference.get("namespace")
    if isinstance(name, str) and name:
        there = namespace if isinstance(namespace, str) and namespace else machine.namespace
        yield ObjectReference(machine, place, path, kind, name, there)


def _references_at(
    machine: VirtualMachineView, place: ReferencePlace, content: Json, path: _KeyPath, kind: str
) -> Iterator[ObjectReference]:
    name = object_at(content, *path[:-1]).get(path[-1])
    if isinstance(name, str) and name:
        yield ObjectReference(machine, place, path, kind, name, machine.namespace)
