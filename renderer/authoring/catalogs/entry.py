"""One instance type or preference of a catalog, with the facts that users list and filter by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from renderer.kubevirt.facts.kinds import INSTANCETYPE, INSTANCETYPE_GROUP, INSTANCETYPE_PREFIX, PREFERENCE
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.plural import plural
from renderer.model.quantity import INT64_MAX, Quantity, lenient_quantity
from renderer.model.text_enum import TextEnum

_DISPLAY_NAMES = (f"{INSTANCETYPE_PREFIX}displayName", "openshift.io/display-name")


def instancetype_features(spec: JsonObject) -> tuple[str, ...]:
    """Return the catalog's words for the features that the instance type sets in addition to its size."""
    cpu, memory = object_at(spec, "cpu"), object_at(spec, "memory")
    words = (
        _pair("hugepages", text_at(memory, "hugepages", "pageSize")),
        _pair("overcommit", memory.get("overcommitPercent"), "%"),
        "dedicated" if cpu.get("dedicatedCPUPlacement") is True else "",
        "isolated" if cpu.get("isolateEmulatorThread") is True else "",
        "numa" if object_at(cpu, "numa") else "",
        "realtime" if cpu.get("realtime") is not None else "",
        _pair("model", cpu.get("model")),
        _pair("gpus", _length(spec.get("gpus"))),
        _pair("devices", _length(spec.get("hostDevices"))),
        _pair("io-threads", spec.get("ioThreadsPolicy")),
        "launch-security" if spec.get("launchSecurity") is not None else "",
    )
    return tuple(filter(None, words))


def preference_features(spec: JsonObject) -> tuple[str, ...]:
    """Return the catalog's words for what the preference requires and sets."""
    firmware, devices = object_at(spec, "firmware"), object_at(spec, "devices")
    efi = firmware.get("preferredEfi")
    topology = object_at(spec, "cpu").get("preferredCPUTopology")
    words = (
        text_at(spec, "requirements", "architecture") or text_at(spec, "preferredArchitecture"),
        _pair("topology", topology),
        "efi" if efi is not None or firmware.get("preferredUseEfi") is True else "",
        "secure-boot" if object_at(efi).get("secureBoot") is True else "",
        "tpm" if devices.get("preferredTPM") is not None else "",
        _pair("disk", devices.get("preferredDiskBus")),
        _pair("nic", devices.get("preferredInterfaceModel")),
    )
    return tuple(filter(None, words))


def _pair(name: str, value: Json, unit: str = "") -> str:
    """Return ``name=value``; empty if the value is missing."""
    return f"{name}={value}{unit}" if value else ""


def _length(value: Json) -> int:
    return len(value) if isinstance(value, list) else 0


class EntryType(TextEnum):
    """The two types of entries in a catalog."""

    INSTANCETYPE = "instancetype"
    PREFERENCE = "preference"

    @property
    def noun(self) -> str:
        return "instance type" if self is EntryType.INSTANCETYPE else "preference"


class EntryScope(TextEnum):
    """The scope of an entry: visible in the whole cluster, or in its namespace."""

    CLUSTER = "cluster"
    NAMESPACED = "namespaced"


#: The kinds of a catalog, in the order of output.
KINDS = {
    INSTANCETYPE.cluster_kind: (EntryType.INSTANCETYPE, EntryScope.CLUSTER),
    PREFERENCE.cluster_kind: (EntryType.PREFERENCE, EntryScope.CLUSTER),
    INSTANCETYPE.kind: (EntryType.INSTANCETYPE, EntryScope.NAMESPACED),
    PREFERENCE.kind: (EntryType.PREFERENCE, EntryScope.NAMESPACED),
}


