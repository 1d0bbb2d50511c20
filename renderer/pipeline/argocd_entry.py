"""Entries of Argo CD: the Applications that a folder or file deploys, each as an entry point."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from renderer.files.file_system import FileSystem
from renderer.model.cluster_settings import ClusterSettings, cluster_at
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.entry_point import EntryPoint
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, array_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.suggest import suggest_paths
from renderer.pipeline.argocd_trees import START, ArgocdTrees, start_objects
from renderer.pipeline.entry_search import Relevant, Search
from renderer.pipeline.flux_build import needs_others
from renderer.pipeline.reached_objects import (
    Outputs,
    count_machines,
    cycle_error,
    deployed_instancetypes,
    described_groups,
    git_file,
    is_rendered,
    left_out_notes,
    may_deploy_more,
    nothing_rendered,
    points_at_sources,
    rendered_source_errors,
    repository_urls,
    urls_of_copies,
    with_parents,
)
from renderer.pipeline.rendered_sources import RenderedSources
from renderer.pipeline.shared_objects import Applier, applied_twice, shared_by_machines
from renderer.pipeline.shared_patches import BuiltPatches, matched_targets
from renderer.project.overlays import EntryReport, entry_site
from renderer.project.tree_paths import tree_at

if TYPE_CHECKING:
    from renderer.gitops.argocd.application import DeployedSource
    from renderer.gitops.argocd.discovery import ArgocdDiscovery, ReachedApplication
    from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
    from renderer.gitops.repository_url import RepositoryUrls
    from renderer.pipeline.argocd_build import ApplicationBuilder

_APPLYING = "Application(s) that apply rendered trees"


class _Discovered(NamedTuple):
    """What an entry deploys: the Applications that Argo CD reaches, parents first, and those with a tree.

    ``roots`` are the objects that somebody applies by hand; ``knows_start``: they are certainly all.
    ``notes`` are about folders that cannot be composed whole, and about ApplicationSets.
    """

    roots: tuple[Resource, ...]
    urls: RepositoryUrls
    builder: _ArgocdBuilder
    discovery: ArgocdDiscovery
    reached: tuple[ReachedApplication, ...]
    rendered: list[ReachedApplication]
    notes: list[Diagnostic]
    knows_start: bool


def argocd_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> Iterator[tuple[str, EntryPoint]]:
    """Yield (name, entry point) for each Application with virtual machines that the entry deploys.

    ``report`` gets the errors of folders and files that cannot be read, and of ApplicationSets. A file that
    cannot be read may deploy, patch or replace any Application of the entry.
    """
    found = _discover(fs, config, entry, search, report)
    urls, builder, reached, rendered = found.urls, found.builder, found.reached, found.rendered
    kept = _left_to_sources(reached)
    notes = tuple(_argocd_notes(fs, entry, reached, urls, {**kept, _APPLYING: builder.applying_trees}))
    if not rendered:
        nothing = _nothing_rendered(fs, entry, reached, notes)
        raise report.nothing_rendered(DiagnosticError(*found.notes, *nothing.diagnostics))
    outputs = Outputs(config, entry, found.roots[0].namespace)
    trees = ArgocdTrees(builder.applications.folders, outputs, builder.generate)
    points: list[tuple[str, EntryPoint]] = []
    used = (source.url for each in rendered for source in _rendered_sources(each.entry, urls))
    notes = (*notes, *urls_of_copies(entry, urls, used))
    if entry.entry.repoint:
        rendered = with_parents(reached, rendered)
        for each in rendered:
            trees.add(each, lambda source: _is_rendered(source, urls))
        started = tuple(start_objects(found.roots, reached))
        copied = tuple(trees.of(started))
        if copied and found.knows_start:  # what cannot be built may deploy some of them
            points.append((START, EntryPoint(entry.entry, trees=copied, objects=started)))
    shared = deployed_instancetypes(each.outcome for each in reached)
    built = {each.key: _built_patches(each) for each in reached}
    matched = matched_targets(built.values())
    own = frozenset(each.deployed_as for each in rendered)
    appliers = [_applier(each, config.clusters) for each in reached]
    twice, identical = applied_twice(appliers), shared_by_machines(appliers)
    for each in rendered:
        name = outputs.name_of(each.entry)
        if not entry.entry.repoint:
            notes = (*notes, *points_at_sources(entry, name, [key[2] for key in own & each.deployed]))
        point = EntryPoint(
            entry.entry,
            each.entry,
            folders=tuple(_application_folders(fs, each.entry, urls)),
            instancetypes=shared,
            machines=count_machines(each.outcome),
            notes=(
                *rendered_source_errors(each.outcome),
                *_failed_sets(each, found.discovery, entry),
                *twice.get(each.entry.reference, ()),
                *identical.get(each.entry.reference, ()),
            ),
            trees=tuple(trees.of(each.outcome.value)) if each.outcome else (),
            repositories=tuple({source.url: None for source in _rendered_sources(each.entry, urls)}),
            matched=matched.intersection(built[each.key].targets),
        )
        points.append((name, point))
    notes = (*found.notes, *trees.findings, *notes)
    described = tuple(described_groups(kept))
    for name, point in points:
        yield name, point._replace(notes=(*notes, *point.notes), kept=described)
        notes = described = ()


def _discover(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> _Discovered:
    """Follow the Applications of the entry. Raises ``DiagnosticError`` if nothing of it can be read."""
    from renderer.gitops.argocd.application import is_project, named_sources
    from renderer.gitops.argocd.discovery import ArgocdDiscovery
    from renderer.gitops.argocd.known_fields import unknown_fields
    from renderer.gitops.argocd.repointing import at_sources
    from renderer.gitops.argocd.roots import application_objects, may_have_applications
    from renderer.pipeline.argocd_build import ApplicationBuilder

    applications = search.applications() if search.applications else ApplicationBuilder(fs)
    notes: list[Diagnostic] = []
    unread: dict[str, DiagnosticError] = {}
    projects: list[Resource] = []
    roots = application_objects(
        fs,
        entry.path,
        lambda folder: _compose_folder(applications, folder, entry, notes.append),
        unread.__setitem__,
        projects.append,
    )
    if unread and not roots:
        raise DiagnosticError(*(found for error in unread.values() for found in error.diagnostics))
    for place, error in unread.items():
        report.add(_unread_findings(fs, place, error))
    report.is_certain = report.is_complete
    if entry.entry.repoint:
        roots = tuple(at_sources(each, lambda path: bool(tree_at(fs, path))) for each in roots)
    urls = repository_urls(fs, config).naming(each for root in roots for each in named_sources(root))
    if len(urls.candidates) > 1:
        raise _ambiguous_repository(entry, urls)
    rendered_sources = RenderedSources(fs, config, entry)
    builder = _ArgocdBuilder(applications, config.clusters, search.relevant, urls, rendered_sources)
    discovery = ArgocdDiscovery(builder.build, builder.follow_set, urls.is_this_repository)
    reached = discovery.follow(roots)
    if discovery.findings and not reached:
        raise DiagnosticError(*discovery.findings)
    report.add(discovery.findings)
    projects += (each for app in reached if app.outcome for each in app.outcome.value if is_project(each))
    report.add(found for project in projects for found in unknown_fields(project))
    broken = [each.entry for each in reached if may_deploy_more(each.outcome)]
    folders = {folder for each in broken for folder in _application_folders(fs, each, urls)}
    knows_start = report.is_complete and not any(may_have_applications(fs, each) for each in folders)
    report.is_complete = report.is_complete and not broken
    _check_application_cycles(reached)
    rendered = [each for each in reached if each.outcome is not None and is_rendered(each.outcome)]
    notes += builder.notes
    return _Discovered(roots, urls, builder, discovery, reached, rendered, notes, knows_start)


class _ArgocdBuilder:
    """Builds Applications, and generates the Applications of sets, for a discovery.

    ``notes`` are the findings about sets, ``applying_trees`` the names of Applications of rendered trees.
    """

    def __init__(
        self,
        applications: ApplicationBuilder,
        clusters: Sequence[ClusterSettings],
        relevant: Relevant,
        urls: RepositoryUrls,
        rendered: RenderedSources,
    ) -> None:
        from renderer.gitops.argocd.generators.repository_tree import RepositoryTree

        self.applications = applications
        self._fs = applications.folders.fs
        self._clusters = clusters
        self._relevant = relevant
        self._urls = urls
        self._rendered = rendered
        self._tree = RepositoryTree(self._fs)
        self._sets: dict[Site, Resource] = {}  # by the site of their Applications
        self.notes: list[Diagnostic] = []
        self.applying_trees: list[str] = []

    def build(self, application: Resource) -> Outcome[ResourceSet]:
        """Return the objects of an Application's sources in this repository, if these are relevant."""
        own = list(_rendered_sources(application, self._urls))
        if any(self._rendered.is_other_tree(posixpath.normpath(source.path)) for source in own):
            self.applying_trees.append(application.name)
            return Outcome(ResourceSet())
        generated_by = self._sets.get(application.origin) if application.origin.field.segments else None
        errors = [
            self._rendered.error(
                application, FieldPath((*source.field, "path")), source.path, generated_by=generated_by
            )
            for source in own
        ]
        if any(errors):
            return Outcome(ResourceSet(), tuple(filter(None, errors)))
        if not self._relevant(_application_folders(self._fs, application, self._urls)):
            return Outcome(ResourceSet())
        return self.applications.build(application, {source.url for source in own}.__contains__)

    def follow_set(self, application_set: Resource) -> tuple[Resource, ...]:
        """Return the Applications of an ApplicationSet, and note what there is to report about it."""
        from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
        from renderer.gitops.argocd.known_fields import unknown_fields

        self.notes += unknown_fields(application_set)
        found = self._generate(application_set, self._tree, self.notes.append)
        self._rendered.check_set(
            application_set,
            found,
            lambda later: self._generate(application_set, RepositoryTree(later), _without_note),
        )
        self._sets.update((each.origin, application_set) for each in found)
        return found

    def generate(self, application_set: Resource) -> tuple[Resource, ...]:
        """Return the Applications of an ApplicationSet that was followed."""
        return self._generate(application_set, self._tree, _without_note)

    def _generate(
        self, application_set: Resource, tree: RepositoryTree, note: Callable[[Diagnostic], None]
    ) -> tuple[Resource, ...]:
        from renderer.pipeline.argocd_build import generate

        return generate(tree, application_set, self._clusters, self._urls.is_this_repository, note)


