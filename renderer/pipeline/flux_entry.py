"""Entries of Flux: the Kustomizations that a cluster's folder deploys, each as an entry point."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from renderer.files.file_system import FileSystem, is_inside, normal_path
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Related, Severity
from renderer.model.entry_point import EntryPoint, RepointedTree, Strictness
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.flux_build import needs_others
from renderer.pipeline.reached_objects import (
    Relevant,
    count_machines,
    cycle_error,
    deployed_instancetypes,
    described_groups,
    is_rendered,
    left_out_notes,
    may_deploy_more,
    named_objects,
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
from renderer.project.overlays import EntryReport, Suspended
from renderer.project.tree_paths import is_tree

if TYPE_CHECKING:
    from renderer.gitops.flux.artifact import ArtifactFileSystem
    from renderer.gitops.flux.discovery import FluxDiscovery, ReachedKustomization, ReachedSet
    from renderer.gitops.repository_url import RepositoryUrls

#: Kinds of Flux and Argo CD for charts, which are counted but never rendered.
_CHARTS = ("HelmRelease", "HelmChart")
#: The start of the names of overlays of ResourceSets; names of Kustomizations have no underscore.
_SET_PREFIX = "resourceset_"
_MOST_NAMED = 3
_CIPHERTEXT = b"ENC["


class _Discovered(NamedTuple):
    """What an entry deploys: the Kustomizations that Flux reaches, parents first, and those with a tree.

    ``broken`` are the names of Kustomizations that may deploy more than is known, as they cannot be built.
    """

    entry: OverlayEntry
    root: Resource
    urls: RepositoryUrls
    builder: _FluxBuilder
    discovery: FluxDiscovery
    reached: tuple[ReachedKustomization, ...]
    rendered: list[ReachedKustomization]
    broken: list[str]

    @property
    def sets(self) -> list[ReachedSet]:
        """The ResourceSets that the Kustomizations deploy."""
        return list(self.discovery.sets.values())

    @property
    def outputs(self) -> _Outputs:
        return self.builder.outputs


def flux_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, relevant: Relevant, report: EntryReport
) -> Iterator[tuple[str, EntryPoint]]:
    """Yield (name, entry point) for each Flux Kustomization with virtual machines that the entry deploys.

    ``report`` gets what is suspended, and whether there may be more.
    """
    from renderer.gitops.flux.controller import find_controller, strictness
    from renderer.gitops.flux.discovery import variable_sources
    from renderer.pipeline.resource_sets import (
        findings_about_left_out,
        left_out_sets,
        set_point,
        sets_to_render,
    )

    found = _discover(fs, config, entry, relevant, report)
    discovery, outputs, reached, rendered = found.discovery, found.outputs, found.reached, found.rendered
    rendered_sets, left_out = sets_to_render(found.sets), left_out_sets(found.sets)
    kept = {**_left_to_sources(reached, rendered), **left_out}
    notes = (
        *_flux_notes(entry, reached, kept, found.builder.applying_trees),
        *findings_about_left_out(found.sets),
    )
    if not rendered and not rendered_sets:
        raise _nothing_rendered(found, notes)
    trees: dict[Reference, RepointedTree] = {}
    if entry.entry.repoint:
        trees = _trees_for_copies(found)
        notes = (*notes, *_left_out_trees(rendered, found.builder, discovery), *_assumed_urls(found))
    strict = strictness(
        entry.entry.flux_release or config.flux, find_controller(discovery.objects), strict=entry.entry.strict
    )
    made = [Outcome(each.objects) for each in found.sets]
    shared = deployed_instancetypes((*(each.outcome for each in reached), *made))
    built = {each.key: _built_patches(each) for each in reached}
    matched = matched_targets(built.values())
    own = frozenset(each.key for each in rendered)
    described = tuple(described_groups({**kept, **_applied_from_sources(rendered)}))
    findings = _findings(found, trees, strict, is_complete=not left_out)
    for each in _dependencies_first(rendered):
        name, deployed = outputs.name_of(each.entry), each.deployed
        if not entry.entry.repoint:
            notes = (*notes, *points_at_sources(entry, name, [key[2] for key in own & deployed]))
        sources = [discovery.known(key) for key in variable_sources(each.entry)]
        yield (
            name,
            EntryPoint(
                entry.entry,
                each.entry,
                each.ignore,
                tuple(source for source in sources if source is not None),
                tuple(_flux_folders(each.entry)),
                shared,
                count_machines(each.outcome),
                (*notes, *rendered_source_errors(each.outcome), *each.uncarried, *findings[each.key]),
                tuple(tree for key, tree in trees.items() if key in deployed),
                kept=described,
                matched=matched.intersection(built[each.key].targets),
                strictness=strict,
                artifact=each.artifact,
            ),
        )
        notes = described = ()
    for reached_set in rendered_sets:
        name = outputs.name_of(reached_set.entry)
        notes = (*notes, *findings[reached_set.key])
        if not entry.entry.repoint:
            names = [resource.name for resource in reached_set.objects if resource.reference in own]
            notes = (*notes, *points_at_sources(entry, name, names))
        yield name, set_point(entry, reached_set, shared, notes, described)
        notes = described = ()


def _discover(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry, relevant: Relevant, report: EntryReport
) -> _Discovered:
    """Follow the Kustomizations of the entry from its root. Raises ``DiagnosticError`` for a cycle.

    ``report`` gets the errors about objects, what is suspended, and whether there may be more.
    """
    from renderer.gitops.flux.cluster_root import cluster_root
    from renderer.gitops.flux.discovery import FluxDiscovery
    from renderer.gitops.flux.known_fields import unknown_fields

    root = cluster_root(fs, entry.path)
    outputs = _Outputs(config, entry, root.kustomization.namespace)
    if entry.entry.repoint:
        root = root.at_sources(outputs.tree_of(root.kustomization), entry.path)
    urls = repository_urls(fs, config)
    builder = _FluxBuilder(fs, relevant, outputs, RenderedSources(fs, config, entry))
    discovery = FluxDiscovery(builder.build, urls, root.known, builder.artifact)
    reached = discovery.follow(root.kustomization)
    report.add(found for errors in discovery.refused.values() for found in errors)
    report.add(found for each in discovery.objects.values() for found in unknown_fields(each))
    _check_flux_cycles(reached)
    broken = [each.entry.name for each in reached if may_deploy_more(each.outcome)]
    broken += _add_suspended(report, reached, discovery, builder)
    report.is_complete = report.is_complete and not broken
    rendered = [each for each in reached if each.outcome is not None and is_rendered(each.outcome)]
    if entry.entry.repoint:
        rendered = with_parents(reached, rendered)
    return _Discovered(entry, root.kustomization, urls, builder, discovery, reached, rendered, broken)


def _add_suspended(
    report: EntryReport,
    reached: Collection[ReachedKustomization],
    discovery: FluxDiscovery,
    builder: _FluxBuilder,
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
    reached: Iterable[ReachedKustomization], discovery: FluxDiscovery, builder: _FluxBuilder
) -> Iterator[ReachedKustomization]:
    """Yield the suspended Kustomizations, and all that they deploy: their objects stay in the cluster."""
    from renderer.gitops.flux.discovery import ReachedKustomization, is_flux_kustomization

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


def _nothing_rendered(found: _Discovered, notes: Iterable[Diagnostic]) -> DiagnosticError:
    """Return the errors about malformed fields, or else the error about an entry without overlays."""
    from renderer.gitops.entry_fields import KUSTOMIZATION_FORMATS, malformed_fields

    malformed = [
        error for each in found.reached for error in malformed_fields(each.entry, KUSTOMIZATION_FORMATS)
    ]
    if malformed:
        return DiagnosticError(*malformed)
    names = [each.entry.name for each in found.reached if each.entry is not found.root]
    urls = _other_urls(found.reached, found.discovery)
    return nothing_rendered(found.entry, "Flux Kustomization", names, notes, urls)


def _trees_for_copies(found: _Discovered) -> dict[Reference, RepointedTree]:
    """Return the trees that copies of engine objects point at, by object."""
    outputs = found.outputs
    trees = {
        each.key: outputs.tree(each)
        for each in found.rendered
        if _can_point_at_tree(each) and _has_or_gets_tree(found.builder.fs, each, outputs)
    }
    if _can_point_at_tree(found.reached[0]):
        trees |= _operator_trees(found.rendered, found.root, outputs)
    return trees


def _assumed_urls(found: _Discovered) -> Iterator[Diagnostic]:
    """Yield the notes about copies that point at trees in a repository that may be another one."""
    from renderer.gitops.flux.discovery import source_key

    sources = (found.discovery.known(source_key(each.entry)) for each in found.rendered)
    used = (text_at(each.content, "spec", "url") for each in sources if each is not None)
    return urls_of_copies(found.entry, found.urls, used)


def _findings(
    found: _Discovered, trees: Collection[Reference], strict: Strictness, *, is_complete: bool
) -> dict[Reference, tuple[Diagnostic, ...]]:
    """Return the findings about each rendered Kustomization, and about each ResourceSet.

    ``trees`` are the objects whose copies point at a tree. ``is_complete``: all ResourceSets are evaluated.
    """
    from renderer.gitops.entry_fields import empty_fields
    from renderer.gitops.flux.dependencies import missing_dependencies
    from renderer.gitops.flux.discovery import is_flux_kustomization, source_key
    from renderer.pipeline.resource_sets import applier_of_set

    discovery, builder, reached = found.discovery, found.builder, found.reached
    appliers = [_applier(each) for each in reached if not builder.fs.is_folder(each.entry.origin.path)]
    appliers += map(applier_of_set, found.sets)
    twice, identical = applied_twice(appliers), shared_by_machines(appliers)
    by_object = {each.key: (*twice.get(each.key, ()), *identical.get(each.key, ())) for each in found.sets}
    known = {each.key for each in reached}
    known |= {key for key, each in discovery.objects.items() if is_flux_kustomization(each)}
    is_complete = is_complete and not found.broken and not any(map(_deploys_unknown, reached))
    lost = {each.key: tuple(_lost_variables(each, found)) for each in found.rendered}
    unknown_copies = {
        each.key: each.entry.name
        for each in found.rendered
        if each.key in trees and (lost[each.key] or builder.has_broken_secrets(each))
    }
    for each in found.rendered:
        copies = [name for key, name in sorted(unknown_copies.items()) if key in each.deployed - {each.key}]
        refused = sorted(each.deployed & discovery.refused.keys())
        source = discovery.known(source_key(each.entry))
        by_object[each.key] = (
            *lost[each.key],
            *_unset_in_parents(each, frozenset(lost), strict),
            *twice.get(each.key, ()),
            *identical.get(each.key, ()),
            *(
                missing
                for waiting in each.lineage()
                for missing in missing_dependencies(waiting, known, is_complete=is_complete)
            ),
            *(_unknown_copy(each.entry, name) for name in copies),
            *(error for key in refused for error in discovery.refused[key]),
            *(empty_fields(source) if source else ()),
        )
    return by_object


def _lost_variables(reached: ReachedKustomization, found: _Discovered) -> Iterator[Diagnostic]:
    """Yield an error for each source of variables that is missing while others cannot be built."""
    from renderer.gitops.flux.discovery import variable_sources

    above = " and ".join(sorted(set(found.broken))[:_MOST_NAMED])
    for index, key in enumerate(variable_sources(reached.entry) if found.broken else ()):
        is_read = key[0] != "Secret" or found.entry.entry.secrets
        if found.discovery.known(key) is None and is_read and key[2]:  # an empty name is an error of its own
            yield Diagnostic.about(
                reached.entry,
                FieldPath.of("spec", "postBuild", "substituteFrom", index),
                Code.ENTRY_POINT,
                f"the {key[0]} {key[2]} is not known before {above} can be built",
            )


def _applier(reached: ReachedKustomization) -> Applier:
    objects = reached.outcome.value.resources if reached.outcome and not reached.outcome.failed else ()
    cluster = object_at(reached.entry.content, "spec").get("kubeConfig")
    return Applier(reached.entry, objects, cluster, FieldPath.of("spec", "path"))


def _deploys_unknown(reached: ReachedKustomization) -> bool:
    """Return True if it may deploy Kustomizations that are not in this repository."""
    return reached.outcome is None and not reached.suspended


def _unset_in_parents(
    reached: ReachedKustomization, rendered: Collection[Reference], strictness: Strictness
) -> Iterator[Diagnostic]:
    """Yield the variables in the Kustomization and its parents that the Kustomizations above do not set.

    A Kustomization that is ``rendered`` itself reports what its own objects have.
    """
    for child in reached.lineage():
        above = child.parent
        if above is None or above.key in rendered:
            continue
        for each in above.unset:
            if each.resource.origin == child.entry.origin:
                found = each.finding(strictness)
                deployer = Related(f"{above.entry.name} deploys it", above.entry.sites())
                yield found._replace(related=(*found.related, deployer))


def _unknown_copy(parent: Resource, child: str) -> Diagnostic:
    return Diagnostic.about(
        parent,
        None,
        Code.ENTRY_POINT,
        f"the tree of {parent.name} stays as it is: its copy of {child} depends on what cannot be built",
    )


def _has_or_gets_tree(fs: FileSystem, reached: ReachedKustomization, outputs: _Outputs) -> bool:
    """Return False for a Kustomization that cannot be built, and that has no tree of an earlier run."""
    is_built = reached.outcome is None or not reached.outcome.failed
    return is_built or is_tree(fs, outputs.tree_of(reached.entry))


def _can_point_at_tree(reached: ReachedKustomization) -> bool:
    """Return True if Flux can apply it from its tree.

    A generated artifact does not have the tree, and there is no copy of what a ResourceSet makes.
    """
    is_generated = reached.origin is not None or reached.artifact is not None
    return not reached.uncarried and not is_generated and reached.made_by is None


def _applied_from_sources(rendered: Iterable[ReachedKustomization]) -> dict[str, list[str]]:
    """Return the names of rendered Kustomizations that cannot point at their trees, by the reason."""
    every = list(rendered)
    return {
        "Kustomization(s) with objects that a tree cannot carry": [
            each.entry.name for each in every if each.uncarried
        ],
        "Kustomization(s) of generated artifacts": [
            each.entry.name for each in every if each.origin or each.artifact
        ],
        "Kustomization(s) of ResourceSets": [each.entry.name for each in every if each.made_by],
    }


def _built_patches(reached: ReachedKustomization) -> BuiltPatches:
    listed = array_at(reached.entry.content, "spec", "patches")
    return BuiltPatches.of(reached.entry, reached.outcome, [(FieldPath.of("spec", "patches"), listed)])


class _Outputs(NamedTuple):
    """The names of the overlays of an entry, and the folders that they are rendered into."""

    config: RenderConfig
    entry: OverlayEntry
    root_namespace: str

    def name_of(self, kustomization: Resource) -> str:
        """Return the name of the overlay of a Kustomization or ResourceSet."""
        name, namespace = kustomization.name, kustomization.namespace
        name = f"{_SET_PREFIX}{name}" if kustomization.kind == "ResourceSet" else name
        return name if namespace == self.root_namespace else f"{namespace}_{name}"

    def tree_of(self, kustomization: Resource) -> str:
        """Return the output folder of a Kustomization."""
        name = f"{self.entry.entry.name_prefix}/{self.name_of(kustomization)}"
        return posixpath.normpath(self.config.output_of(self.entry, name))

    def tree(self, reached: ReachedKustomization) -> RepointedTree:
        kind, namespace, name = reached.key
        keeps = reached.keeps_variables
        return RepointedTree(kind, namespace, name, self.tree_of(reached.entry), keeps_variables=keeps)


def _operator_trees(
    rendered: Iterable[ReachedKustomization], root: Resource, outputs: _Outputs
) -> dict[Reference, RepointedTree]:
    """Return the root's tree for each object of the Flux operator that creates the root."""
    from renderer.gitops.flux.repointing import sync_path

    places = (normal_path(text_at(root.content, "spec", "path")), outputs.tree_of(root))
    found: dict[Reference, RepointedTree] = {}
    for each in rendered:
        for resource in each.outcome.value if each.outcome else ():
            path = sync_path(resource)
            if path and normal_path(path) in places:
                found[resource.reference] = RepointedTree(*resource.reference, outputs.tree_of(root))
    return found


