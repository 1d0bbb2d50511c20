"""Follow a Flux entry from its root: the Kustomizations that it reaches, and what each is built into."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from renderer.files.file_system import FileSystem
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.model.diagnostic import Outcome
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, text_at
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.taint import taint
from renderer.pipeline.entry_search import Search
from renderer.pipeline.flux_build import ArtifactBuilds, FluxBuilds, read_variables
from renderer.pipeline.flux_dependencies import check_cycles
from renderer.pipeline.reached_objects import (
    Outputs,
    is_rendered,
    may_deploy_more,
    repository_urls,
    with_parents,
)
from renderer.pipeline.rendered_sources import RenderedSources
from renderer.project.overlays import EntryReport, Suspended

if TYPE_CHECKING:
    from renderer.gitops.flux.discovery import FluxDiscovery, ReachedKustomization, ReachedSet
    from renderer.gitops.repository_url import RepositoryUrls
    from renderer.gitops.substitution.post_build import Variables

_CIPHERTEXT = b"ENC["


class FluxBuilder:
    """Builds Kustomizations for a discovery; the ones of one artifact share what is read of it."""

    def __init__(self, fs: FileSystem, search: Search, outputs: Outputs, rendered: RenderedSources) -> None:
        self.fs = fs
        self._relevant = search.relevant
        self.outputs = outputs
        self._rendered = rendered
        self.builds = search.flux_builds() if search.flux_builds else FluxBuilds(fs)
        self.applying_trees: list[str] = []

    def build(
        self, reached: ReachedKustomization, known: Mapping[Reference, Resource]
    ) -> Outcome[ResourceSet]:
        """Return the objects of a Kustomization.

        Of one that cannot be built, the confidential variables are noted, and misplaced ones of any.
        """
        secrets = self.outputs.entry.entry.secrets
        variables = read_variables(reached.entry, known.values(), secrets=secrets)
        outcome = self._build(reached, variables)
        if outcome.failed or variables.value.misplaced:
            taint(self._builds_of(reached).exposed(folders_of(reached.entry), variables.value))
        return outcome

    def _builds_of(self, reached: ReachedKustomization) -> ArtifactBuilds:
        composed = reached.artifact
        return self.builds.of_composed(composed) if composed else self.builds.of_source(reached.ignore)

    def _build(self, reached: ReachedKustomization, variables: Outcome[Variables]) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.decrypted_sources import objects_of_decrypted_sources
        from renderer.gitops.substitution.substitute import may_hold_variables

        entry = reached.entry
        if reached.refused:
            return Outcome(ResourceSet(), reached.refused)
        reached.keeps_variables = variables.value.incomplete
        path = deployed_folder(entry)
        if self._rendered.is_other_tree(path):
            self.applying_trees.append(entry.name)
            return Outcome(ResourceSet())
        field, own_tree = FieldPath.of("spec", "path"), self.outputs.tree_of(entry)
        error = self._rendered.error(entry, field, path, own_tree)
        if error is not None:
            return Outcome(ResourceSet(), (error,))
        if not self._relevant(folders_of(reached.entry)):
            return Outcome(ResourceSet())
        artifact, builds = reached.artifact, self._builds_of(reached)
        built = builds.discover(entry, variables)
        outcome = Outcome(built.value.resources, built.diagnostics)
        if artifact:
            from renderer.gitops.flux.composed_artifact import in_repository

            outcome = in_repository(outcome, artifact)
        reached.unset = built.value.unset
        reached.keeps_variables = variables.value.incomplete or any(map(may_hold_variables, outcome.value))
        reached.uncarried = tuple(objects_of_decrypted_sources(outcome.value, entry, builds.artifact))
        return outcome

    def has_broken_secrets(self, reached: ReachedKustomization) -> bool:
        """Return True if it cannot be built and has encrypted values, on which its copy depends."""
        decryption = text_at(reached.entry.content, "spec", "decryption", "provider")
        if not decryption or not may_deploy_more(reached.outcome):
            return False
        graph = KustomizationGraph(self.fs)
        files = {file for folder in folders_of(reached.entry) for file in graph.build_files(folder)}
        return any(confined(self.fs.is_file, file) and _CIPHERTEXT in self.fs.read(file) for file in files)


def folders_of(entry: Resource) -> Iterator[str]:
    """Yield the folder of the Kustomization, and the folders of the components that it adds."""
    folder = deployed_folder(entry)
    yield folder
    for component in array_at(entry.content, "spec", "components"):
        if isinstance(component, str):
            yield posixpath.normpath(posixpath.join(folder, component))


class ReachedByEntry(NamedTuple):
    """What an entry deploys: the Kustomizations that Flux reaches, parents first, and those with a tree.

    ``broken`` are the names of Kustomizations that may deploy more than is known, as they cannot be built.
    """

    entry: OverlayEntry
    root: Resource
    urls: RepositoryUrls
    builder: FluxBuilder
    discovery: FluxDiscovery
    reached: tuple[ReachedKustomization, ...]
    rendered: list[ReachedKustomization]
    broken: list[str]

    @property
    def sets(self) -> list[ReachedSet]:
        """The ResourceSets that the Kustomizations deploy."""
        return list(self.discovery.sets.values())

    @property
    def outputs(self) -> Outputs:
        return self.builder.outputs


def reached_by(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, search: Search, report: EntryReport
) -> ReachedByEntry:
    """Follow the Kustomizations of the entry from its root. Raises ``DiagnosticError`` for a cycle.

    ``report`` gets the errors about objects, what is suspended, and whether there may be more.
    """
    from renderer.gitops.flux.cluster_root import cluster_root
    from renderer.gitops.flux.discovery import FluxDiscovery
    from renderer.gitops.flux.known_fields import unknown_fields

    root = cluster_root(fs, entry.path)
    outputs = Outputs(config, entry, root.kustomization.namespace)
    if entry.entry.repoint:
        root = root.at_sources(outputs.tree_of(root.kustomization), entry.path)
    urls = repository_urls(fs, config)
    builder = FluxBuilder(fs, search, outputs, RenderedSources(fs, config, entry))
    discovery = FluxDiscovery(builder.build, urls, root.known, builder.builds.artifact)
    reached = discovery.follow(root.kustomization)
    report.add(found for errors in discovery.refused.values() for found in errors)
    report.add(found for each in discovery.objects.values() for found in unknown_fields(each))
    check_cycles(reached)
    broken = [each.entry.name for each in reached if may_deploy_more(each.outcome)]
    broken += _add_suspended(report, reached, discovery, builder)
    report.is_complete = report.is_complete and not broken
    rendered = [each for each in reached if each.outcome is not None and is_rendered(each.outcome)]
    if entry.entry.repoint:
        rendered = with_parents(reached, rendered)
    return ReachedByEntry(entry, root.kustomization, urls, builder, discovery, reached, rendered, broken)


def _add_suspended(
    report: EntryReport,
    reached: Collection[ReachedKustomization],
    discovery: FluxDiscovery,
    builder: FluxBuilder,
) -> Iterator[str]:
    """Add the overlays of suspended objects to the report; yield the names of those that may deploy more."""
    from renderer.pipeline.resource_sets import sets_of, suspended_sets

    def add(suspended: Resource, *, by_parent: bool) -> None:
        path = f"{outputs.entry.path.rstrip('/')}:{outputs.name_of(suspended)}"
        report.suspended[path] = Suspended(outputs.tree_of(suspended), suspended, by_parent=by_parent)

    outputs = builder.outputs
    followed = frozenset(each.key for each in reached)
    for each in _suspended(reached, discovery, builder):
        add(each.entry, by_parent=each.key not in followed)
        for resource in sets_of(each.outcome):
            add(resource, by_parent=True)
        if may_deploy_more(each.outcome):
            yield each.entry.name
    for resource in suspended_sets(discovery.objects.values()):
        add(resource, by_parent=False)


def _suspended(
    reached: Iterable[ReachedKustomization], discovery: FluxDiscovery, builder: FluxBuilder
) -> Iterator[ReachedKustomization]:
    """Yield the suspended Kustomizations, and all that they deploy: their objects stay in the cluster."""
    from renderer.gitops.flux.discovery import ReachedKustomization

    every = list(reached)
    known = {each.key for each in every}
    waiting = [each for each in every if each.suspended]
    while waiting:
        above = waiting.pop()
        held = ReachedKustomization(above.entry, source=above.source, ignore=above.ignore)
        if above.source.is_built:
            held.outcome = builder.build(held, discovery.objects)
        yield held
        for resource in held.outcome.value if held.outcome else ():
            if is_flux_kustomization(resource) and resource.reference not in known:
                known.add(resource.reference)
                waiting.append(discovery.related(resource, above))
