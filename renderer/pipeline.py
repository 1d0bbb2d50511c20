"""The only place where the stages meet: load → compose → expand → validate.

A stage is imported when it is first needed: a command pays for what it does, and no more.
"""

# ruff: noqa: PLC0415 - as the docstring says

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.compose.build_options import BuildOptions
from renderer.compose.compose import Composer
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.generated import Generated
from renderer.model.gvk import Gvk
from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.release import Release
from renderer.model.render_config import BuiltinCatalog, CatalogPath, ExpandMode, Overlay, RenderConfig
from renderer.model.resource_set import ResourceSet
from renderer.source.builtin import builtin_path
from renderer.source.file_system import FileSystem
from renderer.source.load import Loader, load_files
from renderer.source.load_restrictor import LoadRestrictor

if TYPE_CHECKING:
    from renderer.instancetype.catalog import Catalog, CatalogSource
    from renderer.model.pin import Pinnable
    from renderer.validation.registry import SchemaRegistry


class Pipeline:
    """One run over one repository; what its overlays share is read, composed and compiled once."""

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
    ) -> None:
        self._fs = fs
        self._config = config
        self._composer = Composer(GENERATORS, BuildOptions(merge_keys=config.merge_keys))
        self._loader = Loader(fs, restrictor, accumulate=self._composer.accumulate)

    @property
    def folders(self) -> frozenset[str]:
        """Every folder of the repository that has been read as a kustomization so far."""
        return self._loader.folders

    def render(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """The overlay as it is to be written: built, and checked against its target release's schemas."""
        built = self._built(overlay, self.compose(overlay.path))
        checked = built.then(lambda resources: self._validated(resources, overlay.kubevirt))
        return checked if overlay.write_instancetypes else checked.then(_without_instancetypes)

    def build(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """The overlay composed, its virtual machines expanded, and all of it checked.

        In the mode ``off`` it is what kustomize makes of it, and not held to any schema.
        """
        built = self._built(overlay, self.compose(overlay.path))
        if overlay.expand is ExpandMode.OFF:
            return built
        return built.then(lambda resources: self._validated(resources, overlay.kubevirt))

    def compose(self, folder: str) -> Outcome[ResourceSet]:
        """What ``kustomize build`` makes of the folder."""
        try:
            return self._composer.compose(self._loader.load(folder))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def expand(self, files: Iterable[str], release: Release, mode: ExpandMode) -> Outcome[ResourceSet]:
        """The documents in ``files``, their virtual machines expanded, and all of them checked."""
        expanded = self._expanded(Outcome(load_files(self._fs, files)), release, mode, own="the files")
        return expanded.then(lambda resources: self._validated(resources, release))

    def pinnables(self, overlay: Overlay) -> Outcome[tuple[Pinnable, ...]]:
        """The overlay's virtual machines, each with the pin that it would get now."""
        composed = self.compose(overlay.path)
        if composed.failed:
            return Outcome((), composed.diagnostics)
        try:
            return Outcome(tuple(self._pinnables(overlay, composed.value)), composed.diagnostics)
        except DiagnosticError as error:
            return Outcome((), composed.diagnostics + error.diagnostics)

    def _pinnables(self, overlay: Overlay, composed: ResourceSet) -> Iterator[Pinnable]:
        from renderer.compose.before_transformers import before_transformers, earlier_forms
        from renderer.instancetype.catalog import CatalogSource
        from renderer.instancetype.revision.pin import Pinner
        from renderer.instancetype.virtual_machine import VirtualMachine
        from renderer.model.pin import Pinnable

        tree = self._loader.load(overlay.path)
        root = tree.root.kustomization
        catalog = self._catalog.after(CatalogSource(overlay.path, composed))
        pinner = Pinner(catalog, overlay.kubevirt, lambda name: f"{root.name_prefix}{name}{root.name_suffix}")
        bare = self._composer.compose(before_transformers(tree))
        if bare.failed:
            raise DiagnosticError(*bare.diagnostics)
        for resource, target in earlier_forms(composed, bare.value):
            vm = VirtualMachine.of(resource)
            if vm is not None:
                pin = pinner.pin(vm)
                yield Pinnable(resource, target, pin.patch, pin.revisions, pin.findings)

    def _built(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        if composed.failed:
            return composed
        built = self._expanded(composed, overlay.kubevirt, overlay.expand)
        if overlay.expand is ExpandMode.OFF:
            return built
        return built.then(lambda resources: _without_unneeded_revisions(resources, composed.value))

    def _expanded(
        self, composed: Outcome[ResourceSet], release: Release, mode: ExpandMode, *, own: str = "the overlay"
    ) -> Outcome[ResourceSet]:
        from renderer.instancetype.concern import concerns
        from renderer.instancetype.virtual_machine import needs_catalog

        if not concerns(composed.value, mode):
            return composed
        from renderer.instancetype.catalog import Catalog
        from renderer.instancetype.expand import expand

        try:
            catalog = self._catalog if needs_catalog(composed.value) else Catalog()
        except DiagnosticError as error:
            return Outcome(composed.value, composed.diagnostics + error.diagnostics)
        return composed.then(lambda resources: expand(resources, catalog, release, mode, own=own))

    def _validated(self, resources: ResourceSet, release: Release) -> Outcome[ResourceSet]:
        from renderer.validation.validate import validate

        return Outcome(resources, validate(resources, release, self._schemas))

    @cached_property
    def _schemas(self) -> SchemaRegistry:
        from renderer.validation.registry import SchemaRegistry

        return SchemaRegistry()

    @cached_property
    def _catalog(self) -> Catalog:
        """The project's catalogs. Raises ``DiagnosticError`` with all that is wrong in one."""
        from renderer.instancetype.catalog import Catalog

        return Catalog.of(*(self._catalog_source(source) for source in self._config.catalogs))

    def _catalog_source(self, source: CatalogPath | BuiltinCatalog) -> CatalogSource:
        from renderer.instancetype.catalog import CatalogSource

        folder = source.path if isinstance(source, CatalogPath) else builtin_path(source.name)
        composed = self.compose(folder)
        if composed.failed:
            raise DiagnosticError(*composed.diagnostics)
        return CatalogSource(folder, composed.value)


def _without_unneeded_revisions(built: ResourceSet, composed: ResourceSet) -> Outcome[ResourceSet]:
    """Where matchers are expanded, the ControllerRevisions they named are of no use to the cluster."""
    from renderer.instancetype.revision.references import without_unneeded_revisions

    return Outcome(without_unneeded_revisions(built, composed))


def _without_instancetypes(resources: ResourceSet) -> Outcome[ResourceSet]:
    from renderer.instancetype.catalog import INSTANCETYPE_GROUP

    return Outcome(resources.where(lambda resource: resource.gvk.group != INSTANCETYPE_GROUP))


def _series(content: JsonObject, site: Site) -> tuple[Generated, ...]:
    from renderer.sizes.series import generate

    return generate(content, site)


#: The kinds of our own that a kustomization may list under ``generators``.
GENERATORS = {Gvk("vmrender.io", "v1alpha1", "InstancetypeSeries"): _series}