def _left_out_trees(
    rendered: Iterable[ReachedKustomization], builder: _FluxBuilder, discovery: FluxDiscovery
) -> Iterator[Diagnostic]:
    """Yield a warning for each source whose ignore rules hide a tree from Flux."""
    from renderer.gitops.flux.artifact import IGNORE_FILE
    from renderer.gitops.flux.discovery import source_key

    hidden: dict[Reference, str] = {}
    for each in rendered:
        key, tree = source_key(each.entry), builder.outputs.tree_of(each.entry)
        source = discovery.known(key)
        checked_out = array_at(source.content, "spec", "sparseCheckout") if source else ()
        is_missing = bool(checked_out) and not any(
            isinstance(folder, str) and is_inside(tree, normal_path(folder)) for folder in checked_out
        )
        if is_missing or builder.artifact(each.ignore).leaves_out(f"{tree}/manifest.yaml"):
            hidden.setdefault(key, tree)
    for key, tree in hidden.items():
        source, top = discovery.known(key), tree.partition("/")[0]
        if source is not None and array_at(source.content, "spec", "sparseCheckout"):
            site, hint = source.sites(FieldPath.of("spec", "sparseCheckout"))[0], f"add {top} to it"
        elif source is not None and text_at(source.content, "spec", "ignore"):
            site = source.sites(FieldPath.of("spec", "ignore"))[0]
            hint = f"add a last line to spec.ignore: !/{top}/"
        else:
            site, hint = Site(IGNORE_FILE), f"add a last line to {IGNORE_FILE}: !/{top}/"
        message = f"Flux does not see {tree}: the source {key[2]} leaves it out"
        yield Diagnostic.at(site, Code.TREE_LEFT_OUT, message, hint, severity=Severity.WARNING)


