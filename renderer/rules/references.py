"""What virtual machines refer to by name: where, of which kind, and in which namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.rules.machine import Element, Machine, elements

SECRET = "Secret"  # noqa: S105 - a kind, no password
CONFIG_MAP = "ConfigMap"
SERVICE_ACCOUNT = "ServiceAccount"
CLAIM = "PersistentVolumeClaim"
NETWORK = "NetworkAttachmentDefinition"
DATA_SOURCE = "DataSource"

_Way = tuple[str, ...]

#: The kinds of volumes: where in them a name stands, and of what. A field ``optional`` beside it excuses it.
_IN_VOLUMES: Mapping[str, tuple[tuple[_Way, str], ...]] = {
    "persistentVolumeClaim": ((("claimName",), CLAIM),),
    "dataVolume": ((("name",), CLAIM),),
    "ephemeral": ((("persistentVolumeClaim", "claimName"), CLAIM),),
    "memoryDump": ((("claimName",), CLAIM),),
    "configMap": ((("name",), CONFIG_MAP),),
    "secret": ((("secretName",), SECRET),),
    "serviceAccount": ((("serviceAccountName",), SERVICE_ACCOUNT),),
    "containerDisk": ((("imagePullSecret",), SECRET),),
    "cloudInitNoCloud": ((("secretRef", "name"), SECRET), (("networkDataSecretRef", "name"), SECRET)),
    "cloudInitConfigDrive": ((("secretRef", "name"), SECRET), (("networkDataSecretRef", "name"), SECRET)),
    "sysprep": ((("configMap", "name"), CONFIG_MAP), (("secret", "name"), SECRET)),
}
_CREDENTIALS: tuple[_Way, ...] = tuple(
    (kind, "source", "secret", "secretName") for kind in ("sshPublicKey", "userPassword")
)


class ReferencePlace(Record):
    """A field of a machine in two parts, as the path of what is right is never needed."""

    machine: Machine
    base: FieldPath
    at: tuple[Segment, ...] = ()


class ObjectReference(Record):
    """``name`` is what is looked for in ``namespace``, which is empty where nobody knows."""

    place: ReferencePlace
    way: _Way
    kind: str
    name: str
    namespace: str

    @property
    def resource(self) -> Resource:
        return self.place.machine.resource

    @property
    def field(self) -> FieldPath:
        return self.place.base.child(*self.place.at, *self.way)


def references(machines: Iterable[Machine]) -> Mapping[str, list[ObjectReference]]:
    """All references, by the kind they are to."""
    found: dict[str, list[ObjectReference]] = {}
    for machine in machines:
        for reference in _references(machine):
            found.setdefault(reference.kind, []).append(reference)
    return found


def _references(machine: Machine) -> Iterator[ObjectReference]:
    for index, volume in machine.volumes:
        yield from _of_volume(machine, index, volume)
    for index, network in machine.networks:
        yield from _of_network(machine, index, network)
    for element in machine.data_volume_templates:
        yield from _of_data_volume_template(machine, element)
    for index, credential in elements(machine.instance.get("accessCredentials")):
        place = ReferencePlace(machine, machine.instance_path, ("accessCredentials", index))
        for way in _CREDENTIALS:
            yield from _at(place, credential, way, SECRET)
    here = ReferencePlace(machine, machine.instance_path)
    yield from _at(here, machine.instance, ("serviceAccountName",), SERVICE_ACCOUNT)


def _of_volume(machine: Machine, index: int, volume: JsonObject) -> Iterator[ObjectReference]:
    for source in volume:
        content = volume[source] if source in _IN_VOLUMES else None
        if isinstance(content, dict) and content.get("optional") is not True:
            place = ReferencePlace(machine, machine.instance_path, ("volumes", index, source))
            for way, kind in _IN_VOLUMES[source]:
                yield from _at(place, content, way, kind)


def _of_network(machine: Machine, index: int, network: JsonObject) -> Iterator[ObjectReference]:
    written = object_at(network, "multus").get("networkName")
    if isinstance(written, str) and written:
        namespace, slash, name = written.rpartition("/")
        place = ReferencePlace(machine, machine.instance_path, ("networks", index))
        way = ("multus", "networkName")
        yield ObjectReference(place, way, NETWORK, name, namespace if slash else machine.namespace)


def _of_data_volume_template(machine: Machine, element: Element) -> Iterator[ObjectReference]:
    index, template = element
    spec = object_at(template, "spec")
    place = ReferencePlace(machine, machine.spec_path, ("dataVolumeTemplates", index, "spec"))
    source_ref = spec.get("sourceRef")
    if isinstance(source_ref, dict) and source_ref.get("kind") == DATA_SOURCE:
        yield from _elsewhere(place, source_ref, ("sourceRef", "name"), DATA_SOURCE)
    source = spec.get("source")
    for kind, content in source.items() if isinstance(source, dict) else ():
        if kind == "pvc" and isinstance(content, dict):
            yield from _elsewhere(place, content, ("source", "pvc", "name"), CLAIM)
        else:
            yield from _at(place, spec, ("source", kind, "secretRef"), SECRET)
            yield from _at(place, spec, ("source", kind, "certConfigMap"), CONFIG_MAP)


def _elsewhere(
    place: ReferencePlace, reference: JsonObject, way: _Way, kind: str
) -> Iterator[ObjectReference]:
    """To something that may be in another namespace."""
    name, namespace = reference.get("name"), reference.get("namespace")
    if isinstance(name, str) and name:
        there = namespace if isinstance(namespace, str) and namespace else place.machine.namespace
        yield ObjectReference(place, way, kind, name, there)


def _at(place: ReferencePlace, content: Json, way: _Way, kind: str) -> Iterator[ObjectReference]:
    name = object_at(content, *way[:-1]).get(way[-1])
    if isinstance(name, str) and name:
        yield ObjectReference(place, way, kind, name, place.machine.namespace)
