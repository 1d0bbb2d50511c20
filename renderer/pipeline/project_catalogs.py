"""The catalogs that the project lists, composed once on first use."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import cache, cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from renderer.files.builtin_catalogs import BUILTIN_CATALOGS, builtin_path
from renderer.files.recorder import Task
from renderer.kubevirt.facts.claims import Profiles, profiles_of_classes, storage_profiles
from renderer.kubevirt.facts.kinds import DATA_SOURCE, MATCHER_TYPE_OF, STORAGE_CLASS, configures_kubevirt
from renderer.model.cluster_settings import BuiltinCatalog, CatalogPath
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import BUILTIN_SCHEME, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE, MergeKeys, Overlay, RenderConfig
from renderer.pipeline.cluster_conflicts import excludes_others
from renderer.pipeline.generators import GENERATORS
from renderer.pipeline.shared_by_clusters import SharedByClusters
from renderer.pipeline.target_cluster import engine_entry
from renderer.project.project import catalog_site

if TYPE_CHECKING:
    from renderer.checks.rules.inventory import Inventory
    from renderer.instancetype_names.new_names import NamedSource
    from renderer.instancetype_names.rename import Renamer
    from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
    from renderer.model.kube.resource import Definition
    from renderer.provenance.trace import Trace


class _Arranged(NamedTuple):
    """The catalogs in one order, and the errors about those that contradict each other in it."""

    catalog: Catalog
    conflicts: tuple[Diagnostic, ...]


def shared_folders(path: str, other: str) -> int:
    """Return the number of folders that the beginnings of two paths share."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class ProjectCatalogs:
    """The catalogs of one cluster; ``config`` is the project as that cluster sees it."""

    def __init__(self, config: RenderConfig, shared: SharedByClusters) -> None:
        self._config = config
        self._shared = shared
        self._fs = shared.fs
        self._recorder = shared.context.recorder
        self._known = shared.context.catalogs
        self._deployed: CatalogSource | None = None
        self._overlay: Overlay | None = None
        #: The errors about catalogs that contradict each other, once the overlay has looked something up.
        self._conflicts: tuple[Diagnostic, ...] = ()
        self._nearest: dict[str, _Arranged] = {}

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

    def gates_in_repository(self, release: Release) -> tuple[str, ...]:
        """Return the feature gates that ``KubeVirt`` and HyperConverged objects turn on in a release.

        Files of other clusters do not count.
        """
        with self._recorder.using(Task("definitions")):
            by_file = self._shared.definitions.feature_gates(release)
        if self._overlay is not None and by_file:
            with self._recorder.using(Task("overlays of the cluster")):
                files = self._shared.files
            own = self._overlay
            by_file = {
                file: gates for file, gates in by_file.items() if not files.is_of_other_cluster(file, own)
            }
        return tuple(dict.fromkeys(gate for gates in by_file.values() for gate in gates))

    @property
    def has_own(self) -> bool:
        """True if the project lists folders or files that may have the object that configures KubeVirt."""
        config = self._config
        has_catalog = any(isinstance(source, CatalogPath) for source in config.catalogs)
        return has_catalog or bool(config.configuration or config.facts)

    @contextmanager
    def including_deployed(self, overlay: Overlay) -> Iterator[None]:
        """Within the block, also find objects that other entry points of the overlay's cluster deploy."""
        from renderer.kubevirt.instancetype.catalog import CatalogSource

        known = overlay.entry.instancetypes if overlay.entry else ()
        self._deployed = CatalogSource(overlay.listed_as, ResourceSet(known)) if known else None
        self._overlay, self._conflicts = overlay, ()
        try:
            yield
        finally:
            self._deployed = self._overlay = None

    @contextmanager
    def seen_by(self, overlay: Overlay) -> Iterator[None]:
        """Within the block, catalogs are in the order in which the overlay sees them."""
        self._overlay = overlay
        try:
            yield
        finally:
            self._overlay = None

    def is_in_cluster(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if the cluster has the object by itself, or gets it with another overlay."""
        if self._has_by_itself(kind, name, namespace):
            return True
        return self._overlay is not None and self._shared.deployed.has(self._overlay, kind, name, namespace)

    def is_surely_in_cluster(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if an engine deploys the object to the cluster of the overlay."""
        is_known = self._overlay is not None and self._shared.deployed.is_known(self._overlay)
        if is_known:
            return self.is_in_cluster(kind, name, namespace)
        return self._has_by_itself(kind, name, namespace)

    def _has_by_itself(self, kind: str, name: str, namespace: str) -> bool:
        """Return True if the project says that the object is in the cluster, whoever has put it there."""
        if kind == DATA_SOURCE and namespace in self._config.golden_images:
            return True
        return bool(self._config.configuration or self._config.facts) and any(
            item.namespace in ("", namespace) for item in self._configured.named(kind, name)
        )

    @cached_property
    def _configured(self) -> Inventory:
        from renderer.checks.rules.inventory import Inventory

        return Inventory((*self._configured_objects, *self._observed), ())

    @cached_property
    def _configured_objects(self) -> tuple[Resource, ...]:
        """The cluster's own objects; none if they cannot be read, which is reported where they are needed."""
        try:
            return tuple(resource for source in self._configuration for resource in source.resources)
        except DiagnosticError:
            return ()

    @cached_property
    def _observed(self) -> tuple[Resource, ...]:
        """The objects that a dump of the cluster had. Raises ``DiagnosticError``."""
        if not self._config.facts:
            return ()
        from renderer.project.cluster_facts import read_cluster_facts

        with self._recorder.using(Task("facts", self._config.facts)):
            return read_cluster_facts(self._fs, self._config.facts, self._config.cluster).objects

    @property
    def storage_profiles(self) -> Profiles:
        """The StorageProfiles of the cluster: its objects, its storage classes, and those in its facts."""
        observed = storage_profiles(self._observed)
        of_classes = profiles_of_classes(self._config.storage_classes, observed)
        return {**observed, **of_classes, **storage_profiles(self._configured_objects)}

    @property
    def storage_classes(self) -> tuple[Resource, ...]:
        """The StorageClasses of the cluster of which it is known whether they expand volumes."""
        written = tuple(
            Resource(
                {
                    "apiVersion": "storage.k8s.io/v1",
                    "kind": STORAGE_CLASS,
                    "metadata": {"name": each.name},
                    "allowVolumeExpansion": each.allows_expansion,
                },
                Site(PROJECT_FILE, 0, FieldPath.of("storageClasses")),
            )
            for each in self._config.storage_classes
            if each.allows_expansion is not None
        )
        known = (*self._configured_objects, *written, *self._observed)
        return tuple(each for each in known if each.kind == STORAGE_CLASS)

    @property
    def kubevirt_of_cluster(self) -> Resource | None:
        """The object that configures KubeVirt in another overlay that the same cluster gets."""
        return None if self._overlay is None else self._shared.deployed.kubevirt(self._overlay)

    def _find_in_cluster(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object in another overlay that the same cluster gets, or else in the cluster's facts.

        An object of the kind itself counts before a data import cron that makes it.
        """
        if not namespace:
            return None
        found = None
        if self._overlay is not None:
            found = self._shared.deployed.find(self._overlay, kind, name, namespace)
        if found is not None and found.kind == kind:
            return found
        wanted = kind, name, namespace
        observed = (each for each in self._observed if (each.kind, each.name, each.namespace) == wanted)
        return next(observed, found)

    def find(self, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object, or None; None also if a catalog cannot be read, which the expansion reports."""
        from renderer.kubevirt.instancetype.catalog import Scope

        try:
            return Scope(self.whole, namespace).find(kind, name)
        except DiagnosticError:
            return None

    @cached_property
    def _any_overlay_renames(self) -> bool:
        """True if names change in any of the overlays, of which there may be thousands."""
        return self._config.renames_instancetypes

    def renamer(self, overlay: Overlay) -> Renamer | None:
        """Return the renamer; None if names change neither in the overlay nor in the catalogs."""
        if not overlay.instancetype_names.differ and not self._any_overlay_renames:
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

    @property
    def _whole(self) -> Catalog:
        """The catalogs in their order, in which nearer ones come first if an unlisted cluster needs that."""
        arranged = self._as_listed
        if arranged.conflicts and self._overlay is not None and not self._config.cluster:
            place = engine_entry(self._overlay) or self._overlay.path
            if place not in self._nearest:
                self._nearest[place] = self._arranged_for(place)
            arranged = self._nearest[place]
        self._conflicts = arranged.conflicts
        return arranged.catalog

    @cached_property
    def _as_listed(self) -> _Arranged:
        return self._arranged_for("")

    def _arranged_for(self, place: str) -> _Arranged:
        """Return the catalogs as an overlay at ``place`` sees them: those that share more folders first."""
        from renderer.kubevirt.instancetype.catalog import Catalog
        from renderer.pipeline.cluster_conflicts import conflicts_of_catalogs

        def distance(source: CatalogSource) -> int:
            return -shared_folders(place, source.name)

        sources = sorted((*self._configuration, *self._sources), key=distance)
        whole = Catalog.of(*self._with_facts(sources), find_definition=self._find_definition)
        whole = whole.with_gates(self._config.feature_gates)
        whole = whole.with_cluster(self._find_in_cluster, self._config.golden_images)
        # The built-in catalogs have what KubeVirt deploys by itself, which a catalog may replace.
        own = [
            (distance(each), each.resources) for each in sources if not each.name.startswith(BUILTIN_SCHEME)
        ]
        conflicts = conflicts_of_catalogs(own, self._config.cluster)
        return _Arranged(whole, tuple(conflicts))

    def _with_facts(self, sources: list[CatalogSource]) -> Iterator[CatalogSource]:
        """Yield the sources, and the facts after all that the repository has.

        The built-in catalogs at the end say less of the cluster than its facts. The object that configures
        KubeVirt is left out of the facts if the repository has one.
        """
        from renderer.kubevirt.instancetype.catalog import CatalogSource

        if not self._observed:
            yield from sources
            return
        end = len(sources)
        while end and sources[end - 1].name.startswith(BUILTIN_SCHEME):
            end -= 1
        is_configured = any(
            configures_kubevirt(each) for source in sources[:end] for each in source.resources
        )
        observed = tuple(
            each
            for each in self._observed
            if each.kind in MATCHER_TYPE_OF or (configures_kubevirt(each) and not is_configured)
        )
        yield from sources[:end]
        yield CatalogSource(self._config.facts, ResourceSet(observed))
        yield from sources[end:]

    def conflicts_of(self, overlay: Overlay, resources: ResourceSet) -> tuple[Diagnostic, ...]:
        """Return the errors about objects of which the overlay's cluster can have one, and would have two.

        ``resources`` are the overlay's own. Catalogs count once something was looked up in them.
        """
        if not any(map(excludes_others, resources)):
            return self._conflicts
        return (*self._conflicts, *self._shared.deployed.conflicts(overlay, resources))

    def kubevirt(self, resources: Iterable[Resource], release: Release) -> Resource | None:
        """Return the ``KubeVirt`` object of the cluster of an overlay with these resources, if it is known.

        It, or the HyperConverged object of which it is made, is in the overlay, or else in what an engine
        deploys beside, as a comparison knows, or else in the configuration or a catalog, or else in another
        overlay of the cluster, or else in its facts. A catalog that cannot be read has none; the error is
        reported where a machine needs it.
        """
        from renderer.kubevirt.instancetype.cluster_kubevirt import find_configuring, kubevirt_of

        own = next(filter(configures_kubevirt, resources), None)
        if own is None and self._overlay is not None and self._shared.beside is not None:
            own = self._shared.deployed.kubevirt_among(self._shared.beside(self._overlay))
        if own is not None:
            return kubevirt_of(own, release)
        observed = None
        if self.has_own:
            with suppress(DiagnosticError):
                found = find_configuring(self.whole)
                if found is not None and not self.is_fact(found):
                    return kubevirt_of(found, release)
                observed = found
        known = self.kubevirt_of_cluster or observed
        return None if known is None else kubevirt_of(known, release)

    def configuring_objects(self) -> tuple[Resource, ...]:
        """Return each object that configures KubeVirt in the configuration, the catalogs and the facts.

        The first one counts, and two that differ are a conflict. Raises ``DiagnosticError``.
        """
        if not self.has_own:
            return ()
        with self._recorder.using(Task("catalogs")):
            sources = (*self._configuration, *self._sources)
        listed = (each for source in sources for each in source.resources)
        return tuple(filter(configures_kubevirt, (*listed, *self._observed)))

    def is_fact(self, resource: Resource) -> bool:
        """Return True if the object is in the facts of the cluster."""
        return any(resource is each for each in self._observed)

    @cached_property
    def _configuration(self) -> tuple[CatalogSource, ...]:
        """The cluster's own objects, in the files and folders that the project lists for it."""
        from renderer.kubevirt.instancetype.catalog import CatalogSource

        return tuple(CatalogSource(path, self._objects_at(path)) for path in self._config.configuration)

    def _objects_at(self, path: str) -> ResourceSet:
        """Return the objects of a kustomization, or of a plain folder or file. Raises ``DiagnosticError``."""
        from renderer.model.kustomization import KUSTOMIZATION_FILES

        names = self._fs.list(path) if self._fs.is_folder(path) else ()
        if any(name in KUSTOMIZATION_FILES for name in names):
            return self._composed(path)
        if not names and not self._fs.is_file(path):
            from renderer.project.overlays import missing_path

            site = Site(PROJECT_FILE, 0, FieldPath.of("configuration"))
            raise Diagnostic.at(site, Code.CONFIG_INVALID, *missing_path(self._fs, path)).error()
        from renderer.gitops.argocd.directory import DirectoryOptions, read_manifests

        with self._recorder.using(Task("configuration", path)):
            return ResourceSet(read_manifests(self._fs, path, DirectoryOptions.of({})).value)

    def _find_definition(self, kinds: Iterable[str], name: str) -> Definition | None:
        kinds = tuple(kinds)
        with self._recorder.using(Task("definitions")):
            return self._shared.definitions.find(kinds, name) or self._shipped(kinds, name)

    def _shipped(self, kinds: Iterable[str], name: str) -> Definition | None:
        """Return the definition in a shipped catalog that the project does not list."""
        from renderer.model.kube.resource import Definition

        for catalog in BUILTIN_CATALOGS:
            if BuiltinCatalog(catalog) not in self._config.catalogs:
                catalog_hint = f"add `- builtin: {catalog}` under catalogs in {PROJECT_FILE}"
                for resource in self._shared.compose(builtin_path(catalog), None).value:
                    if resource.name == name and resource.kind in kinds:
                        return Definition(resource.kind, resource.origin, catalog_hint)
        return None

    def _find_named_sources(self) -> tuple[NamedSource, ...]:
        with self._recorder.using(Task("names in catalogs")):
            return self._named_sources

    @cached_property
    def _named_sources(self) -> tuple[NamedSource, ...]:
        from renderer.instancetype_names.new_names import named_catalogs

        return named_catalogs(self.sources, self._shared.find_overlays())

    def _composed(self, folder: str) -> ResourceSet:
        """Return the resources of a catalog. Raises ``DiagnosticError``."""
        known = self._known.find(folder, self._recorder) if self._known else None
        if known is not None:
            return known
        work = Task("catalog", folder)
        with self._recorder.using(work):
            composed = self._shared.compose(folder, catalog_site(folder))
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
