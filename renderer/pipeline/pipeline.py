"""The kinds of our own that a kustomization may list under ``generators``."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.entry_point import EntryKind
from renderer.model.generated import Generated, ListedFiles
from renderer.model.json import JsonObject
from renderer.model.location import BUILTIN_SCHEME, Site
from renderer.model.provenance import StepKind
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay, RenderConfig
from renderer.model.res_id import Gvk
from renderer.model.resource import ResourceSet
from renderer.pipeline.checks import Checks
from renderer.pipeline.entry_points import EntryPointComposer
from renderer.pipeline.expansion import Expander
from renderer.pipeline.flux_build import BuildContext
from renderer.pipeline.flux_variables import FluxVariables
from renderer.pipeline.project_catalogs import ProjectCatalogs
from renderer.pipeline.run_context import RunContext, report_stage
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import LoadRestrictor
from renderer.source.recorder import Recorder

if TYPE_CHECKING:
    from renderer.compose.compose import Composer
    from renderer.instancetype.catalog import CatalogSource
    from renderer.model.pin import Pinnable
    from renderer.model.resource import Resource
    from renderer.provenance.trace import Trace
    from renderer.source.load import Loader


def _series(content: JsonObject, site: Site, _files: ListedFiles) -> tuple[Generated, ...]:
    from renderer.sizes.series import generate

    return generate(content, site)


def _template(content: JsonObject, site: Site, files: ListedFiles) -> tuple[Generated, ...]:
    from renderer.templates.template import generate

    return generate(content, site, files)


GENERATORS = {
    Gvk("vmrender.io", "v1alpha1", "InstancetypeSeries"): _series,
    Gvk("vmrender.io", "v1alpha1", "Template"): _template,
}


class Pipeline:
    """One run over one repository; what its overlays share is read, composed and compiled once."""

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
        trace: Trace | None = None,
        memory: RunContext | None = None,
    ) -> None:
        memory = memory or RunContext(Recorder())
        self._recorder = memory.recorder
        self._fs = fs
        self._config = config
        self._restrictor = restrictor
        self._trace = trace
        self._catalogs = ProjectCatalogs(fs, config, self.compose, memory)
        self._expansion = Expander(self._catalogs, trace)
        self._flux = FluxVariables(fs, self.compose)
        build = BuildContext(config.merge_keys, trace, self._recorder)
        self._entry_points = EntryPointComposer(fs, config, build)
        self._checks = Checks(fs, config, self._catalogs, self._expansion, self._recorder)

    @property
    def folders(self) -> frozenset[str]:
        """Every folder of the repository that has been read as a kustomization so far."""
        return self._loader.folders

    @property
    def judged_groups(self) -> frozenset[str]:
        """The API groups of which objects are held to a schema."""
        return self._checks.groups

    def render(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """The overlay as it is to be written: built, and checked against its target release's schemas."""
        return self.checked(overlay, self.compose_overlay(overlay))

    def compose_overlay(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """What kustomize, or the engine of the overlay's entry point, makes of it, before variables."""
        point = overlay.entry
        if point is None:
            return self.compose(overlay.path)
        folder = self.compose(overlay.path) if point.options.kind is EntryKind.KUSTOMIZATION else None
        return self._entry_points.compose(overlay, point, folder)

    def checked(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """What is to be written of ``composed``, in place of what the overlay's folder composes to."""
        whole = self._whole(overlay, composed)
        return whole if overlay.write_instancetypes else whole.then(_without_instancetypes)

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Values of Secrets that were put into the overlay's resources when it was rendered."""
        return self._flux.confidential(overlay) | self._entry_points.confidential(overlay)

    def build(self, overlay: Overlay) -> Outcome[ResourceSet]:
        """The overlay composed, its virtual machines expanded, and all of it checked.

        In the mode ``off`` it is what kustomize, and Flux where the project names its Kustomization, makes of
        it, and not held to any schema.
        """
        if overlay.expand is not ExpandMode.OFF:
            return self._whole(overlay, self.compose_overlay(overlay))
        from renderer.instancetype.target_form import written_form

        composed = self._substituted(overlay, self.compose_overlay(overlay))
        with self._catalogs.beside(overlay):
            built = self._expansion.built(overlay, composed)
        found = self._flux.masked(overlay, composed, built.diagnostics)
        return Outcome(written_form(composed.value), found)

    def compose(self, folder: str, listed_at: Site | None = None) -> Outcome[ResourceSet]:
        """What ``kustomize build`` makes of the folder, which the project names at ``listed_at``."""
        if folder.startswith(BUILTIN_SCHEME) and self._trace is None:
            from renderer.source.builtin_catalogs import composed_catalog

            shipped = composed_catalog(folder)
            if shipped is not None:
                return Outcome(shipped)
        try:
            return self._composer.compose(self._loader.load(folder, listed_at))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def read(self, folder: str) -> tuple[Diagnostic, ...]:
        """What is wrong with the kustomization in ``folder`` itself, and with what it lists."""
        try:
            return self._loader.load(folder).root.warnings
        except DiagnosticError as error:
            return error.diagnostics

    def expand(self, files: Iterable[str], release: Release, mode: ExpandMode) -> Outcome[ResourceSet]:
        """The documents in ``files``, their virtual machines expanded, and all of them checked."""
        from renderer.source.load import load_files

        loaded = Outcome(load_files(self._fs, files))
        expanded = self._expansion.expanded(loaded, release, mode, own="the files")
        checked = expanded.then(lambda resources: self._checks.validated(resources, release))
        return self._checks.admitted(checked, loaded, release, mode)

    def named(self, name: str) -> Resource:
        """What ``name`` or ``kind/name`` means in the project's catalogs. Raises ``DiagnosticError``."""
        from renderer.instancetype.lookup import look_up

        return look_up(self._catalogs.whole, name)

    def check(self, objects: ResourceSet, release: Release) -> tuple[Diagnostic, ...]:
        """What the release refuses, or warns of, in instance types and preferences themselves."""
        from renderer.instancetype.behaviour import behaviour_of
        from renderer.instancetype.findings import check_objects

        found = self._checks.validated(objects, release).diagnostics
        return found if has_errors(found) else (*found, *check_objects(objects, (), behaviour_of(release)))

    def pinnables(self, overlay: Overlay) -> Outcome[tuple[Pinnable, ...]]:
        """The overlay's virtual machines, each with the pin that it would get now."""
        composed = self.compose(overlay.path)
        if composed.failed:
            return Outcome((), composed.diagnostics)
        from renderer.pipeline.pinning import pinnables

        try:
            tree = self._loader.load(overlay.path)
            found = pinnables(overlay, tree, composed.value, self._composer, self._catalogs.whole)
            masked = (
                replace(each, findings=self._flux.masked(overlay, composed, each.findings)) for each in found
            )
            return Outcome(tuple(masked), composed.diagnostics)
        except DiagnosticError as error:
            refused = self._flux.masked(overlay, composed, error.diagnostics)
            return Outcome((), composed.diagnostics + refused)

    @property
    def catalog_sources(self) -> tuple[CatalogSource, ...]:
        """The project's catalogs, each by its name. Raises ``DiagnosticError``."""
        return self._catalogs.sources

    def _whole(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """``composed`` through all the stages, its instance types and preferences among it."""
        with self._catalogs.beside(overlay):
            return self._through_stages(overlay, composed)

    def _through_stages(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        substituted = self._substituted(overlay, composed)
        composed = report_stage(self._trace, overlay, StepKind.SUBSTITUTED, composed, substituted)
        built = self._expansion.built(overlay, composed)
        if overlay.tree.sync_waves:
            from renderer.emit.tree_options import in_sync_waves

            built = report_stage(self._trace, overlay, StepKind.SYNC_WAVE, built, built.then(in_sync_waves))
        checked = built.then(lambda resources: self._checks.validated(resources, overlay.kubevirt))
        referring = self._expansion.referring(overlay, composed)
        checked = self._checks.admitted(checked, referring, overlay.kubevirt, overlay.expand)
        judged = self._checks.judged(checked, composed.value, overlay)
        checked = report_stage(self._trace, overlay, StepKind.SUPPRESSION, checked, judged)
        return Outcome(checked.value, self._flux.masked(overlay, composed, checked.diagnostics))

    def _substituted(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """``composed`` with values for variables of Flux, and as the overlay's engine applies it."""
        if overlay.entry is None:
            return self._flux.substituted(overlay, composed)
        substituted = self._entry_points.substituted(overlay, overlay.entry, composed)
        report_stage(self._trace, overlay, StepKind.SUBSTITUTED, composed, substituted)
        applied = self._entry_points.applied(overlay.entry, substituted)
        return report_stage(self._trace, overlay, StepKind.ENTRY_POINT, substituted, applied)

    @cached_property
    def _composer(self) -> Composer:
        from renderer.compose.compose import BuildOptions, Composer

        return Composer(GENERATORS, BuildOptions(merge_keys=self._config.merge_keys), self._trace)

    @cached_property
    def _loader(self) -> Loader:
        from renderer.source.load import Loader

        return Loader(self._fs, self._restrictor, self._composer.accumulate, self._recorder)


def _without_instancetypes(resources: ResourceSet) -> Outcome[ResourceSet]:
    from renderer.instancetype.catalog import INSTANCETYPE_GROUP

    return Outcome(resources.where(lambda resource: resource.gvk.group != INSTANCETYPE_GROUP))