class _FluxBuilder:
    """Builds Kustomizations for a discovery; artifacts of one source share a file system."""

    def __init__(
        self, fs: FileSystem, relevant: Relevant, outputs: _Outputs, rendered: RenderedSources
    ) -> None:
        self.fs = fs
        self._relevant = relevant
        self.outputs = outputs
        self._rendered = rendered
        self._artifacts: dict[str, ArtifactFileSystem] = {}
        self.applying_trees: list[str] = []

    def build(
        self, reached: ReachedKustomization, known: Mapping[Reference, Resource]
    ) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.decrypted_sources import objects_of_decrypted_sources
        from renderer.gitops.substitution.substitute import may_hold_variables
        from renderer.pipeline.flux_build import discover_kustomization, read_variables

        entry = reached.entry
        if reached.refused:
            return Outcome(ResourceSet(), reached.refused)
        variables = read_variables(entry, known.values(), secrets=self.outputs.entry.entry.secrets)
        reached.keeps_variables = variables.value.incomplete
        path = normal_path(text_at(entry.content, "spec", "path"))
        if self._rendered.is_other_tree(path):
            self.applying_trees.append(entry.name)
            return Outcome(ResourceSet())
        field, own_tree = FieldPath.of("spec", "path"), self.outputs.tree_of(entry)
        error = self._rendered.error(entry, field, path, own_tree)
        if error is not None:
            return Outcome(ResourceSet(), (error,))
        if not self._relevant(_flux_folders(reached.entry)):
            return Outcome(ResourceSet())
        artifact: FileSystem = self.artifact(reached.ignore)
        if reached.artifact:
            from renderer.gitops.flux.composed_artifact import ComposedFileSystem

            artifact = ComposedFileSystem(self.fs, reached.artifact)
        built = discover_kustomization(artifact, entry, variables)
        outcome = Outcome(built.value.resources, built.diagnostics)
        if reached.artifact:
            from renderer.gitops.flux.composed_artifact import in_repository

            outcome = in_repository(outcome, reached.artifact)
        reached.unset = built.value.unset
        reached.keeps_variables = variables.value.incomplete or any(map(may_hold_variables, outcome.value))
        reached.uncarried = tuple(objects_of_decrypted_sources(outcome.value, entry, artifact))
        return outcome

    def has_broken_secrets(self, reached: ReachedKustomization) -> bool:
        """Return True if it cannot be built and has encrypted values, on which its copy depends."""
        decryption = text_at(reached.entry.content, "spec", "decryption", "provider")
        if not decryption or not may_deploy_more(reached.outcome):
            return False
        graph = KustomizationGraph(self.fs)
        files = {file for folder in _flux_folders(reached.entry) for file in graph.build_files(folder)}
        return any(confined(self.fs.is_file, file) and _CIPHERTEXT in self.fs.read(file) for file in files)

    def artifact(self, ignore: str) -> ArtifactFileSystem:
        """Return what Flux sees of the repository with the ignore rules of a source."""
        from renderer.gitops.flux.artifact import ArtifactFileSystem

        if ignore not in self._artifacts:
            self._artifacts[ignore] = ArtifactFileSystem(self.fs, ignore)
        return self._artifacts[ignore]


