"""The objects that virtual machines refer to by name, the objects that will exist, and mistyped names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from renderer.kubevirt.facts.virtual_machine import Element, VirtualMachineView, elements
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.work import spend

SECRET = "Secret"  # noqa: S105 - a kind, no password
CONFIG_MAP = "ConfigMap"
SERVICE_ACCOUNT = "ServiceAccount"
CLAIM = "PersistentVolumeClaim"
NETWORK = "NetworkAttachmentDefinition"
DATA_SOURCE = "DataSource"

_Way = tuple[str, ...]

#: The kinds of volumes: the field with the name, and the kind it names. A field ``optional`` next to it
#: allows a missing object.
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
    """The path of a field of machines, in two parts, which are joined only for a finding."""

    base: FieldPath
    at: tuple[Segment, ...] = ()


#: The places of all machines: a fleet has only two or three different ones.
_place = lru_cache(maxsize=1024)(ReferencePlace)


class ObjectReference(Record):
    """``name`` is looked up in ``namespace``, which is empty if it is unknown."""

    machine: VirtualMachineView
    place: ReferencePlace
    way: _Way
    kind: str
    name: str
    namespace: str

    @property
    def resource(self) -> Resource:
        return self.machine.resource

    @property
    def field(self) -> FieldPath:
        return self.place.base.child(*self.place.at, *self.way)


def references(machines: Iterable[VirtualMachineView]) -> Mapping[str, list[ObjectReference]]:
    """Return all references, by the kind that they name."""
    found: dict[str, list[ObjectReference]] = {}
    for machine in machines:
        for reference in _references(machine):
            found.setdefault(reference.kind, []).append(reference)
    return found


def _references(machine: VirtualMachineView) -> Iterator[ObjectReference]:
    for index, volume in machine.volumes:
        yield from _of_volume(machine, index, volume)
    for index, network in machine.networks:
        yield from _of_network(machine, index, network)
    for element in machine.data_volume_templates:
        yield from _of_data_volume_template(machine, element)
    for index, credential in elements(machine.instance.get("accessCredentials")):
        place = _place(machine.paths.instance, ("accessCredentials", index))
        for way in _CREDENTIALS:
            yield from _references_at(machine, place, credential, way, SECRET)
    if "serviceAccountName" in machine.instance:
        here = _place(machine.paths.instance)
        yield from _references_at(machine, here, machine.instance, ("serviceAccountName",), SERVICE_ACCOUNT)


def _of_volume(machine: VirtualMachineView, index: int, volume: JsonObject) -> Iterator[ObjectReference]:
    for source in volume:
        content = volume[source] if source in _IN_VOLUMES else None
        if isinstance(content, dict) and content.get("optional") is not True:
            for way, kind in _IN_VOLUMES[source]:
                if way[0] in content:
                    place = _place(machine.paths.instance, ("volumes", index, source))
                    yield from _references_at(machine, place, content, way, kind)


def _of_network(machine: VirtualMachineView, index: int, network: JsonObject) -> Iterator[ObjectReference]:
    written = object_at(network, "multus").get("networkName")
    if isinstance(written, str) and written:
        namespace, slash, name = written.rpartition("/")
        place = _place(machine.paths.instance, ("networks", index))
        way = ("multus", "networkName")
        yield ObjectReference(machine, place, way, NETWORK, name, namespace if slash else machine.namespace)


def _of_data_volume_template(machine: VirtualMachineView, element: Element) -> Iterator[ObjectReference]:
    index, template = element
    spec = object_at(template, "spec")
    place = _place(machine.paths.spec, ("dataVolumeTemplates", index, "spec"))
    source_ref = spec.get("sourceRef")
    if isinstance(source_ref, dict) and source_ref.get("kind") == DATA_SOURCE:
        yield from _elsewhere(machine, place, source_ref, ("sourceRef", "name"), DATA_SOURCE)
    source = spec.get("source")
    for kind, content in source.items() if isinstance(source, dict) else ():
        if kind == "pvc" and isinstance(content, dict):
            yield from _elsewhere(machine, place, content, ("source", "pvc", "name"), CLAIM)
        else:
            yield from _references_at(machine, place, spec, ("source", kind, "secretRef"), SECRET)
            yield from _references_at(machine, place, spec, ("source", kind, "certConfigMap"), CONFIG_MAP)


def _elsewhere(
    machine: VirtualMachineView, place: ReferencePlace, reference: JsonObject, way: _Way, kind: str
) -> Iterator[ObjectReference]:
    """Yield the reference to an object that may be in another namespace."""
    name, namespace = reference.get("name"), reference.get("namespace")
    if isinstance(name, str) and name:
        there = namespace if isinstance(namespace, str) and namespace else machine.namespace
        yield ObjectReference(machine, place, way, kind, name, there)


def _references_at(
    machine: VirtualMachineView, place: ReferencePlace, content: Json, way: _Way, kind: str
) -> Iterator[ObjectReference]:
    name = object_at(content, *way[:-1]).get(way[-1])
    if isinstance(name, str) and name:
        yield ObjectReference(machine, place, way, kind, name, machine.namespace)


#: Kinds whose controllers create an object of another kind with the same name.
_SAME_NAME: Mapping[str, str] = {
    "DataVolume": CLAIM,
    "SealedSecret": SECRET,
    "OnePasswordItem": SECRET,
    "Bundle": CONFIG_MAP,
    "UserDefinedNetwork": NETWORK,
    "ClusterUserDefinedNetwork": NETWORK,
    "SriovNetwork": NETWORK,
    "SriovIBNetwork": NETWORK,
    "OVSNetwork": NETWORK,
    **{kind: kind for kind in (CLAIM, CONFIG_MAP, DATA_SOURCE, NETWORK, SECRET, SERVICE_ACCOUNT)},
}
#: Suffixes of kinds whose controllers create Secrets, named somewhere in their spec.
_MAKERS_OF_SECRETS = ("Secret", "Secrets", "Certificate")
_NAMES_OF_SECRETS = ("name", "secretName")


class Item(Record):
    """An object by name; ``resource`` is the object itself, or the resource that creates it."""

    name: str
    namespace: str
    resource: Resource


class Inventory:
    """The objects that exist, by kind and name."""

    def __init__(self, resources: Iterable[Resource], machines: Iterable[VirtualMachineView]) -> None:
        self._by_kind: dict[str, dict[str, list[Item]]] = {}
        for resource in resources:
            for kind, name in _made_by(resource):
                self._add(kind, Item(name, resource.namespace, resource))
        for machine in machines:
            for _, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                self._add(CLAIM, Item(name, machine.namespace, machine.resource))

    def named(self, kind: str, name: str) -> Sequence[Item]:
        return self._by_kind.get(kind, {}).get(name, ())

    def knows(self, kind: str) -> bool:
        """Return True if there is any object of the kind."""
        return kind in self._by_kind

    def of_kind(self, kind: str) -> Iterator[Item]:
        for items in self._by_kind.get(kind, {}).values():
            yield from items

    def names(self, kind: str) -> Iterator[tuple[str, Item]]:
        """Yield the items of the kind, by their name and by their names before kustomize renamed them."""
        for item in self.of_kind(kind):
            yield item.name, item
        for (renamed, name), items in self.renamed.items():
            if renamed == kind:
                yield from ((name, item) for item in items)

    @cached_property
    def renamed(self) -> Mapping[tuple[str, str], Sequence[Item]]:
        """The items that kustomize has renamed, by kind and each earlier name."""
        found: dict[tuple[str, str], list[Item]] = {}
        for kind in self._by_kind:
            for item in self.of_kind(kind):
                for earlier in item.resource.previous_ids if item.resource.name == item.name else ():
                    if earlier.name != item.name:
                        found.setdefault((kind, earlier.name), []).append(item)
        return found

    def has(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if such an object may exist; one without a namespace may be put into any."""
        items = self.named(kind, name)
        return bool(items) and any(may_be_in(item, namespace) for item in items)

    def _add(self, kind: str, item: Item) -> None:
        self._by_kind.setdefault(kind, {}).setdefault(item.name, []).append(item)