def _without_note(_: Diagnostic) -> None:
    """Drop a finding that was noted when the set was followed."""


def _applier(reached: ReachedApplication, clusters: Sequence[ClusterSettings]) -> Applier:
    from renderer.gitops.argocd.application import sources
    from renderer.gitops.argocd.destination import target_cluster
    from renderer.model.kube.cluster_wide import with_default_namespace

    objects: tuple[Resource, ...] = ()
    if reached.outcome is not None and not reached.outcome.failed:
        namespace = text_at(reached.entry.content, "spec", "destination", "namespace")
        objects = with_default_namespace(reached.outcome.value, namespace).resources
    source = next((FieldPath((*each.field, "path")) for each in sources(reached.entry)), FieldPath.of("spec"))
    destination = target_cluster(reached.entry)  # of an Argo CD in the namespace of the Application
    cluster: Json = [cluster_at(clusters, destination) or destination, reached.entry.namespace]
    return Applier(reached.entry, objects, cluster, source)


def _failed_sets(
    reached: ReachedApplication, discovery: ArgocdDiscovery, entry: OverlayEntry
) -> Iterator[Diagnostic]:
    """Yield the errors of the sets that the Application deploys: it would get them without their trees."""
    for key in reached.deployed & discovery.failed.keys() if entry.entry.repoint else ():
        yield from discovery.failed[key]