def _flux_folders(entry: Resource) -> Iterator[str]:
    """Yield the folder of the Kustomization, and the folders of the components that it adds."""
    folder = normal_path(text_at(entry.content, "spec", "path"))
    yield folder
    for component in array_at(entry.content, "spec", "components"):
        if isinstance(component, str):
            yield posixpath.normpath(posixpath.join(folder, component))


def _dependencies_first(reached: Iterable[ReachedKustomization]) -> list[ReachedKustomization]:
    """Return the Kustomizations, each after its dependencies, otherwise in the given order."""
    waiting = list(reached)
    keys = {each.key for each in waiting}
    done: list[ReachedKustomization] = []
    known: set[Reference] = set()
    while waiting:
        ready = next(each for each in waiting if not (set(each.depends_on) & keys) - known - {each.key})
        waiting.remove(ready)
        done.append(ready)
        known.add(ready.key)
    return done


def _check_flux_cycles(reached: Iterable[ReachedKustomization]) -> None:
    """Raise ``DiagnosticError``: entry-point-cycle if Kustomizations deploy or wait for each other."""
    by_key = {each.key: each for each in reached}
    for each in by_key.values():
        above = [other.key for other in each.lineage()]
        for resource in each.repeated:
            key = resource.reference
            if key in above and key != each.key:
                names = [name for _, _, name in above[: above.index(key) + 1]]
                raise cycle_error("deploy each other", [*reversed(names), names[-1]], each.entry)
    state: dict[Reference, int] = {}
    for key in by_key:
        _check_dependencies(key, by_key, state, [])


