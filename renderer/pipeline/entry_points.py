"""Entry points of Flux, Argo CD and OpenShift: find their overlays, and compose them.

``gitops`` knows what an engine reads; this module composes it with the stages of kustomize. An engine is a
module with its entries, and a row in ``_ENGINES``.
"""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.engines import FLUX_DOMAIN
from renderer.model.entry_point import EntryKind, EntryPoint
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.provenance import StepKind
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.model.run.work import spend
from renderer.pipeline.entry_search import Search
from renderer.pipeline.target_cluster import target_cluster_of
from renderer.project import overlays as source_overlays
from renderer.project.overlays import EntryReport, FoundOverlays, check_is_source, entry_site, missing_path

if TYPE_CHECKING:
    from renderer.gitops.substitution.post_build import Variables
    from renderer.pipeline.argocd_build import ApplicationBuilder
    from renderer.pipeline.flux_build import BuildContext, FluxBuilds

    #: Finds the entry points of an entry, each with its name.
    Engine: TypeAlias = Callable[
        [FileSystem, RenderConfig, OverlayEntry, Search, EntryReport], Iterator[tuple[str, EntryPoint]]
    ]


def find_overlays(fs: FileSystem, config: RenderConfig) -> tuple[Overlay, ...]:
    """Return every overlay of the project, including the overlays of Flux and Argo CD entries.

    Raises ``DiagnosticError`` as ``look_up_overlays`` does, and for entries of which overlays cannot be
    found, or that deploy nothing.
    """
    return look_up_overlays(fs, config).all_overlays()


def look_up_overlays(
    fs: FileSystem,
    config: RenderConfig,
    search: Search = Search(),  # noqa: B008 - a value
) -> FoundOverlays:
    """Find the overlays of the project, as far as they can be found. Raises ``DiagnosticError``.

    Kustomizations and Applications are built, to find what they deploy, as ``search`` says.
    """

    def resolve(entry: OverlayEntry, report: EntryReport) -> Iterator[Overlay]:
        return _overlays_of(fs, config, entry, search, report)

    return source_overlays.look_up_overlays(fs, config, resolve)