def _built_patches(reached: ReachedApplication) -> BuiltPatches:
    from renderer.gitops.argocd.application import sources

    place = ("kustomize", "patches")
    lists = [
        (FieldPath((*source.field, *place)), array_at(source.content, *place))
        for source in sources(reached.entry)
    ]
    return BuiltPatches.of(reached.entry, reached.outcome, lists)


def _ambiguous_repository(entry: OverlayEntry, urls: RepositoryUrls) -> DiagnosticError:
    candidates = urls.candidates
    return Diagnostic.at(
        entry_site(entry.path, entry.listed_by).below(entry.listed_by),
        Code.ENTRY_POINT,
        f"Applications of {entry.path} are of {' and '.join(candidates)}, and each may be this repository",
        "list the URL of this repository under repositories in vmrender.yaml, or set the Git remote origin",
    ).error()


def _compose_folder(
    applications: ApplicationBuilder, folder: str, entry: OverlayEntry, note: Callable[[Diagnostic], None]
) -> tuple[Resource, ...]:
    """Return the resources of a folder with a kustomization; note what needs charts or other repositories.

    Raises ``DiagnosticError``.
    """
    from renderer.gitops.flux.generator import find_or_generate

    completed = find_or_generate(applications.folders, folder, entry_site(entry.path, entry.listed_by))
    outcome = applications.kustomizations.compose_supported(completed)
    if outcome.failed and not outcome.value:
        raise DiagnosticError(*outcome.diagnostics)
    for found in outcome.diagnostics if outcome.failed else ():
        if found.severity is Severity.ERROR:
            message = f"not rendered of {entry.path}: {found.message}"
            note(found._replace(code=Code.NOT_RENDERED, severity=Severity.INFO, message=message))
    return outcome.value.resources


def _unread_findings(fs: FileSystem, place: str, error: DiagnosticError) -> Iterator[Diagnostic]:
    """Yield the errors about a folder or file of the entry; warnings if it has no Application.

    Then it most likely is left over: it deploys nothing, and no kustomization of the entry uses it.
    """
    from renderer.gitops.argocd.roots import may_have_applications

    if may_have_applications(fs, place):
        yield from error.diagnostics
        return
    for found in error.diagnostics:
        message = f"{place} has no Application and cannot be built: {found.message}"
        hint = found.hint or "repair it, or remove it if nothing needs it"
        yield found._replace(code=Code.NOT_RENDERED, severity=Severity.WARNING, message=message, hint=hint)


