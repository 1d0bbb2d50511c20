"""Which objects there will be once an overlay is synced, by the kinds that virtual machines refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from renderer.model.json import Json, array_at, object_at, text_at
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.rules.machine import Machine
from renderer.rules.references import CLAIM, CONFIG_MAP, DATA_SOURCE, NETWORK, SECRET, SERVICE_ACCOUNT

#: Kinds whose controllers make an object of another kind with the same name.
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
#: Endings of kinds whose controllers make Secrets, named somewhere in their spec.
_MAKERS_OF_SECRETS = ("Secret", "Secrets", "Certificate")
_NAMES_OF_SECRETS = ("name", "secretName")


class Item(Record):
    """An object by name; ``resource`` is what it is, or what makes it."""

    name: str
    namespace: str
    resource: Resource


class Inventory:
    """What there is of each kind."""

    def __init__(self, resources: Iterable[Resource], machines: Iterable[Machine]) -> None:
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

    def of_kind(self, kind: str) -> Iterator[Item]:
        for items in self._by_kind.get(kind, {}).values():
            yield from items

    def names(self, kind: str) -> Iterator[tuple[str, Item]]:
        """What there is of the kind, by the name it has and those it had before kustomize renamed it."""
        for item in self.of_kind(kind):
            yield item.name, item
        for (renamed, name), items in self.renamed.items():
            if renamed == kind:
                yield from ((name, item) for item in items)

    @cached_property
    def renamed(self) -> Mapping[tuple[str, str], Sequence[Item]]:
        """What kustomize has renamed, by kind and each name it had before."""
        found: dict[tuple[str, str], list[Item]] = {}
        for kind in self._by_kind:
            for item in self.of_kind(kind):
                for earlier in item.resource.previous_ids if item.resource.name == item.name else ():
                    if earlier.name != item.name:
                        found.setdefault((kind, earlier.name), []).append(item)
        return found

    def has(self, kind: str, name: str, namespace: str) -> bool:
        """Whether there may be such an object; what has no namespace may come into any."""
        items = self.named(kind, name)
        return bool(items) and any(may_be_in(item, namespace) for item in items)

    def _add(self, kind: str, item: Item) -> None:
        self._by_kind.setdefault(kind, {}).setdefault(item.name, []).append(item)


def may_be_in(item: Item, namespace: str) -> bool:
    return not namespace or not item.namespace or item.namespace == namespace


def _made_by(resource: Resource) -> Iterator[tuple[str, str]]:
    """The kinds and names of what there is because of the resource."""
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
