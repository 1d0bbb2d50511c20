"""The catalogs that the project lists, composed once on first use."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context
from functools import cache, cached_property
from typing import TYPE_CHECKING

from renderer.files.builtin_catalogs import BUILTIN_CATALOGS, builtin_path
from renderer.files.file_system import FileSystem
from renderer.files.recorder import Task
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.kube.location import BUILTIN_SCHEME, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import (
    PROJECT_FILE,
    BuiltinCatalog,
    CatalogPath,
    MergeKeys,
    Overlay,
    RenderConfig,
)
from renderer.pipeline.generators import GENERATORS
from renderer.pipeline.run_context import RunContext
from renderer.project.project import catalog_site

if TYPE_CHECKING:
    from renderer.instancetype_names.new_names import NamedSource
    from renderer.instancetype_names.rename import Renamer
    from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
    from renderer.model.kube.json import JsonObject
    from renderer.model.kube.resource import Definition
    from renderer.pipeline.cluster_objects import ClusterObjects, Compose
    from renderer.project.definitions import Definitions
    from renderer.provenance.trace import Trace


class ProjectCatalogs:
    """The catalogs of one project; ``compose`` composes a folder that the project names at a site."""

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        compose: Callable[[str, Site | None], Outcome[ResourceSet]],
        context: RunContext,
        compose_overlay: Compose,
    ) -> None:
        self._fs = fs
        self._config = config
        self._compose = compose
        self._recorder = context.recorder
        self._known = context.catalogs
        self._deployed: CatalogSource | None = None
        self._overlay: Overlay | None = None
        self._compose_overlay = compose_overlay

    @property
    def sources(self) -> tuple[CatalogSource, ...]:
        """The catalogs, each with its name. Raises ``DiagnosticError``."""
        with self._recorder.using(Task("catalogs")):
            return self._sources

    @property
    def whole(self) -> Catalog:
        """All catalogs as one. Raises ``DiagnosticError`` with all errors of one of them."""
        with self._recorder.using(Task("catalogs")):
            return self._whole if self._deployed is None else self._whole.after(self._deployed)

    @property
    def empty(self) -> Catalog:
        """An empty catalog, for resources that refer to no instance type."""
        from renderer.kubevirt.instancetype.catalog import Catalog

        return Catalog(feature_gates=self._config.feature_gates)

    @property
    def gates_in_repository(self) -> tuple[str, ...]:
        """The feature gates that ``KubeVirt`` objects anywhere in the repository enable."""
        with self._recorder.using(Task("definitions")):
            return self._definitions.feature_gates

    @contextmanager
    def including_deployed(self, overlay: Overlay) -> Iterator[None]:
        """Within the block, also find objects that other entry points of the overlay's cluster deploy."""
        from renderer.kubevirt.instancetype.catalog import CatalogSource

        known = overlay.entry.instancetypes if overlay.entry else ()
        self._deployed = CatalogSource(overlay.listed_as, ResourceSet(known)) if known else None
        self._overlay = overlay
        try:
            yield
        finally:
            self._deployed = self._overlay = None

    def is_in_cluster(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if another overlay that the same cluster gets has the object."""
        return self._overlay is not None and self._cluster.has(self._overlay, kind, name, namespace)

    def is_surely_in_cluster(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if an engine deploys the object to the cluster of the overlay."""
        is_known = self._overlay is not None and self._cluster.is_known(self._overlay)
        return is_known and self.is_in_cluster(kind, name, namespace)

    @property
    def kubevirt_of_cluster(self) -> Resource | None:
        """The ``KubeVirt`` object in another overlay that the same cluster gets."""
        return None if self._overlay is None else self._cluster.kubevirt(self._overlay)

    def _find_in_cluster(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object in another overlay that the same cluster gets."""
        if self._overlay is None or not namespace:
            return None
        return self._cluster.find(self._overlay, kind, name, namespace)

    @cached_property
    def _cluster(self) -> ClusterObjects:
        from renderer.pipeline.cluster_objects import ClusterObjects

        return ClusterObjects(self._find_overlays, self._compose_overlay, self._recorder)

    def _find_overlays(self) -> Iterable[Overlay]:
        from renderer.pipeline.entry_points import look_up_overlays

        return look_up_overlays(self._fs, self._config).overlays

    def find(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object, or None; None also if a catalog cannot be read, which the expansion reports."""
        from renderer.kubevirt.instancetype.catalog import Scope

        try:
            return Scope(self.whole, namespace).find(kind, name)
        except DiagnosticError:
            return None

    def renamer(self, overlay: Overlay) -> Renamer | None:
        """Return the renamer; None if names change neither in the overlay nor in the catalogs."""
        if not overlay.instancetype_names.differ and not self._config.renames_instancetypes:
            return None
        from renderer.instancetype_names.rename import Renamer

        return Renamer(overlay.instancetype_names, self._find_named_sources)

    @cached_property
    def _sources(self) -> tuple[CatalogSource, ...]:
        from renderer.kubevirt.instancetype.catalog import CatalogSource

        sources: list[CatalogSource] = []
        for source in self._config.catalogs:
            folder = source.path if isinstance(source, CatalogPath) else builtin_path(source.name)
            sources.append(CatalogSource(folder, self._composed(folder)))
        return tuple(sources)

    @cached_property
    def _whole(self) -> Catalog:
        from renderer.kubevirt.instancetype.catalog import Catalog

        whole = Catalog.of(*self._sources, find_definition=self._find_definition)
        return whole.with_gates(self._config.feature_gates).with_cluster(self._find_in_cluster)

    def _find_definition(self, kinds: Iterable[str], name: str) -> Definition | None:
        kinds = tuple(kinds)
        with self._recorder.using(Task("definitions")):
            return self._definitions.find(kinds, name) or self._shipped(kinds, name)

    def _shipped(self, kinds: Iterable[str], name: str) -> Definition | None:
        """Return the definition in a shipped catalog that the project does not list."""
        from renderer.model.kube.resource import Definition

        for catalog in BUILTIN_CATALOGS:
            if BuiltinCatalog(catalog) not in self._config.catalogs:
                catalog_hint = f"add `- builtin: {catalog}` under catalogs in {PROJECT_FILE}"
                for resource in self._compose(builtin_path(catalog), None).value:
                    if resource.name == name and resource.kind in kinds:
                        return Definition(resource.kind, resource.origin, catalog_hint)
        return None

    @cached_property
    def _definitions(self) -> Definitions:
        from renderer.project.definitions import Definitions
        from renderer.project.validation_scope import ManifestFiles

        manifests = ManifestFiles(self._fs, (), self._config.exclude)
        return Definitions(self._fs, manifests, _generated)

    def _find_named_sources(self) -> tuple[NamedSource, ...]:
        with self._recorder.using(Task("names in catalogs")):
            return self._named_sources

    @cached_property
    def _named_sources(self) -> tuple[NamedSource, ...]:
        from renderer.instancetype_names.new_names import named_catalogs
        from renderer.pipeline.entry_points import look_up_overlays

        return named_catalogs(self.sources, look_up_overlays(self._fs, self._config).overlays)

    def _composed(self, folder: str) -> ResourceSet:
        """Return the resources of a catalog. Raises ``DiagnosticError``."""
        known = self._known.find(folder, self._recorder) if self._known else None
        if known is not None:
            return known
        work = Task("catalog", folder)
        with self._recorder.using(work):
            composed = self._compose(folder, catalog_site(folder))
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        if self._known and not folder.startswith(BUILTIN_SCHEME):
            self._known.keep(folder, composed.value, self._recorder, work)
        return composed.value


def shipped_catalog(folder: str, merge_keys: MergeKeys, trace: Trace | None) -> ResourceSet | None:
    """Return the objects of the built-in catalog in ``folder``; None for any other folder.

    Normally, the shipped form is read. For a ``trace``, which records their provenance, they are composed
    once per process, outside the limits and the work count of the run: they contain nothing of the
    repository.
    """
    from renderer.files.builtin_catalogs import composed_catalog

    shipped = composed_catalog(folder)
    if shipped is None or trace is None:
        return shipped
    composed, history = Context().run(_traced_catalog, folder, merge_keys)
    trace.include(history)
    return composed


@cache
def _traced_catalog(folder: str, merge_keys: MergeKeys) -> tuple[ResourceSet, Trace]:
    from renderer.files.builtin_catalogs import BuiltinFileSystem
    from renderer.files.file_system import MemoryFileSystem
    from renderer.kustomize.compose import BuildOptions, Composer
    from renderer.kustomize.reader.load import Loader
    from renderer.provenance.trace import Trace

    trace = Trace()
    composer = Composer(GENERATORS, BuildOptions(merge_keys=merge_keys), trace)
    tree = Loader(BuiltinFileSystem(MemoryFileSystem({})), accumulate=composer.accumulate).load(folder)
    return composer.compose(tree).value, trace


def _generated(content: JsonObject, site: Site) -> Iterator[tuple[JsonObject, Site]]:
    """Yield the instance types of a series; nothing for any other object. Raises ``DiagnosticError``."""
    if content.get("kind") == "InstancetypeSeries":
        from renderer.authoring.sizes.series import generate

        for generated in generate(content, site):
            yield generated.content, generated.site
