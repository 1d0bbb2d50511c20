"""Index instance types, preferences and volumes by kind, name and namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar, cast

from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CDI_GROUP,
    CLAIM,
    CLUSTER_KINDS,
    CONTROLLER_REVISION,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    DATA_VOLUME,
    HYPERCONVERGED,
    HYPERCONVERGED_GROUP,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    KUBEVIRT_GROUP,
    MATCHER_TYPE_OF,
    SNAPSHOT_STORAGE_GROUP,
    SSP,
    SSP_GROUP,
    VOLUME_SNAPSHOT,
)
from renderer.model.kube.json import EMPTY
from renderer.model.kube.resource import Definition, Resource, ResourceSet, UnreadResources
from renderer.model.record import Record
from renderer.model.release import Release

T = TypeVar("T")

#: The kinds that may be looked up to resolve a VirtualMachine, and their API groups.
_GROUPS = {
    **dict.fromkeys(MATCHER_TYPE_OF, INSTANCETYPE_GROUP),
    CONTROLLER_REVISION: APPS_GROUP,
    DATA_IMPORT_CRON: CDI_GROUP,
    DATA_SOURCE: CDI_GROUP,
    DATA_VOLUME: CDI_GROUP,
    HYPERCONVERGED: HYPERCONVERGED_GROUP,
    KUBEVIRT: KUBEVIRT_GROUP,
    CLAIM: "",
    SSP: SSP_GROUP,
    VOLUME_SNAPSHOT: SNAPSHOT_STORAGE_GROUP,
}
#: The namespace of objects written without one, by default in kubectl.
DEFAULT_NAMESPACE = "default"

_Namespaces = dict[str, Resource]
#: The objects with one name, or a function that reads them first and returns them.
_Named: TypeAlias = "_Namespaces | Callable[[], _Namespaces]"
_Index = Mapping[str, Mapping[str, _Named]]


class CatalogSource(Record):
    """Catalog objects from one source; ``name`` is the user's name for it (a path, ``builtin:…``)."""

    name: str
    resources: ResourceSet


#: Returns the definition, outside all catalogs, of an object with one of these kinds and that name, if any.
FindDefinition: TypeAlias = Callable[[Iterable[str], str], Definition | None]


def no_definition(_kinds: Iterable[str], _name: str) -> None:
    """Return None: there is no repository to search."""


#: Returns the object of a kind, name and namespace that is in no source, but in the same cluster; for a
#: DataSource without a file of its own, the object with the data import cron that manages it.
FindElsewhere: TypeAlias = Callable[[str, str, str], Resource | None]


def nothing_elsewhere(_kind: str, _name: str, _namespace: str) -> Resource | None:
    """Return None: nothing else is known of the cluster."""
    return None