def _check_dependencies(
    key: Reference,
    by_key: Mapping[Reference, ReachedKustomization],
    state: dict[Reference, int],
    way: list[Reference],
) -> None:
    """Follow ``dependsOn`` from one Kustomization. Raises ``DiagnosticError``: entry-point-cycle.

    ``state`` is 1 for Kustomizations on the current ``way``, and 2 for those without a cycle.
    """
    pending = [(key, iter(by_key[key].depends_on))]
    way.append(key)
    if state.get(key):
        return
    state[key] = 1
    while pending:
        current, dependencies = pending[-1]
        following = next((each for each in dependencies if each in by_key), None)
        if following is None:
            state[current] = 2
            pending.pop()
            way.pop()
        elif state.get(following) == 1:
            names = [name for _, _, name in (*way[way.index(following) :], following)]
            raise cycle_error("wait for each other", names, by_key[current].entry)
        elif not state.get(following):
            state[following] = 1
            way.append(following)
            pending.append((following, iter(by_key[following].depends_on)))


def _other_urls(reached: Iterable[ReachedKustomization], discovery: FluxDiscovery) -> Iterator[str]:
    """Yield the URLs of other repositories that Kustomizations are built from."""
    from renderer.gitops.flux.discovery import SourceRelation, source_key

    for each in reached:
        source = discovery.known(source_key(each.entry))
        if source is not None and each.source is SourceRelation.OTHER:
            yield text_at(source.content, "spec", "url")