def _overlays_of(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> Iterator[Overlay]:
    if not fs.is_folder(entry.path) and not fs.is_file(entry.path):
        site = entry_site(entry.path, entry.listed_by).below(entry.listed_by)
        message, hint = missing_path(fs, entry.path)
        raise Diagnostic.at(site, Code.ENTRY_POINT, message, hint).error()
    check_is_source(fs, posixpath.normpath(entry.path), entry.listed_by, entry.path)
    spend(_STEPS_PER_ENTRY, "following entry points")
    for name, point in _ENGINES[entry.entry.kind](fs, config, entry, search, report):
        path, prefix = f"{entry.path.rstrip('/')}:{name}", entry.entry.name_prefix
        target = target_cluster_of(config.clusters, point)
        overlay = config.overlay(entry, path, f"{prefix}/{name}", target)
        yield overlay._replace(entry=point)


def _flux_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> Iterator[tuple[str, EntryPoint]]:
    from renderer.pipeline.flux_entry import flux_points

    return flux_points(fs, config, entry, search, report)


def _argocd_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> Iterator[tuple[str, EntryPoint]]:
    from renderer.pipeline.argocd_entry import argocd_points

    return argocd_points(fs, config, entry, search, report)


#: Steps to follow an entry of few objects (``model.run.work``).
_STEPS_PER_ENTRY = 2_000
_ENGINES: Mapping[EntryKind, Engine] = {EntryKind.FLUX: _flux_points, EntryKind.ARGOCD: _argocd_points}


class EntryPointComposer:
    """Composes overlays that are entry points, plain folders or Templates."""

    def __init__(self, fs: FileSystem, context: BuildContext) -> None:
        self._fs = fs
        self._context = context
        self._recorder = context.recorder or Recorder()
        self._confidential: dict[str, frozenset[str]] = {}

    def compose(
        self, overlay: Overlay, point: EntryPoint, folder: Outcome[ResourceSet] | None
    ) -> Outcome[ResourceSet]:
        """Return the resources that the engine builds, before variables are substituted.

        ``folder`` is the build of an overlay with a kustomization. A point with an error is not built.
        """
        if has_errors(point.notes):
            return Outcome(ResourceSet(), point.notes)
        if self._context.trace:  # which observes each build
            self.forget_builds()
        match point.options.kind:
            case EntryKind.KUSTOMIZATION:
                composed = folder or Outcome(ResourceSet())
            case EntryKind.DIRECTORY:
                composed = self._directory(overlay, point)
            case EntryKind.GENERATED:
                composed = self._generated(overlay)
            case EntryKind.FLUX:
                composed = self._flux(point)
            case EntryKind.ARGOCD:
                composed = self._argocd(point)
        composed = self._with_templates(overlay, point, composed)
        found = composed.diagnostics
        if point.matched:
            from renderer.pipeline.shared_patches import without_matched

            found = without_matched(found, point.matched)
        return Outcome(composed.value, (*point.notes, *found))

    def forget_builds(self) -> None:
        """Drop what was read and built for several Applications or Kustomizations."""
        for part in ("applications", "flux_builds"):
            self.__dict__.pop(part, None)

    def substitute(
        self, overlay: Overlay, point: EntryPoint, composed: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """Return the objects with Flux variables substituted, as far as the repository has the values."""
        if composed.failed or not _has_variables(point) or point.entry is None:
            return composed
        from renderer.gitops.substitution.substitute import SecondPass
        from renderer.pipeline.flux_build import read_variables, substitute_variables

        variables = read_variables(point.entry, point.variables, secrets=point.options.secrets)
        again = SecondPass.ENCRYPTED if point.options.repoint else SecondPass.INCOMPLETE
        known = self.flux_builds.substitutions
        outcome = substitute_variables(composed, variables, again, point.strictness, known)
        self._confidential[overlay.path] = outcome.value.confidential
        return Outcome(outcome.value.resources, outcome.diagnostics)

    def variables(self, point: EntryPoint) -> Variables | None:
        """Return the variables of Flux in an entry point, as far as the repository has their values."""
        if not _has_variables(point) or point.entry is None:
            return None
        from renderer.pipeline.flux_build import read_variables

        return read_variables(point.entry, point.variables, secrets=point.options.secrets).value

    def with_copies(self, point: EntryPoint, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Return the objects, with copies of the engine's own that point at rendered trees."""
        trees = {tree.reference: tree for tree in point.trees}
        if composed.failed or not trees:
            return composed
        if point.options.kind is EntryKind.FLUX:
            from renderer.gitops.flux.repointing import repointed
        else:
            from renderer.gitops.argocd.repointing import repointed

        def copied(resource: Resource) -> Resource:
            tree = trees.get(resource.reference)
            return repointed(resource, tree) if tree else resource

        return Outcome(composed.value.map(copied), composed.diagnostics)

    def as_applied(self, point: EntryPoint, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Return the objects as the engine applies them, with its metadata and in its namespace."""
        if composed.failed or point.entry is None:
            return composed
        if point.options.kind is EntryKind.FLUX:
            applied = _applied_by_flux(composed.value, point.entry)
            return Outcome(applied, (*composed.diagnostics, *_refused_by_api_server(applied)))
        from renderer.model.kube.cluster_wide import with_default_namespace

        namespace = text_at(point.entry.content, "spec", "destination", "namespace")
        return Outcome(with_default_namespace(composed.value, namespace), composed.diagnostics)

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Return the values of Secrets that were substituted into the overlay."""
        return self._confidential.get(overlay.path, frozenset())

    def _directory(self, overlay: Overlay, point: EntryPoint) -> Outcome[ResourceSet]:
        from renderer.gitops.argocd.destination import without_duplicates
        from renderer.gitops.argocd.directory import DirectoryOptions, read_manifests

        try:
            options = DirectoryOptions.of({"directory": point.options.directory})
            read = read_manifests(self._fs, overlay.path, options)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)
        kept = without_duplicates(read.value)
        return Outcome(kept.value, (*read.diagnostics, *kept.diagnostics))

    def _generated(self, overlay: Overlay) -> Outcome[ResourceSet]:
        site = entry_site(overlay.listed_as, overlay.listed_by)
        return self.flux_builds.of_source().compose_folder(overlay.path, site)

    def _flux(self, point: EntryPoint) -> Outcome[ResourceSet]:
        if point.entry is None or point.objects:
            return Outcome(ResourceSet(point.objects))
        if point.artifact:
            from renderer.gitops.flux.composed_artifact import in_repository

            composed = self.flux_builds.of_composed(point.artifact).compose(point.entry)
            return in_repository(composed, point.artifact)
        return self.flux_builds.of_source(point.ignore).compose(point.entry)

    @cached_property
    def flux_builds(self) -> FluxBuilds:
        """The builds of Kustomizations, which the search for entry points shares."""
        from renderer.pipeline.flux_build import FluxBuilds

        return FluxBuilds(self._fs, self._context)

    def _argocd(self, point: EntryPoint) -> Outcome[ResourceSet]:
        if point.entry is None:
            return Outcome(ResourceSet(point.objects))
        return self.applications.build(point.entry, point.repositories.__contains__)

    @cached_property
    def applications(self) -> ApplicationBuilder:
        """The builds of Applications, which the search for entry points shares."""
        from renderer.pipeline.argocd_build import ApplicationBuilder

        return ApplicationBuilder(self._fs, self._context)

    def _with_templates(
        self, overlay: Overlay, point: EntryPoint, composed: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """Replace templates by their objects, if the project gives parameters."""
        options = point.options
        if composed.failed or (options.parameters is None and not options.parameter_file):
            return composed
        from renderer.gitops.templates import GivenParameters, process_templates, read_parameters

        site = entry_site(overlay.listed_as, overlay.listed_by).below("parameters")
        values = options.parameters or {}
        given = GivenParameters(values, {name: site.below(name) for name in values})
        try:
            if options.parameter_file:
                given = read_parameters(self._fs, options.parameter_file, site)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), composed.diagnostics + error.diagnostics)
        processed = process_templates(composed.value, given.values, overlay.kubevirt)
        unlabelled, labelled, made = processed.value
        if self._context.trace:
            for each in made:
                self._context.trace.processed(each, given.values, given.sites)
            self._context.trace.passed(overlay, StepKind.TEMPLATE_LABEL, unlabelled, labelled)
        return Outcome(labelled, composed.diagnostics + processed.diagnostics)


def _has_variables(point: EntryPoint) -> bool:
    """Return True for a Flux Kustomization, and not for a ResourceSet, which has all its objects."""
    return point.options.kind is EntryKind.FLUX and not point.objects


def _refused_by_api_server(applied: ResourceSet) -> Iterator[Diagnostic]:
    """Yield the findings about empty and unknown fields of Flux's own objects among the applied ones."""
    from renderer.gitops.entry_fields import empty_fields
    from renderer.gitops.flux.known_fields import unknown_fields

    for resource in applied:
        if resource.gvk.group.endswith(FLUX_DOMAIN):
            yield from empty_fields(resource)
            yield from unknown_fields(resource)


def _applied_by_flux(resources: ResourceSet, entry: Resource) -> ResourceSet:
    """Return the objects of a Kustomization, as Flux finds them in its inventory.

    Encrypted objects are among them, and objects that Flux is told to skip: it would delete what is missing
    (kustomize-controller ``internal/inventory`` AddChangeSet, ``fluxcd/pkg`` ``ssa`` shouldSkipApply).
    """
    from renderer.gitops.flux.applied_objects import read_objects, with_common_metadata

    return with_common_metadata(read_objects(resources), entry)
