"""The catalogs that the project lists, composed once and only when something looks into them."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.location import Site
from renderer.model.render_config import BuiltinCatalog, CatalogPath, Overlay, RenderConfig
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.source.builtin import builtin_path
from renderer.source.file_system import FileSystem
from renderer.source.project import catalog_site

if TYPE_CHECKING:
    from renderer.instancetype.catalog import Catalog, CatalogSource
    from renderer.names.new_names import NamedSource
    from renderer.names.rename import Renamer


class ProjectCatalogs:
    """``compose`` makes a folder, named at a site of the project, into resources."""

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        compose: Callable[[str, Site | None], Outcome[ResourceSet]],
    ) -> None:
        self._fs = fs
        self._config = config
        self._compose = compose

    @cached_property
    def sources(self) -> tuple[CatalogSource, ...]:
        """Each by its name. Raises ``DiagnosticError``."""
        return tuple(self._source(source) for source in self._config.catalogs)

    @cached_property
    def whole(self) -> Catalog:
        """All as one. Raises ``DiagnosticError`` with all that is wrong in one."""
        from renderer.instancetype.catalog import Catalog

        return Catalog.of(*self.sources)

    def find(self, kind: str, name: str, namespace: str) -> Resource | None:
        """None also where a catalog cannot be read, of which the expansion has told."""
        from renderer.instancetype.catalog import Scope

        try:
            return Scope(self.whole, namespace).find(kind, name)
        except DiagnosticError:
            return None

    def renamer(self, overlay: Overlay) -> Renamer | None:
        """None where no name changes, neither of the overlay's own objects nor of those in catalogs."""
        if not overlay.instancetype_names.differ and not self._config.renames_instancetypes:
            return None
        from renderer.names.rename import Renamer

        return Renamer(overlay.instancetype_names, lambda: self._named)

    @cached_property
    def _named(self) -> tuple[NamedSource, ...]:
        from renderer.names.new_names import named_catalogs
        from renderer.source.overlays import find_overlays

        return named_catalogs(self.sources, find_overlays(self._fs, self._config))

    def _source(self, source: CatalogPath | BuiltinCatalog) -> CatalogSource:
        from renderer.instancetype.catalog import CatalogSource

        folder = source.path if isinstance(source, CatalogPath) else builtin_path(source.name)
        composed = self._compose(folder, catalog_site(folder))
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        return CatalogSource(folder, composed.value)