def _left_to_sources(
    reached: Iterable[ReachedKustomization], rendered: Iterable[ReachedKustomization]
) -> dict[str, list[str]]:
    """Return the names of Kustomizations that go on to be applied from their sources, by the reason."""
    from renderer.gitops.flux.discovery import SourceRelation

    every = list(reached)
    own = {each.key for each in rendered}
    needing = [each.entry.name for each in every if each.outcome and needs_others(each.outcome)]
    encrypted = [
        each.entry.name
        for each in every
        if each.outcome and not needs_others(each.outcome) and each.key not in own
        if any(map(is_encrypted, each.outcome.value))
    ]
    return {
        "Kustomization(s) of other repositories": [
            e.entry.name for e in every if e.source is SourceRelation.OTHER
        ],
        **{
            reason: [e.entry.name for e in every if e.left_out == reason]
            for reason in dict.fromkeys(e.left_out for e in every if e.left_out)
        },
        "Kustomization(s) whose source is not in Git": [
            e.entry.name for e in every if e.source is SourceRelation.MISSING
        ],
        "suspended Kustomization(s)": [e.entry.name for e in every if e.suspended],
        "Kustomization(s) with charts or remote bases": needing,
        "Kustomization(s) with encrypted objects": encrypted,
    }


def _flux_notes(
    entry: OverlayEntry,
    reached: Iterable[ReachedKustomization],
    kept: Mapping[str, list[str]],
    applying_trees: list[str],
) -> Iterator[Diagnostic]:
    """Yield notes about objects that the cluster's entry deploys but that are not rendered."""
    from renderer.gitops.flux.discovery import SourceRelation

    every = list(reached)
    built = [resource for e in every if e.outcome for resource in e.outcome.value]
    releases = [each.name for each in built if each.kind in _CHARTS]
    others = {"Kustomization(s) that apply rendered trees": applying_trees, "HelmRelease(s)": releases}
    yield from left_out_notes(entry, {**kept, **others})
    yield from _assumed_sources(each.entry for each in every if each.source is SourceRelation.ASSUMED)


def _assumed_sources(entries: Iterable[Resource]) -> Iterator[Diagnostic]:
    """Yield a note for each source that is taken for this repository because the paths exist here."""
    from renderer.gitops.flux.discovery import source_key

    by_source: dict[Reference, list[Resource]] = {}
    for each in entries:
        by_source.setdefault(source_key(each), []).append(each)
    for (kind, namespace, name), found in by_source.items():
        yield Diagnostic.about(
            found[0],
            FieldPath.of("spec", "sourceRef"),
            Code.SOURCE_ASSUMED,
            f"the {kind} {namespace}/{name} is not in Git, and is taken for this repository, which has"
            f" {text_at(found[0].content, 'spec', 'path')}: {named_objects('Kustomization', found)}",
            f"if it is another repository, add the {kind} to Git",
            severity=Severity.INFO,
        )
