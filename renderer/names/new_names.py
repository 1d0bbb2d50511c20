"""The new names of the instance types and preferences of an overlay and of the catalogs behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import normpath

from renderer.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.model.record import Record
from renderer.model.render_config import InstancetypeNames, Overlay
from renderer.model.resource import Resource, ResourceSet
from renderer.names.references import InstancetypeReference
from renderer.names.suffix import is_named, suffixed_name

_NamesById = Mapping[int, InstancetypeNames]


class NamedSource(Record):
    """The objects of an overlay or catalog, and the naming scheme by which they are written."""

    resources: ResourceSet
    names: InstancetypeNames


def named_catalogs(catalogs: Iterable[CatalogSource], overlays: Iterable[Overlay]) -> tuple[NamedSource, ...]:
    """Return the catalogs, each with the naming scheme of the overlay in its folder, or with plain names."""
    written = {overlay.path: overlay.instancetype_names for overlay in overlays}
    return tuple(
        NamedSource(catalog.resources, written.get(normpath(catalog.name), InstancetypeNames.PLAIN))
        for catalog in catalogs
    )


class NewNames:
    """The new names of an overlay's own objects, which are among ``resources``, and of those in catalogs.

    ``catalogs`` are asked for when something is looked up: an overlay that names nothing needs none.
    """

    def __init__(
        self, resources: ResourceSet, names: InstancetypeNames, catalogs: Callable[[], Iterable[NamedSource]]
    ) -> None:
        self._own = NamedSource(resources, names)
        self._catalogs = catalogs
        self._given: dict[int, str] = {}

    def of(self, resource: Resource) -> str:
        """Return the new name of one of these objects; the present one if nothing renames it.

        Raises ``DiagnosticError``: name-suffix.
        """
        key = id(resource)
        if key not in self._given:
            names = self._own_names.get(key) or self._names_behind[key]
            self._given[key] = suffixed_name(resource, names)
        return self._given[key]

    def meant(self, reference: InstancetypeReference) -> tuple[Resource, ...]:
        """Return the objects that the reference may mean; none if nothing has its name.

        A matcher means one. A label may mean those of all namespaces, unless its own has one of that name.
        """
        found = Scope(self._catalog, reference.namespace).find(reference.kind, reference.name)
        if found is not None:
            return (found,)
        if not reference.is_label:
            return ()
        return tuple(self._catalog.named(reference.kind, reference.name).values())

    def written(self, reference: InstancetypeReference) -> Resource | None:
        """Return the object whose new name the reference has already, or None."""
        for name in _beginnings(reference.name):
            for resource in self.meant(reference._replace(name=name)):
                if self.of(resource) == reference.name:
                    return resource
        return None

    @cached_property
    def _behind(self) -> tuple[NamedSource, ...]:
        return tuple(self._catalogs())

    @cached_property
    def _catalog(self) -> Catalog:
        return Catalog.of(*(CatalogSource("", each.resources) for each in (self._own, *self._behind)))

    @cached_property
    def _own_names(self) -> _NamesById:
        return _names_by_id((self._own,))

    @cached_property
    def _names_behind(self) -> _NamesById:
        return _names_by_id(self._behind)


def _names_by_id(sources: Iterable[NamedSource]) -> _NamesById:
    """Return the naming scheme of each object by its ``id``; the sources keep the objects alive."""
    return {id(resource): each.names for each in sources for resource in each.resources if is_named(resource)}


def _beginnings(name: str) -> Iterator[str]:
    """Yield ``a-b`` and ``a`` for ``a-b-c``."""
    while "-" in name:
        name = name.rpartition("-")[0]
        yield name