class Catalog:
    """Objects by kind, name and namespace, and the names of the ``sources`` they came from.

    ``find_definition`` searches for objects that are in no source, to tell the user where they are;
    ``find_elsewhere`` for those that the cluster gets from elsewhere.
    ``feature_gates`` are enabled in the cluster, in addition to the gates that a ``KubeVirt`` object lists.
    ``golden_images`` are namespaces whose DataSources are in the cluster, as the project says.
    """

    __slots__ = (
        "_derived",
        "_index",
        "feature_gates",
        "find_definition",
        "find_elsewhere",
        "golden_images",
        "sources",
    )

    def __init__(  # noqa: PLR0913 - the objects, and what else is known of the cluster
        self,
        sources: tuple[str, ...] = (),
        index: _Index = EMPTY,
        find_definition: FindDefinition = no_definition,
        feature_gates: tuple[str, ...] = (),
        find_elsewhere: FindElsewhere = nothing_elsewhere,
        *,
        golden_images: tuple[str, ...] = (),
    ) -> None:
        self.sources = sources
        self.golden_images = golden_images
        self.find_elsewhere = find_elsewhere
        self.feature_gates = feature_gates
        self._index = index
        self._derived: dict[tuple[object, Release], object] = {}
        self.find_definition = find_definition

    @classmethod
    def of(cls, *sources: CatalogSource, find_definition: FindDefinition = no_definition) -> Catalog:
        """Return the combined catalog of ``sources``; the first of several equal objects wins."""
        index: dict[str, dict[str, _Named]] = {}
        for source in sources:
            resources = source.resources
            if not isinstance(resources, UnreadResources):
                for resource in resources:
                    _add(index, resource)
                continue
            for number, (kind, name) in enumerate(resources.keys):
                names = index.setdefault(kind, {})
                if name in names:
                    _add(index, resources.at(number))
                else:
                    names[name] = _Unread(resources, number)
        return cls(tuple(source.name for source in sources), index, find_definition)

    def after(self, source: CatalogSource) -> Catalog:
        """Return the catalog with ``source`` searched first."""
        return self.after_catalog(Catalog.of(source))

    def after_catalog(self, first: Catalog) -> Catalog:
        """Return the catalog with the objects of another one searched first."""
        merged = {kind: dict(names) for kind, names in first._index.items()}
        for kind, names in self._index.items():
            merged_names = merged.setdefault(kind, {})
            for name, namespaces in names.items():
                if name in merged_names:
                    merged_names[name] = {**_read(namespaces), **_read(merged_names[name])}
                else:
                    merged_names[name] = namespaces
        return Catalog(
            first.sources + self.sources,
            merged,
            self.find_definition,
            self.feature_gates,
            self.find_elsewhere,
            golden_images=self.golden_images,
        )

    def with_gates(self, feature_gates: tuple[str, ...]) -> Catalog:
        """Return the catalog of a cluster with these gates enabled, too."""
        gates = tuple(dict.fromkeys((*self.feature_gates, *feature_gates)))
        return Catalog(
            self.sources,
            self._index,
            self.find_definition,
            gates,
            self.find_elsewhere,
            golden_images=self.golden_images,
        )

    def with_cluster(self, find_elsewhere: FindElsewhere, golden_images: tuple[str, ...] = ()) -> Catalog:
        """Return the catalog with the other objects of the cluster."""
        return Catalog(
            self.sources,
            self._index,
            self.find_definition,
            self.feature_gates,
            find_elsewhere,
            golden_images=golden_images,
        )

    def derived(self, function: Callable[[Catalog, Release], T], release: Release) -> T:
        """Return what ``function`` derives from the catalog for a release, computed once."""
        key = function, release
        if key not in self._derived:
            self._derived[key] = function(self, release)
        return cast("T", self._derived[key])

    def named(self, kind: str, name: str) -> Mapping[str, Resource]:
        """Return the objects of that kind and name by namespace; the key is empty if none is written."""
        return _read(self._index.get(kind, {}).get(name, {}))

    def count(self, *kinds: str) -> int:
        """Return the number of names of these kinds."""
        return sum(len(self._index.get(kind, {})) for kind in kinds)

    def of_kind(self, kind: str) -> Iterator[Resource]:
        for namespaces in self._index.get(kind, {}).values():
            yield from _read(namespaces).values()


class Scope(Record):
    """The catalog as one VirtualMachine sees it.

    An object written without a namespace is in the VirtualMachine's namespace; a VirtualMachine without one
    is in ``default``, as in kustomize.
    """

    catalog: Catalog
    namespace: str

    def find(self, kind: str, name: str, namespace: str | None = None) -> Resource | None:
        """Return the object of that name in ``namespace`` (None: the VirtualMachine's), if there is one.

        Cluster-wide kinds are found in any namespace.
        """
        found = self.catalog.named(kind, name)
        if kind in CLUSTER_KINDS:
            return found.get("")
        namespace = self.namespace if namespace is None else namespace
        if namespace == self.namespace or (namespace == DEFAULT_NAMESPACE and not self.namespace):
            return found.get(namespace) or found.get("" if namespace else DEFAULT_NAMESPACE)
        return found.get(namespace) if namespace else None

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names that ``find`` finds for that kind, sorted."""
        visible = (r for r in self.catalog.of_kind(kind) if self.find(kind, r.name) is r)
        return tuple(sorted(resource.name for resource in visible))


def _add(index: dict[str, dict[str, _Named]], resource: Resource) -> None:
    kind = resource.content.get("kind")
    if not isinstance(kind, str) or kind not in _GROUPS or resource.gvk.group != _GROUPS[kind]:
        return
    namespace = "" if kind in CLUSTER_KINDS else resource.namespace
    names = index.setdefault(kind, {})
    namespaces = names[resource.name] = _read(names.get(resource.name, {}))
    namespaces.setdefault(namespace, resource)


class _Unread:
    """The object with one name: read once, on first use. A ``cache`` takes 20 times as long to create."""

    __slots__ = ("_namespaces", "_number", "_resources")

    def __init__(self, resources: UnreadResources, number: int) -> None:
        self._resources = resources
        self._number = number
        self._namespaces: _Namespaces | None = None

    def __call__(self) -> _Namespaces:
        if self._namespaces is None:
            index: dict[str, dict[str, _Named]] = {}
            _add(index, self._resources.at(self._number))
            named = (_read(named) for names in index.values() for named in names.values())
            self._namespaces = next(named, {})
        return self._namespaces


def _read(named: _Named) -> _Namespaces:
    return named() if callable(named) else named