class CatalogEntry:
    """An entry: ``resource`` as written in the catalog that the user knows as ``catalog``.

    ``vcpus`` and ``memory`` are the amounts that an instance type provides or that a preference requires;
    None if the amount is missing or cannot be read. ``clusters`` are the clusters that have it, if the
    entries of several are listed.
    """

    def __init__(self, resource: Resource, catalog: str, clusters: tuple[str, ...] = ()) -> None:
        self.resource = resource
        self.clusters = clusters
        self.catalog = catalog
        self.type, self.scope = KINDS[resource.kind]
        self.name = resource.name

    @cached_property
    def spec(self) -> JsonObject:
        return object_at(self.resource.content, "spec")

    @cached_property
    def identity(self) -> tuple[str, str, str, str]:
        """Return its kind, namespace, name and spec, which are the same in clusters with the same entry."""
        return self.resource.kind, self.resource.namespace, self.resource.name, repr(self.spec)

    @cached_property
    def vcpus(self) -> Quantity | None:
        return lenient_quantity(object_at(self._size_fields, "cpu").get("guest"))

    @cached_property
    def memory(self) -> Quantity | None:
        return lenient_quantity(object_at(self._size_fields, "memory").get("guest"))

    @property
    def amounts(self) -> str:
        """Return ``2 vCPUs, 4Gi``; an amount that the entry lacks is left out."""
        vcpus = self.vcpus.value() if self.vcpus else 0
        count = plural(vcpus, "vCPU") if vcpus else ""
        return ", ".join(filter(None, (count, self.memory.json if self.memory else "")))

    @property
    def is_custom(self) -> bool:
        """Return True if the entry is an instance type that leaves its size to the virtual machine."""
        return self.type is EntryType.INSTANCETYPE and (self.vcpus is None or self.memory is None)

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Return the features that it sets in addition to the amounts, one word each."""
        is_instancetype = self.type is EntryType.INSTANCETYPE
        return instancetype_features(self.spec) if is_instancetype else preference_features(self.spec)

    @property
    def class_name(self) -> str:
        """Return ``general.purpose``; for a preference, the kind of operating system."""
        return self._label("class" if self.type is EntryType.INSTANCETYPE else "os-type")

    @property
    def series(self) -> str:
        """Return ``u1`` for ``u1.medium``."""
        return self.name.partition(".")[0]

    @property
    def architecture(self) -> str:
        """Return the architecture that a preference requires, or else prefers; empty for all."""
        required = text_at(self.spec, "requirements", "architecture")
        return required or text_at(self.spec, "preferredArchitecture") or self._label("arch")

    @property
    def display_name(self) -> str:
        return next(filter(None, (self._annotation(name) for name in _DISPLAY_NAMES)), "")

    @property
    def description(self) -> str:
        """Return the author's description of its use."""
        return self._annotation(f"{INSTANCETYPE_PREFIX}description") or self._annotation("description")

    @property
    def tags(self) -> str:
        return self._annotation("tags")

    @property
    def _size_fields(self) -> JsonObject:
        return self.spec if self.type is EntryType.INSTANCETYPE else object_at(self.spec, "requirements")

    def _label(self, name: str) -> str:
        return text_at(self.resource.labels, f"{INSTANCETYPE_PREFIX}{name}")

    def _annotation(self, name: str) -> str:
        return text_at(self.resource.annotations, name)


def entries_of(catalogs: Iterable[tuple[str, Iterable[Resource]]]) -> Iterator[CatalogEntry]:
    """Yield the entries of catalogs, sorted by name; of entries with one id, only the first."""
    found: dict[tuple[str, str, str], CatalogEntry] = {}
    for catalog, resources in catalogs:
        for resource in resources:
            if is_entry(resource):
                key = (resource.kind, resource.namespace, resource.name)
                found.setdefault(key, CatalogEntry(resource, catalog))
    yield from sorted(found.values(), key=_sort_key)


def entries_by_cluster(catalogs: Mapping[str, Iterable[CatalogEntry]]) -> Iterator[CatalogEntry]:
    """Yield the entries of several clusters, sorted by name; those that say the same once."""
    found: dict[tuple[str, str, str, str], list[tuple[str, CatalogEntry]]] = {}
    for cluster, entries in catalogs.items():
        for entry in entries:
            found.setdefault(entry.identity, []).append((cluster, entry))
    merged = (
        CatalogEntry(alike[0][1].resource, alike[0][1].catalog, tuple(cluster for cluster, _ in alike))
        for alike in found.values()
    )
    yield from sorted(merged, key=_sort_key)


def scope_words(entries: Iterable[CatalogEntry]) -> str:
    """Return ``cluster-wide and namespaced``, with the namespaces that are written."""
    entries = tuple(entries)
    namespaces = sorted({entry.resource.namespace for entry in entries if entry.resource.namespace})
    namespaced = f"in {', '.join(namespaces)}" if namespaces else "namespaced"
    words = {EntryScope.CLUSTER: "cluster-wide", EntryScope.NAMESPACED: namespaced}
    found = {entry.scope for entry in entries}
    return " and ".join(word for scope, word in words.items() if scope in found)


def is_entry(resource: Resource) -> bool:
    """Return True for an instance type or preference of either scope."""
    return resource.kind in KINDS and resource.gvk.group == INSTANCETYPE_GROUP


def _sort_key(entry: CatalogEntry) -> tuple[EntryType, str, int, int, str, EntryScope]:
    if entry.type is EntryType.PREFERENCE:
        return entry.type, entry.name, 0, 0, "", entry.scope
    memory, vcpus = (amount.value() if amount else INT64_MAX for amount in (entry.memory, entry.vcpus))
    return entry.type, entry.series, memory, vcpus, entry.name, entry.scope
