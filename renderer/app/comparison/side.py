"""One side of a comparison: a project at a revision or in the work tree, rendered in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from glob import escape
from typing import TYPE_CHECKING, NamedTuple, Self

from renderer.app.comparison.applying_engine import ApplyingEngine
from renderer.app.comparison.common_files import CommonFiles, SideFiles
from renderer.app.comparison.listing import Listing
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.project import proposal, proposed_config
from renderer.diff.overlay_side import OverlaySide
from renderer.files.file_system import FileSystem
from renderer.files.git_repository import GitFileSystem
from renderer.files.recorder import RecordedFileSystem, Recorder, Task
from renderer.findings.located import Located, LocatedError
from renderer.findings.locator import Locator
from renderer.findings.run_findings import RunFindings, locate
from renderer.gitops.argocd.application import as_application, is_application
from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.virtual_machine import virtual_machine_paths
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from renderer.model.kube.json import EMPTY
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay, RenderConfig
from renderer.model.run.limits import lowered
from renderer.pipeline import Pipeline
from renderer.pipeline.deployer_files import deployer_objects
from renderer.pipeline.deployers import Deployers
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.pipeline.run_context import RunContext
from renderer.pipeline.vm_changes import ProjectState
from renderer.project.excluded_paths import ExcludedPaths
from renderer.project.overlays import overlay_at
from renderer.project.project import load_project
from renderer.project.project_schemas import existing_schemas
from renderer.project.tree_paths import is_tree
from renderer.project.validation_scope import ManifestFiles
from renderer.report.paths import at_revision

if TYPE_CHECKING:
    from renderer.kubevirt.instancetype.catalog import Catalog
    from renderer.pipeline.project_catalogs import ProjectCatalogs
    from renderer.provenance.trace import Trace


class _Rendering(NamedTuple):
    """An overlay as a side has rendered it: as a ``task``, whose questions its ``recorder`` knows.

    ``applies_sources`` is what was said of its engine, None if that was not asked.
    """

    overlay: Overlay
    task: Task
    recorder: Recorder
    applies_sources: bool | None
    rendered: RenderedSide


class Side:
    """One side of a comparison: a project at a revision or in the work tree, rendered in memory.

    ``name`` is the user's name for it; ``revision`` is put before the paths of its findings. ``cluster`` is
    the cluster that the comparison is about; empty for all. ``tree`` has the files of a revision, and
    ``listed`` names the files of a work tree that Git tracks or would add; without both, hidden files do not
    count, and what the project excludes.
    ``clusters`` are the names of the clusters that the project lists, and an empty one if an overlay goes to
    the default cluster; ``clusters_of_entries`` are those that its entries name, by their paths.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what it is read from, and what of it counts
        self,
        name: str,
        fs: FileSystem,
        revision: str = "",
        cluster: str = "",
        tree: GitFileSystem | None = None,
        listed: Collection[str] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> None:
        """Raise ``LocatedError`` if the project file cannot be used.

        Also if no entry of the project has an overlay, unless the side ``may_be_empty``.
        """
        self.name = name
        self.fs = fs
        self.revision = revision
        self.tree = tree
        self.files = SideFiles(fs, tree)
        self._listed = listed
        self._cluster = cluster
        self._may_be_empty = may_be_empty
        self._not_sources: tuple[str, ...] = ()
        #: The release that the user asked for in place of the project's.
        self.asked_release: Release | None = None
        self._releases: Mapping[str, Release] = {}
        self._followed: tuple[Side, CommonFiles] | None = None
        self.latest: _Rendering | None = None
        self._said_of_engine: bool | None = None
        try:
            self._configure(load_project(fs))
        except DiagnosticError as error:
            raise LocatedError(*self.labelled(locate(fs, error.diagnostics))) from None

    def _configure(self, config: RenderConfig) -> None:
        if self.asked_release is not None:
            config = config.for_release(self.asked_release)
        if self.revision:  # a commit cannot be corrected any more
            config = config._replace(schemas=existing_schemas(self.fs, config.schemas))
        if self._not_sources:
            config = config._replace(exclude=(*config.exclude, *self._not_sources))
        self._recorder = Recorder()
        self._pipeline = Pipeline(
            RecordedFileSystem(self.fs, self._recorder),
            config,
            context=RunContext(self._recorder),
            releases=self._releases,
            applies_sources=self._applies_sources,
        )
        with lowered(config.limits):
            self.found = self._pipeline.found._replace(cluster=self._cluster)
        if not self.found.overlays and not self._may_be_empty:
            self.found.all_overlays()
        self.config = config
        self.overlays: Mapping[str, Overlay] = {
            overlay.path: overlay
            for overlay in self.found.overlays
            if overlay.listed_as not in self.found.uncertain_entries
        }
        used = {each.cluster for each in self.overlays.values()}
        self.clusters = frozenset({each.name for each in config.clusters} | used & {""})
        self.clusters_of_entries = {each.path: each.cluster for each in reversed(config.overlays)}
        self._locator = Locator(self.fs)  # one for all overlays, which may have the same errors

    def check_overlays(self) -> None:
        """Raise ``LocatedError`` if the project has no overlays because of an error."""
        try:
            self.found.all_overlays()
        except DiagnosticError as error:
            raise LocatedError(*self.labelled(locate(self.fs, error.diagnostics))) from None

    def propose(self) -> Self:
        """Without a ``vmrender.yaml``, use the proposal of ``init``. Raises ``DiagnosticError``."""
        proposed = proposed_config(self.fs, self.config)
        if proposed is not self.config:
            self._configure(proposed)
        return self

    @classmethod
    def propose_all(cls, sides: Collection[Side]) -> None:
        """Without a ``vmrender.yaml`` on any side, use the proposal of ``init`` on each.

        What one of them lists and another cannot build is not gone there: it cannot be compared.
        Raises ``DiagnosticError``.
        """
        proposals = [(side, proposal(side.fs, side.config)) for side in sides]
        configs = [found.config for _, found in proposals if found and found.config]
        listed = {entry.path for config in configs for entry in config.overlays}
        for side, found in proposals:
            if found and found.config:
                entries = (*found.config.overlays, *found.broken_of(listed))
                side._configure(found.config._replace(overlays=entries))  # noqa: SLF001 - of this class

    def for_release(self, release: Release) -> Self:
        """Render for another target release, as if the project file said so. Raises ``DiagnosticError``."""
        self.asked_release = release
        self._configure(self.config)
        return self

    def under(self, config: RenderConfig, fs: FileSystem, releases: Mapping[str, Release]) -> Side:
        """Return this side with other settings, files that these name, and releases of overlays by path.

        Raises ``DiagnosticError`` or ``LocatedError`` if they cannot be used.
        """
        may_be_empty = self._may_be_empty
        side = Side(
            self.name, fs, self.revision, self._cluster, self.tree, self._listed, may_be_empty=may_be_empty
        )
        side.asked_release = self.asked_release
        side._not_sources, side._releases = self._not_sources, releases
        side._configure(config)
        return side

    def configuring(self, cluster: str) -> tuple[Resource, ...]:
        """Return the KubeVirt and HyperConverged objects that the project has for a cluster.

        They are in its ``configuration``, catalogs and facts.
        """
        with suppress(DiagnosticError):  # reported where a machine needs it
            return self._pipeline.catalogs_of(cluster).configuring_objects()
        return ()

    def without_source(self, path: str) -> Self:
        """Leave out a file or folder that is in the project, but no part of it, such as a dump.

        Raises ``DiagnosticError``.
        """
        self._not_sources = (escape(path),)
        self._configure(self.config)
        return self

    @cached_property
    def submodules(self) -> Mapping[str, str]:
        """The commits of the submodules of a revision, by path; whoever reads a work tree sets its own."""
        return self.tree.submodules() if self.tree else {}

    @cached_property
    def deployers(self) -> Deployers:
        """The objects in the repository that deploy its overlays; all manifests are read for them.

        What the project excludes, and what is in other projects and trees, counts if an engine reads it.
        """
        overlays, listing = self.overlays.values(), self.listing
        objects = deployer_objects(self.fs, listing.manifests)
        every = Deployers(self.fs, self.graph, self.config, overlays, objects)
        aside = frozenset(filter(listing.is_aside, objects))
        unread = aside - every.deployed(aside) if aside else aside
        if not unread:
            return every
        known = {path: each for path, each in objects.items() if path not in unread}
        return Deployers(self.fs, self.graph, self.config, overlays, known)

    @cached_property
    def graph(self) -> KustomizationGraph:
        """The kustomizations of the side."""
        return KustomizationGraph(self.fs)

    @cached_property
    def overlay_files(self) -> OverlayFiles:
        """The files that overlays of the side are built from."""
        return OverlayFiles(self.fs, self.graph)

    @cached_property
    def listing(self) -> Listing:
        """The files of the side."""
        outputs = [each.output for each in self.overlays.values()]
        return Listing(self.fs, self.graph, self._files_listed, outputs, self.config.exclude)

    def _files_listed(self) -> Iterator[str]:
        if self.tree is not None:
            paths: Iterable[str] = self.tree.files()
        elif self._listed is not None:
            paths = (each for each in self._listed if confined(self.fs.is_file, each))
        else:
            paths = ManifestFiles(self.fs, (), self.config.exclude).below(".")
        return itertools.filterfalse(ExcludedPaths(self._not_sources).has, paths)

    def deployer_of(self, overlay: Overlay) -> Resource | None:
        """Return the Application or Kustomization that deploys an overlay; None if it is not certain.

        If the overlay is not an entry point, all manifests are searched for it.
        """
        found = self._deployers_of(overlay)
        return found[0] if len(found) == 1 else None

    def certain_deployers_of(self, overlay: Overlay) -> tuple[Resource, ...]:
        """Return the objects that deploy an overlay; none if nothing applies the manifest of one of them.

        Such a manifest may be an example, and the real deployer in another repository.
        """
        return () if self.unapplied_deployers_of(overlay) else self._deployers_of(overlay)

    def unapplied_deployers_of(self, overlay: Overlay) -> tuple[Resource, ...]:
        """Return the objects that would deploy an overlay if something applied their manifests."""
        if overlay.entry is not None:
            return ()
        return tuple(each for each in self._deployers_of(overlay) if not self.deployers.is_applied(each))

    def _deployers_of(self, overlay: Overlay) -> tuple[Resource, ...]:
        if overlay.entry is not None:
            return (as_application(overlay.entry.entry),) if overlay.entry.entry else ()
        return tuple(map(as_application, self.deployers.probable(overlay)))

    def _applies_sources(self, overlay: Overlay) -> bool:
        """Return True if the engine of an overlay applies its sources and not its tree, by what Git says."""
        self._said_of_engine = self.has_applied_sources(overlay)
        return self._said_of_engine

    def has_applied_sources(self, overlay: Overlay) -> bool:
        """Return True as ``_applies_sources``, which also notes that it was asked."""
        if overlay.entry is not None:
            return not is_tree(self.fs, overlay.output)
        return self.deployers.applies_sources(overlay)

    def run_findings(self) -> RunFindings:
        """Return an empty collection of findings about this side, for which no line is found twice."""
        return RunFindings(self.fs, locator=self._locator)

    def labelled(self, findings: Iterable[Located]) -> tuple[Located, ...]:
        """Return the findings with paths that begin with the revision, whose files nobody can edit."""
        return tuple(at_revision(self.revision, each) for each in findings) if self.revision else (*findings,)

    def goes_elsewhere(self, path: str, cluster: str) -> bool:
        """Return True if the overlay at ``path`` goes to another cluster than ``cluster``."""
        overlay = self.overlays.get(path)
        return overlay is not None and overlay.cluster != cluster

    def add_unlisted(self, overlays: Mapping[str, Overlay]) -> None:
        """Render more overlays than the project lists."""
        self.overlays = {**self.overlays, **overlays}

    def know_beside(self, beside: Callable[[Overlay], Iterable[Overlay]]) -> None:
        """Know the object that configures KubeVirt also of what ``beside`` returns for an overlay."""
        self._pipeline.know_beside(beside)

    def as_written(self, resources: Iterable[Resource], deployer: Resource | None = None) -> OverlaySide:
        """Return objects of files, and what applies them if that is known."""
        written, certain = tuple(resources), (deployer,) if deployer else ()
        engine = ApplyingEngine(deployer, lambda: deployer, lambda: certain)
        owner = deployer.current_id if deployer else None
        return OverlaySide(self.config.kubevirt, written, owner=owner, engine=engine)

    def render(self, path: str, listed_as: str = "") -> RenderedSide | None:
        """Render the overlay at ``path`` within its project's limits; None if this side does not have it.

        It may have it if the entry ``listed_as``, which lists it on another side, is not fully known here.
        """
        overlay = self.overlays.get(path)
        if overlay is not None:
            return self.render_overlay(overlay)
        if path in self.found.suspended:
            state = "it is suspended: nothing is applied, and its objects stay in the cluster"
            if self.found.suspended[path].by_parent:
                state = "a suspended one deploys it: it stays in the cluster as it is there"
            return RenderedSide(None, unknown=f"in {self.name}, {state}")
        if listed_as in self.found.uncertain_entries:
            return RenderedSide(None)
        if listed_as in self.found.incomplete_entries - self.found.empty_entries:
            return RenderedSide(None, unknown=f"{self.name} may deploy it: what deploys it cannot be built")
        return None

    def render_overlay(self, overlay: Overlay) -> RenderedSide:
        """Render an overlay, which the project need not list, within the project's limits."""
        self.latest = self._taken_over(overlay) or self._newly_rendered(overlay)
        return self.latest.rendered

    def follow(self, other: Side) -> None:
        """Take over what another side has just rendered, where rendering it here would repeat that.

        Most overlays are the same on both sides of a change, and at each of its commits.
        """
        if (self.config, self.found.overlays) == (other.config, other.found.overlays):
            self._followed = other, CommonFiles(self.files, other.files)

    def _taken_over(self, overlay: Overlay) -> _Rendering | None:
        """Return the last rendering of the followed side if rendering the overlay here would repeat it."""
        if self._followed is None:
            return None
        other, common = self._followed
        known = other.latest
        if known is None or known.overlay != overlay or not common.have_all(known.recorder, known.task):
            return None
        said = known.applies_sources
        if said is not None and said != self._applies_sources(overlay):
            return None
        content = known.rendered.content
        if content is None:
            return known
        content = content._replace(engine=self._engine_of(overlay))
        return known._replace(rendered=known.rendered._replace(content=content))

    def _newly_rendered(self, overlay: Overlay) -> _Rendering:
        self._said_of_engine, task = None, Task("overlay", overlay.path)
        with lowered(self.config.limits), self._recorder.using(task):
            rendered = self._render(overlay)
        return _Rendering(overlay, task, self._recorder, self._said_of_engine, rendered)

    def _engine_of(self, overlay: Overlay) -> ApplyingEngine:
        certain = partial(self.certain_deployers_of, overlay)
        deployer = partial(self.deployer_of, overlay)
        return ApplyingEngine(overlay.deployer, deployer, certain, self._application)

    def _application(self, name: str) -> Resource | None:
        return self._applications.get(name)

    @cached_property
    def _applications(self) -> Mapping[str, Resource]:
        """The Applications in files, by name."""
        return {each.name: each for each in reversed([*self.deployers.objects]) if is_application(each)}

    def _render(self, overlay: Overlay) -> RenderedSide:
        outcome = self._pipeline.render(overlay)
        written = outcome.value
        errors = tuple(found for found in outcome.diagnostics if found.severity is Severity.ERROR)
        findings = self.run_findings()
        # Locate first: until its places are known, a message may repeat a confidential value.
        messages = ((each.resource, findings.located(each, (overlay.path,)).message) for each in errors)
        refused = _refusals(messages, written)
        if refused is None:
            return RenderedSide(None, errors)
        applied: Mapping[ResId, Resource] = {}
        if overlay.expand is ExpandMode.OFF:  # manifests keep the matchers, and the cluster expands them
            expanded = self._pipeline.render(overlay._replace(expand=ExpandMode.APPLIED)).value
            applied = {each.current_id: each for each in expanded if virtual_machine_paths(each.content)}
        config, catalogs = (
            self.config.of_cluster(overlay.cluster),
            self._pipeline.catalogs_of(overlay.cluster),
        )
        with catalogs.including_deployed(overlay):
            kubevirt = catalogs.kubevirt(written, overlay.kubevirt)
        owner = overlay.deployer
        content = OverlaySide(
            release=overlay.kubevirt,
            written=tuple(written),
            applied=applied,
            refused=refused,
            kubevirt=EMPTY if kubevirt is None else kubevirt.content,
            feature_gates=config.feature_gates,
            owner=owner.current_id if owner else None,
            engine=self._engine_of(overlay),
            storage_classes=catalogs.storage_classes,
        )
        # The state for expanding VMs has the instance types that the overlay composes.
        resources = written
        if overlay.expand is ExpandMode.OFF and not overlay.write_instancetypes:
            resources = self._pipeline.compose_overlay(overlay).value
        from renderer.kubevirt.instancetype.catalog import CatalogSource  # noqa: PLC0415 - a stage is imported where it is used

        with catalogs.seen_by(overlay):
            catalog = _catalog(catalogs, resources, config)
        looked_up = next(catalog.of_kind(KUBEVIRT), None)
        if kubevirt is not None and (looked_up is None or catalogs.is_fact(looked_up)):
            catalog = catalog.after(CatalogSource("", ResourceSet((kubevirt,))))
        return RenderedSide(content, errors, ProjectState(resources, catalog, catalogs.storage_profiles))

    def traced(self, trace: Trace) -> Pipeline:
        """Return a pipeline that observes how an overlay is made, and renders nothing else again."""
        return self._pipeline.traced(trace)

    def composed(self, folder: str) -> ResourceSet | None:
        """Build a folder, which need not be an overlay, with kustomize; return None if the build fails."""
        with lowered(self.config.limits):
            outcome = self._pipeline.compose_overlay(overlay_at(self.config, (), folder))
        return None if has_errors(outcome.diagnostics) else outcome.value

    def with_confidential(self, path: str, resources: Iterable[Resource], finding: Diagnostic) -> Diagnostic:
        """Note in a finding about the overlay at ``path`` the values that no output may show."""
        [noted] = self._pipeline.with_confidential(self.overlays[path], resources, (finding,))
        return noted


def _catalog(catalogs: ProjectCatalogs, resources: ResourceSet, config: RenderConfig) -> Catalog:
    """Return the catalog that the resources need; an empty one if it cannot be read.

    The error is reported where a virtual machine needs the catalog.
    """
    from renderer.kubevirt.instancetype.catalog import Catalog  # noqa: PLC0415 - a stage is imported where it is used
    from renderer.kubevirt.instancetype.virtual_machine import needs_catalog  # noqa: PLC0415 - as above

    if needs_catalog(resources) or catalogs.has_own:
        with suppress(DiagnosticError):
            return catalogs.whole
    return Catalog(feature_gates=config.feature_gates)


def _refusals(
    errors: Iterable[tuple[ResId | None, str]], written: ResourceSet
) -> Mapping[ResId, tuple[str, ...]] | None:
    """Sort the messages of errors by resource; None if an error is not about a rendered resource."""
    known = {resource.current_id for resource in written}
    refused: dict[ResId, tuple[str, ...]] = {}
    for resource, message in errors:
        if resource not in known or resource is None:
            return None
        refused[resource] = (*refused.get(resource, ()), message)
    return refused