def _nothing_rendered(
    fs: FileSystem,
    entry: OverlayEntry,
    reached: Iterable[ReachedApplication],
    notes: Iterable[Diagnostic],
) -> DiagnosticError:
    from renderer.gitops.argocd.application import sources

    every = list(reached)
    elsewhere = [
        source
        for each in every
        if each.outcome is None
        for source in sources(each.entry)
        if not source.is_chart
    ]
    notes = (*notes, *(found for source in elsewhere for found in _mistyped_path(fs, source)))
    urls = [source.url for source in elsewhere]
    return nothing_rendered(entry, "Application", [each.entry.name for each in every], notes, urls)


def _mistyped_path(fs: FileSystem, source: DeployedSource) -> Iterator[Diagnostic]:
    """Yield a note about the path of a source that may be of this repository, if it nearly names a folder."""
    path = source.path.strip("/")
    near = () if not path or fs.is_folder(path) else suggest_paths(path, fs.list)
    folders = [each for each in near if fs.is_folder(each)]
    if folders:
        message = f"this repository has no folder {path}: did you mean {' or '.join(folders)}?"
        field = FieldPath((*source.field, "path"))
        yield Diagnostic.about(source.application, field, Code.ENTRY_POINT, message)


def _application_folders(fs: FileSystem, entry: Resource, urls: RepositoryUrls) -> Iterator[str]:
    """Yield the folders of the Application's sources in this repository."""
    from renderer.gitops.argocd.application import source_folder

    for source in _rendered_sources(entry, urls):
        try:
            yield source_folder(fs, source)
        except DiagnosticError:  # reported when the overlay is composed
            yield posixpath.normpath(source.path)


def _rendered_sources(entry: Resource, urls: RepositoryUrls) -> Iterator[DeployedSource]:
    """Yield the Application's sources in this repository."""
    from renderer.gitops.argocd.application import sources

    return (source for source in sources(entry) if _is_rendered(source, urls))


def _is_rendered(source: DeployedSource, urls: RepositoryUrls) -> bool:
    """Return True for a source in this repository; the revision of a chart is not a Git revision."""
    is_own = source.has_manifests and not source.is_chart
    return is_own and urls.is_this_repository(source.url, source.path)


def _check_application_cycles(reached: Iterable[ReachedApplication]) -> None:
    """Raise ``DiagnosticError``: entry-point-cycle for Applications that deploy only each other.

    An Application that deploys itself is common, and allowed; so is Argo CD's own Application, which deploys
    the Application that deploys it.
    """
    for each in reached:
        lineage = list(each.lineage())
        above = [other.key for other in lineage]
        for resource in each.repeated:
            key = resource.reference
            if key not in above or key == each.key:
                continue
            cycle = lineage[: above.index(key) + 1]
            if not any(other.outcome and _deploys_more(other.outcome) for other in cycle):
                names = [other.entry.name for other in cycle]
                raise cycle_error("deploy each other", [*reversed(names), names[-1]], each.entry)


def _deploys_more(outcome: Outcome[ResourceSet]) -> bool:
    """Return True if there are, or may be, objects other than engine objects: it cannot be built whole."""
    return outcome.failed or is_rendered(outcome)


def _left_to_sources(reached: Iterable[ReachedApplication]) -> dict[str, list[str]]:
    """Return the names of Applications that have other sources than the trees, by the reason."""
    every = list(reached)
    return {
        "Application(s) of other repositories": [each.entry.name for each in every if each.outcome is None],
        "Application(s) with charts, plugins, jsonnet or remote bases": [
            each.entry.name
            for each in every
            if each.outcome
            if needs_others(each.outcome)
            or any(found.code is Code.NOT_RENDERED for found in each.outcome.diagnostics)
        ],
    }


def _argocd_notes(
    fs: FileSystem,
    entry: OverlayEntry,
    reached: Iterable[ReachedApplication],
    urls: RepositoryUrls,
    groups: dict[str, list[str]],
) -> Iterator[Diagnostic]:
    from renderer.gitops.repository_url import checked_out_branch

    every = list(reached)
    branch = checked_out_branch(git_file(fs, "HEAD"))
    for each in every:
        for source in _rendered_sources(each.entry, urls) if branch and each.outcome is not None else ():
            revision = source.revision
            if revision not in ("", "HEAD", branch):
                groups.setdefault(f"Application(s) of {revision}, rendered as {branch} has it", []).append(
                    each.entry.name
                )
    yield from left_out_notes(entry, groups)
