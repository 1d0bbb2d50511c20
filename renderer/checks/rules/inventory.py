"""The objects that exist once an overlay is deployed, by kind and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.kubevirt.facts.kinds import VM, VMI
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

SECRET = "Secret"  # noqa: S105 - a kind, no password
CONFIG_MAP = "ConfigMap"
SERVICE_ACCOUNT = "ServiceAccount"
CLAIM = "PersistentVolumeClaim"
NETWORK = "NetworkAttachmentDefinition"
DATA_SOURCE = "DataSource"
SNAPSHOT = "VirtualMachineSnapshot"

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
    **{kind: kind for kind in (CLAIM, CONFIG_MAP, DATA_SOURCE, NETWORK, SECRET, SERVICE_ACCOUNT, SNAPSHOT)},
}
#: Kinds whose controllers create the network in another namespace if their spec names one
#: (sriov-network-operator ``api/v1/helper.go`` RenderNetAttDef).
_IN_NETWORK_NAMESPACE = ("SriovNetwork", "SriovIBNetwork", "OVSNetwork")
#: Suffixes of kinds whose controllers create Secrets, named somewhere in their spec.
_CREATORS_OF_SECRETS = ("Secret", "Secrets", "Certificate")
_NAMES_OF_SECRETS = ("name", "secretName")


class Item(Record):
    """An object by name; ``resource`` is the object itself, or the resource that creates it."""

    name: str
    namespace: str
    resource: Resource


class Inventory:
    """The objects that exist, by kind and name."""

    def __init__(
        self,
        resources: Iterable[Resource],
        machines: Iterable[VirtualMachineView],
        *,
        with_machines: bool = False,
    ) -> None:
        """``with_machines``: the machines themselves are in it, which few overlays refer to."""
        self._by_kind: dict[str, dict[str, list[Item]]] = {}
        for resource in resources:
            namespace = resource.namespace
            if resource.kind in _IN_NETWORK_NAMESPACE:
                namespace = text_at(resource.content, "spec", "networkNamespace") or namespace
            for kind, name in _objects_of(resource):
                self._add(kind, Item(name, namespace, resource))
        for machine in machines:
            for _, template in machine.data_volume_templates:
                name = text_at(template, "metadata", "name")
                self._add(CLAIM, Item(name, machine.namespace, machine.resource))
            for kind in (machine.kind, *((VMI,) if machine.kind == VM else ())) if with_machines else ():
                self._add(kind, Item(machine.name, machine.namespace, machine.resource))

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

    @cached_property
    def indexed(self) -> Mapping[tuple[str, str], Mapping[int, Sequence[Item]]]:
        """The items whose names end in an index, by kind and the name before it: ``ci-0`` by ``ci``."""
        found: dict[tuple[str, str], dict[int, list[Item]]] = {}
        for kind, by_name in self._by_kind.items():
            for name, items in by_name.items():
                split = split_index(name)
                if split is not None:
                    found.setdefault((kind, split[0]), {}).setdefault(split[1], []).extend(items)
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


def _objects_of(resource: Resource) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names of the objects that exist because of the resource."""
    kind = resource.kind
    same = _SAME_NAME.get(kind)
    if same is not None:
        yield same, resource.name
    elif kind.endswith(_CREATORS_OF_SECRETS):
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
