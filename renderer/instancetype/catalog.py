"""What instance types, preferences and volumes there are, by kind, name and namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.model.json import EMPTY
from renderer.model.record import Record
from renderer.model.resource import Resource, ResourceSet

INSTANCETYPE_GROUP = "instancetype.kubevirt.io"

#: The kinds that resolving a VirtualMachine may look up, and their API groups.
_GROUPS = {
    "VirtualMachineInstancetype": INSTANCETYPE_GROUP,
    "VirtualMachineClusterInstancetype": INSTANCETYPE_GROUP,
    "VirtualMachinePreference": INSTANCETYPE_GROUP,
    "VirtualMachineClusterPreference": INSTANCETYPE_GROUP,
    "ControllerRevision": "apps",
    "DataSource": "cdi.kubevirt.io",
    "DataVolume": "cdi.kubevirt.io",
    "KubeVirt": "kubevirt.io",
    "PersistentVolumeClaim": "",
    "VolumeSnapshot": "snapshot.storage.k8s.io",
}
_CLUSTER_KINDS = frozenset({"VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"})
#: Where objects without a namespace are, unless whoever applies them says otherwise.
_DEFAULT_NAMESPACE = "default"

_Namespaces = dict[str, Resource]
_Index = Mapping[str, Mapping[str, _Namespaces]]


class CatalogSource(Record):
    """Where catalog objects come from; ``name`` is what the user knows it by (a path, ``builtin:…``)."""

    name: str
    resources: ResourceSet


class Catalog:
    """Objects by kind, name and namespace, and the names of the ``sources`` they came from."""

    __slots__ = ("_index", "sources")

    def __init__(self, sources: tuple[str, ...] = (), index: _Index = EMPTY) -> None:
        self.sources = sources
        self._index = index

    @classmethod
    def of(cls, *sources: CatalogSource) -> Catalog:
        """The catalog that ``sources`` make together; of equal objects the first one is taken."""
        index: dict[str, dict[str, _Namespaces]] = {}
        for source in sources:
            for resource in source.resources:
                _add(index, resource)
        return cls(tuple(source.name for source in sources), index)

    def after(self, source: CatalogSource) -> Catalog:
        """The catalog with ``source`` searched before everything else."""
        first = Catalog.of(source)
        merged = {kind: dict(names) for kind, names in first._index.items()}  # noqa: SLF001 - its own class
        for kind, names in self._index.items():
            mine = merged.setdefault(kind, {})
            for name, namespaces in names.items():
                mine[name] = {**namespaces, **mine[name]} if name in mine else namespaces
        return Catalog(first.sources + self.sources, merged)

    def named(self, kind: str, name: str) -> Mapping[str, Resource]:
        """The objects of that kind and name, by namespace; the key is empty where none is written."""
        return self._index.get(kind, {}).get(name, {})

    def of_kind(self, kind: str) -> Iterator[Resource]:
        for namespaces in self._index.get(kind, {}).values():
            yield from namespaces.values()


class Scope(Record):
    """The catalog as one VirtualMachine sees it.

    An object that is written without a namespace stands in the VirtualMachine's; a VirtualMachine without
    one is in ``default``, as kustomize takes it.
    """

    catalog: Catalog
    namespace: str

    def find(self, kind: str, name: str, namespace: str | None = None) -> Resource | None:
        """The object of that name in ``namespace`` (the VirtualMachine's when None); None when there is none.

        Kinds without namespaces are found whatever the namespace is.
        """
        found = self.catalog.named(kind, name)
        if kind in _CLUSTER_KINDS:
            return found.get("")
        wanted = self.namespace if namespace is None else namespace
        if wanted == self.namespace or (wanted == _DEFAULT_NAMESPACE and not self.namespace):
            return found.get(wanted) or found.get("" if wanted else _DEFAULT_NAMESPACE)
        return found.get(wanted) if wanted else None

    def names(self, kind: str) -> tuple[str, ...]:
        """The names that ``find`` knows for that kind, sorted."""
        visible = (r for r in self.catalog.of_kind(kind) if self.find(kind, r.name) is r)
        return tuple(sorted(resource.name for resource in visible))


def _add(index: dict[str, dict[str, _Namespaces]], resource: Resource) -> None:
    kind = resource.content.get("kind")
    if not isinstance(kind, str) or kind not in _GROUPS or resource.gvk.group != _GROUPS[kind]:
        return
    namespace = "" if kind in _CLUSTER_KINDS else resource.namespace
    index.setdefault(kind, {}).setdefault(resource.name, {}).setdefault(namespace, resource)
