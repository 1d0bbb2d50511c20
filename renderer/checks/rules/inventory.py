"""The objects that exist once an overlay is deployed, by kind and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import merge
from itertools import product

from renderer.checks.rules.operator_references import GROUPS_OF_NAMED, SRIOV_RESOURCE, sriov_resource
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    CONFIG_MAP,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    DATA_VOLUME,
    HYPERCONVERGED,
    NETWORK,
    SECRET,
    SERVICE_ACCOUNT,
    SSP,
    VM,
    VM_SNAPSHOT,
    VMI,
)
from renderer.kubevirt.facts.pool_names import split_index
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import LATEST
from renderer.model.run.work import spend

#: Kinds of objects that also come to be with another of the same name: the claim of a DataVolume, the
#: instance of a VirtualMachine.
_CREATED = (CLAIM, VMI)
#: Kinds whose controllers create objects of other kinds with the same name.
_SAME_NAME: Mapping[str, tuple[str, ...]] = {
    DATA_VOLUME: (CLAIM,),
    "SealedSecret": (SECRET,),
    "OnePasswordItem": (SECRET,),
    "Bundle": (CONFIG_MAP, SECRET),
    "ObjectBucketClaim": (CONFIG_MAP, SECRET),
    "UserDefinedNetwork": (NETWORK,),
    "ClusterUserDefinedNetwork": (NETWORK,),
    **{
        kind: (kind,)
        for kind in (CLAIM, CONFIG_MAP, DATA_SOURCE, NETWORK, SECRET, SERVICE_ACCOUNT, VM_SNAPSHOT)
    },
}
#: Kinds with data import crons, which make DataSources.
_IMPORTERS = (DATA_IMPORT_CRON, HYPERCONVERGED, SSP)
#: Kinds whose controllers create a network in ``spec.networkNamespace``, and where if that is not written:
#: sriov-network-operator ``api/v1/helper.go`` RenderNetAttDef (the namespace of the object itself), Nvidia's
#: network-operator ``pkg/state/state_hostdevice_network.go`` and its like.
_IN_NETWORK_NAMESPACE: Mapping[str, str | None] = {
    **dict.fromkeys(("SriovNetwork", "SriovIBNetwork", "OVSNetwork")),
    **dict.fromkeys(("HostDeviceNetwork", "IPoIBNetwork", "MacvlanNetwork"), "default"),
}
#: OpenShift's configuration of the network, whose operator creates the ``additionalNetworks`` in it.
_NETWORK_OPERATOR = ("operator.openshift.io", "Network")
#: Suffixes of kinds whose controllers create Secrets, named somewhere in their spec.
_CREATORS_OF_SECRETS = ("Secret", "Secrets", "Certificate")
#: The fields that name such a Secret, and the fields beside them with a namespace other than the creator's.
_NAMES_OF_SECRETS = (("name", "namespace"), ("secretName", "secretNamespace"))
#: Annotations that make a controller copy a Secret or ConfigMap to other namespaces.
_COPIED_BY = (
    "reflector.v1.k8s.emberstack.com/",
    "replicator.v1.mittwald.de/replicate-to",
    "kubed.appscode.com/sync",
)


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
        self._by_namespace: dict[tuple[str, str], dict[str, list[tuple[int, Item]]]] = {}
        for resource in resources:
            for kind, name, namespace in _objects_of(resource):
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
        return bool(self.named_in(kind, name, namespace))

    def named_in(self, kind: str, name: str, namespace: str) -> Sequence[Item]:
        """Return the items of a name that are in a namespace, or may be put into it (``may_be_in``)."""
        items = self.named(kind, name)
        if not namespace:
            return items
        if len(items) <= 1:
            return items if items and may_be_in(items[0], namespace) else ()
        by_namespace = self._by_namespace.get((kind, name))
        if by_namespace is None:
            by_namespace = self._by_namespace[kind, name] = {}
            for number, item in enumerate(items):
                by_namespace.setdefault(item.namespace, []).append((number, item))
        here, anywhere = by_namespace.get(namespace, ()), by_namespace.get("", ())
        spend(len(here) + len(anywhere), "looking for objects that are named")
        return [item for _, item in (merge(here, anywhere, key=_number) if here else anywhere)]

    def _add(self, kind: str, item: Item) -> None:
        self._by_kind.setdefault(kind, {}).setdefault(item.name, []).append(item)


def _number(numbered: tuple[int, Item]) -> int:
    return numbered[0]


def kind_looked_up(targets: Sequence[Gvk]) -> str:
    """Return the kind as which objects of any of the ``targets`` are in an inventory; empty for none."""
    kinds = [target.kind for target in targets]
    return next((kind for kind in _CREATED if kind in kinds), kinds[0] if kinds else "")


def may_be_in(item: Item, namespace: str) -> bool:
    """Return True if the object is in the namespace, or may be put into it; an empty one matches any."""
    return not namespace or not item.namespace or item.namespace == namespace


def _objects_of(resource: Resource) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and namespace of the objects that exist because of the resource.

    The namespace is empty if the object may be in any.
    """
    kind, name, namespace = resource.kind, resource.name, resource.namespace
    if kind in _SAME_NAME:
        if kind in (CONFIG_MAP, SECRET) and any(map(_is_copying, resource.annotations)):
            namespace = ""
        yield from ((each, name, namespace) for each in _SAME_NAME[kind])
    elif GROUPS_OF_NAMED.get(kind) == resource.gvk.group:
        yield kind, name, namespace
    elif kind in _IN_NETWORK_NAMESPACE:
        default = _IN_NETWORK_NAMESPACE[kind]
        there = text_at(resource.content, "spec", "networkNamespace")
        yield NETWORK, name, there or (namespace if default is None else default)
    elif kind.endswith(_CREATORS_OF_SECRETS):
        yield SECRET, name, namespace
        for named, there in _secrets_in(resource.content.get("spec")):
            yield SECRET, named, there or namespace
    elif kind in _IMPORTERS:
        from renderer.kubevirt.hyperconverged.data_sources import managed_data_sources  # noqa: PLC0415 - few have one

        for managed in managed_data_sources(resource, LATEST):
            written = managed.names if managed.made_by is not None else ()
            yield from ((DATA_SOURCE, *each) for each in product(written, managed.places))
    elif sriov_resource(resource):
        yield SRIOV_RESOURCE, sriov_resource(resource), namespace
    elif (resource.gvk.group, kind) == _NETWORK_OPERATOR:
        for network in array_at(resource.content, "spec", "additionalNetworks"):
            yield NETWORK, text_at(network, "name"), text_at(network, "namespace") or "default"


def _is_copying(annotation: str) -> bool:
    return annotation.startswith(_COPIED_BY)


def _secrets_in(value: Json) -> Iterator[tuple[str, str]]:
    """Yield the names of Secrets anywhere in a spec, each with its namespace if one is written."""
    if isinstance(value, dict):
        for name_key, namespace_key in _NAMES_OF_SECRETS:
            name = text_at(value, name_key)
            if name:
                yield name, text_at(value, namespace_key)
        for child in value.values():
            yield from _secrets_in(child)
    for element in array_at(value):
        yield from _secrets_in(element)