def may_be_in(item: Item, namespace: str) -> bool:
    """Return True if the object is in the namespace, or may be put into it; an empty one matches any."""
    return not namespace or not item.namespace or item.namespace == namespace


def _made_by(resource: Resource) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names of the objects that exist because of the resource."""
    kind = resource.kind
    same = _SAME_NAME.get(kind)
    if same is not None:
        yield same, resource.name
    elif kind.endswith(_MAKERS_OF_SECRETS):
        yield SECRET, resource.name
        for name in _names_in(resource.content.get("spec")):
            yield SECRET, name
    elif kind == "DataImportCron":
        yield DATA_SOURCE, text_at(resource.content, "spec", "managedDataSource")


def _names_in(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for key in _NAMES_OF_SECRETS:
            name = object_at(value).get(key)
            if isinstance(name, str):
                yield name
        for child in value.values():
            yield from _names_in(child)
    for element in array_at(value):
        yield from _names_in(element)


_SEPARATORS = pattern(r"[-._]")
_DIGITS = pattern(r"\d+")
_SHORTEST_SWAPPED = 3
_SHORTEST_WORD = 4  # shorter words may well be different on purpose: prod and prd, a and b
_LONG_WORD = 6
_FAR = 3  # a distance that is too large for a typo
_LONGEST_WORD = 253  # the maximum length of a name in a cluster
_STEPS_PER_LETTER = 12  # of ``model.work``
_MOST = 3  # letters that a typo adds or drops


def numbers_of(name: str) -> tuple[str, ...]:
    """Return the numbers in a name: names with different numbers differ on purpose, and are not a mistake."""
    return tuple(_DIGITS.findall(name))


def is_near_miss(written: str, meant: str) -> bool:
    """Return True if ``written`` is probably a typo of ``meant``: databse-root for database-root.

    Names that differ in a number or a short word differ on purpose.
    """
    if written == meant or abs(len(written) - len(meant)) > _MOST or numbers_of(written) != numbers_of(meant):
        return False
    words, meant_words = _SEPARATORS.split(written), _SEPARATORS.split(meant)
    if len(words) != len(meant_words):
        return "".join(words) == "".join(meant_words)
    pairs = [(one, other) for one, other in zip(words, meant_words, strict=True) if one != other]
    return not pairs or (len(pairs) == 1 and _is_mistyped(*pairs[0]))


def _is_mistyped(word: str, meant: str) -> bool:
    if word in (f"{meant}s", meant.removesuffix("s")) and len(meant) > 1:
        return True
    shorter = min(len(word), len(meant))
    if shorter >= _SHORTEST_SWAPPED and sorted(word) == sorted(meant):
        return _distance(word, meant) == 1
    if max(len(word), len(meant)) > _LONGEST_WORD:
        return False
    return shorter >= _SHORTEST_WORD and _distance(word, meant) <= (1 if shorter < _LONG_WORD else 2)


def _distance(word: str, other: str) -> int:
    """Return the number of letters to insert, remove, change or swap with their neighbour, up to ``_FAR``.

    This is the optimal string alignment distance. Only the cells near the diagonal of its table are filled:
    beyond them the distance is at least ``_FAR``.
    """
    if abs(len(word) - len(other)) >= _FAR:
        return _FAR
    spend(len(word) * _STEPS_PER_LETTER, "comparing names that may be mistyped")
    last, before = [_FAR] * (len(other) + 1), [min(j, _FAR) for j in range(len(other) + 1)]
    for i, letter in enumerate(word, 1):
        row = [_FAR] * (len(other) + 1)
        row[0] = min(i, _FAR)
        for j in range(max(1, i - _FAR + 1), min(len(other), i + _FAR - 1) + 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other[j - 1]), _FAR)
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == other[j - 1]:
                cost = min(cost, last[j - 2] + 1)
            row[j] = cost
        if (
            min(row[max(0, i - _FAR + 1) : i + _FAR]) == _FAR
            and min(before[max(0, i - _FAR) : i + _FAR]) == _FAR
        ):
            return _FAR
        last, before = before, row
    return before[-1]
