"""Entry points of Flux, Argo CD and OpenShift: the overlays they lead to, and what each is composed of.

``gitops`` says what an engine reads; here it is composed with kustomize's stages. An engine is a row in ``_ENGINES``.
"""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.entry_point import EntryKind, EntryPoint
from renderer.model.json import array_at, text_at
from renderer.model.location import Site
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline.flux_build import BuildContext
from renderer.source import overlays as source_overlays
from renderer.source.file_system import FileSystem
from renderer.source.overlays import entry_site

if TYPE_CHECKING:
    from renderer.gitops.argocd.discovery import ReachedApplication
    from renderer.gitops.flux.discovery import Key, ReachedKustomization
    from renderer.gitops.repository_url import RepositoryUrls

_MOST_NAMED = 5
_INSTANCETYPE_GROUP = "instancetype.kubevirt.io"
#: Kinds that are counted as virtual machines.
MACHINES = (
    "VirtualMachine",
    "VirtualMachineInstance",
    "VirtualMachinePool",
    "VirtualMachineInstanceReplicaSet",
)
#: Kinds of Flux and Argo CD that stand for charts, which are counted and never rendered.
_CHARTS = ("HelmRelease", "HelmChart")
#: Groups of objects that lead to others, and are no use in a rendered tree by themselves.
_PLUMBING = (".toolkit.fluxcd.io", "argoproj.io")


def find_overlays(fs: FileSystem, config: RenderConfig) -> tuple[Overlay, ...]:
    """Every overlay of the project, those that entries of Flux and Argo CD lead to among them.

    Raises ``DiagnosticError`` as ``source.overlays.find_overlays``, and for entries that lead nowhere.
    """
    return source_overlays.find_overlays(fs, config, lambda entry: _overlays_of(fs, config, entry))


def _overlays_of(fs: FileSystem, config: RenderConfig, entry: OverlayEntry) -> Iterator[Overlay]:
    if not fs.is_folder(entry.path) and not fs.is_file(entry.path):
        site = entry_site(entry.path, entry.listed_by).below(entry.listed_by)
        raise _invalid(
            f"there is nothing at {entry.path}", site, "it is a path from the top of the repository on"
        )
    points = _ENGINES[entry.entry.kind](fs, config, entry)
    found = False
    for name, point in points:
        found = True
        overlay = config.overlay(entry, f"{entry.path.rstrip('/')}:{name}", f"{entry.entry.cluster}/{name}")
        yield overlay._replace(entry=point)
    if not found:
        site = entry_site(entry.path, entry.listed_by).below(entry.listed_by)
        what = "Flux Kustomization" if entry.entry.kind is EntryKind.FLUX else "Application"
        message = f"{entry.path} leads to no {what} of this repository with objects of its own"
        hint = "where a URL means this repository, list it under repositories in vmrender.yaml; generators of clusters"
        raise _invalid(message, site, f"{hint} choose from the list clusters there")


# Flux


def _flux_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry
) -> Iterator[tuple[str, EntryPoint]]:
    from renderer.gitops.flux.discovery import FluxDiscovery, variable_sources
    from renderer.gitops.flux.roots import cluster_root

    root = cluster_root(fs, entry.path)
    urls = repository_urls(fs, config)
    builder = _FluxBuilder(fs, secrets=entry.entry.secrets)
    discovery = FluxDiscovery(builder.build, urls.is_here, root.known)
    reached = discovery.follow(root.kustomization)
    _check_flux_cycles(reached)
    notes = tuple(_flux_notes(entry, reached))
    rendered = [each for each in reached if each.outcome is not None and not _is_plumbing(each.outcome)]
    shared = _instancetypes(each.outcome for each in reached)
    for each in _in_order(rendered):
        sources = [discovery.known(key) for key in variable_sources(each.entry)]
        yield (
            _flux_name(each, root.kustomization.namespace),
            EntryPoint(
                entry.entry,
                each.entry,
                each.ignore,
                tuple(source for source in sources if source is not None),
                tuple(_flux_folders(each.entry)),
                shared,
                _machines(each.outcome),
                notes,
            ),
        )
        notes = ()


class _FluxBuilder:
    """Builds Kustomizations for a discovery; artifacts of one source are one file system."""

    def __init__(self, fs: FileSystem, *, secrets: bool) -> None:
        self._fs = fs
        self._secrets = secrets
        self._artifacts: dict[str, FileSystem] = {}

    def build(self, reached: ReachedKustomization, known: Mapping[Key, Resource]) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.artifact import ArtifactFileSystem
        from renderer.pipeline.flux_build import discover_kustomization

        if reached.ignore not in self._artifacts:
            self._artifacts[reached.ignore] = ArtifactFileSystem(self._fs, reached.ignore)
        artifact = self._artifacts[reached.ignore]
        return discover_kustomization(artifact, reached.entry, known.values(), secrets=self._secrets)


def _flux_folders(entry: Resource) -> Iterator[str]:
    """The folder of the Kustomization, and those of the components that it adds."""
    folder = posixpath.normpath(f"/{text_at(entry.content, 'spec', 'path')}").lstrip("/") or "."
    yield folder
    for component in array_at(entry.content, "spec", "components"):
        if isinstance(component, str):
            yield posixpath.normpath(posixpath.join(folder, component))


def _is_plumbing(outcome: Outcome[ResourceSet]) -> bool:
    """Whether it holds nothing but objects of Flux and Argo CD themselves, or nothing at all."""
    from renderer.gitops.flux.after_build import is_encrypted

    rest = (each for each in outcome.value if not is_encrypted(each))
    return not outcome.failed and all(each.gvk.group.endswith(_PLUMBING) for each in rest)


def _machines(outcome: Outcome[ResourceSet] | None) -> int:
    """How many virtual machines there are, a pool as one."""
    return sum(each.gvk.kind in MACHINES for each in outcome.value) if outcome else 0


def _instancetypes(outcomes: Iterable[Outcome[ResourceSet] | None]) -> tuple[Resource, ...]:
    """The instance types and preferences among what a cluster's entry points deploy."""
    every = (each for outcome in outcomes if outcome for each in outcome.value)
    return tuple(each for each in every if each.gvk.group == _INSTANCETYPE_GROUP)


def _flux_name(reached: ReachedKustomization, system: str) -> str:
    """The Kustomization's name, with its namespace where that is not the root's."""
    entry = reached.entry
    return entry.name if entry.namespace == system else f"{entry.namespace}_{entry.name}"


def _in_order(reached: Iterable[ReachedKustomization]) -> list[ReachedKustomization]:
    """Each behind those that it waits for, and otherwise as they are."""
    waiting = list(reached)
    keys = {each.key for each in waiting}
    done: list[ReachedKustomization] = []
    known: set[Key] = set()
    while waiting:
        ready = next(each for each in waiting if not (set(each.depends_on) & keys) - known - {each.key})
        waiting.remove(ready)
        done.append(ready)
        known.add(ready.key)
    return done


def _check_flux_cycles(reached: Iterable[ReachedKustomization]) -> None:
    """Raises ``DiagnosticError``: entry-point-cycle for Kustomizations that deploy, or wait for, each other."""
    by_key = {each.key: each for each in reached}
    for each in by_key.values():
        above = [other.key for other in each.lineage()]
        for resource in each.repeated:
            key = (resource.kind, resource.namespace, resource.name)
            if key in above and key != each.key:
                names = [name for _, _, name in above[: above.index(key) + 1]]
                raise _cycle("deploy each other", [*reversed(names), names[-1]], each.entry)
    state: dict[Key, int] = {}
    for key in by_key:
        _wait(key, by_key, state, [])


def _wait(
    key: Key, by_key: Mapping[Key, ReachedKustomization], state: dict[Key, int], way: list[Key]
) -> None:
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
            raise _cycle("wait for each other", names, by_key[current].entry)
        elif not state.get(following):
            state[following] = 1
            way.append(following)
            pending.append((following, iter(by_key[following].depends_on)))


def _cycle(verb: str, names: Iterable[str], entry: Resource) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.ENTRY_POINT_CYCLE,
            message=f"these {entry.kind}s {verb}: {' → '.join(names)}",
            sites=entry.sites(),
            resource=entry.current_id,
            hint="take one of them out of the circle",
        )
    )


def _flux_notes(entry: OverlayEntry, reached: Iterable[ReachedKustomization]) -> Iterator[Diagnostic]:
    """What the cluster's entry leads to and is not rendered."""
    from renderer.gitops.flux.after_build import is_encrypted

    every = list(reached)
    groups = {
        "Kustomization(s) of other repositories": [e.entry.name for e in every if e.source == "other"],
        "Kustomization(s) whose source no object names": [
            e.entry.name for e in every if e.source == "missing"
        ],
        "suspended Kustomization(s)": [e.entry.name for e in every if e.suspended],
    }
    built = [resource for e in every if e.outcome for resource in e.outcome.value]
    groups["HelmRelease(s)"] = [each.name for each in built if each.kind in _CHARTS]
    groups["encrypted Secret(s)"] = [each.name for each in built if is_encrypted(each)]
    yield from _notes(entry, groups)


def _notes(entry: OverlayEntry, groups: Mapping[str, list[str]]) -> Iterator[Diagnostic]:
    for what, names in groups.items():
        if names:
            listed = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
            yield Diagnostic(
                code=Code.NOT_RENDERED,
                severity=Severity.INFO,
                message=f"not rendered of {entry.path}: {len(names)} {_counted(what, len(names))} ({listed})",
                sites=(entry_site(entry.path, entry.listed_by),),
            )


def _counted(what: str, count: int) -> str:
    """``Secret(s)`` in the singular or plural."""
    return what.replace("(s)", "" if count == 1 else "s")


# Argo CD


def _argocd_points(
    fs: FileSystem, config: RenderConfig, entry: OverlayEntry
) -> Iterator[tuple[str, EntryPoint]]:
    from renderer.gitops.argocd.discovery import ArgocdDiscovery
    from renderer.gitops.argocd.roots import application_objects
    from renderer.pipeline.argocd_build import build_application, generate

    urls = repository_urls(fs, config)
    roots = application_objects(fs, entry.path, lambda folder: _composed(fs, folder, entry))
    urls = urls._replace(named=_application_urls(roots))
    discovery = ArgocdDiscovery(
        lambda application: build_application(fs, application, urls.is_here),
        lambda set_: generate(fs, set_, config.clusters, urls.is_here),
        urls.is_here,
    )
    reached = discovery.follow(roots)
    if discovery.findings:
        raise DiagnosticError(*discovery.findings)
    _check_application_cycles(reached)
    notes = tuple(_argocd_notes(fs, entry, reached, urls))
    shared = _instancetypes(each.outcome for each in reached)
    first = reached[0].entry.namespace if reached else ""
    for each in reached:
        if each.outcome is None or _is_plumbing(each.outcome):
            continue
        name = (
            each.entry.name if each.entry.namespace == first else f"{each.entry.namespace}_{each.entry.name}"
        )
        folders = tuple(_application_folders(fs, each.entry, urls))
        yield (
            name,
            EntryPoint(
                entry.entry,
                each.entry,
                folders=folders,
                instancetypes=shared,
                machines=_machines(each.outcome),
                notes=notes,
            ),
        )
        notes = ()


def _application_folders(fs: FileSystem, entry: Resource, urls: RepositoryUrls) -> Iterator[str]:
    """The folders of the Application's sources in this repository."""
    from renderer.gitops.argocd.application import source_folder, sources

    for source in sources(entry):
        if source.has_manifests and not source.is_chart and urls.is_here(source.url, source.path):
            try:
                yield source_folder(fs, source)
            except DiagnosticError:  # it is said when the overlay is composed
                continue


def _composed(fs: FileSystem, folder: str, entry: OverlayEntry) -> tuple[Resource, ...]:
    """What a folder with a kustomization builds to. Raises ``DiagnosticError``."""
    from renderer.gitops.flux.generator import find_or_generate
    from renderer.pipeline.flux_build import compose_completed
    from renderer.source.find_kustomization import LoadRestrictor

    completed = find_or_generate(fs, folder, entry_site(entry.path, entry.listed_by))
    outcome = compose_completed(fs, completed, LoadRestrictor.ROOT_ONLY, sorted_by_kind=True)
    if outcome.failed:
        raise DiagnosticError(*outcome.diagnostics)
    return outcome.value.resources


def _application_urls(roots: Iterable[Resource]) -> tuple[str, ...]:
    from renderer.gitops.argocd.application import sources
    from renderer.gitops.repository_url import named_urls

    return named_urls(source.url for each in roots for source in sources(each))


def _check_application_cycles(reached: Iterable[ReachedApplication]) -> None:
    """Raises ``DiagnosticError``: entry-point-cycle for Applications that deploy each other; itself is usual."""
    for each in reached:
        above = [other.key for other in each.lineage()]
        for resource in each.repeated:
            key = (resource.namespace, resource.name)
            if key in above and key != each.key:
                names = [name for _, name in above[: above.index(key) + 1]]
                raise _cycle("deploy each other", [*reversed(names), names[-1]], each.entry)


def _argocd_notes(
    fs: FileSystem, entry: OverlayEntry, reached: Iterable[ReachedApplication], urls: RepositoryUrls
) -> Iterator[Diagnostic]:
    from renderer.gitops.argocd.application import sources
    from renderer.gitops.repository_url import checked_out_branch

    every = list(reached)
    groups: dict[str, list[str]] = {
        "Application(s) of other repositories": [each.entry.name for each in every if each.outcome is None]
    }
    groups["Application(s) with Helm charts or plugins"] = [
        each.entry.name
        for each in every
        if each.outcome and any(found.code is Code.NOT_RENDERED for found in each.outcome.diagnostics)
    ]
    branch = checked_out_branch(_git_file(fs, "HEAD"))
    for each in every:
        for source in sources(each.entry) if each.outcome is not None else ():
            revision = source.revision
            if branch and urls.is_here(source.url, source.path) and revision not in ("", "HEAD", branch):
                groups.setdefault(f"Application(s) of {revision}, rendered as {branch} has it", []).append(
                    each.entry.name
                )
    yield from _notes(entry, groups)


def repository_urls(fs: FileSystem, config: RenderConfig) -> RepositoryUrls:
    """The repository's URLs: those of its remotes, and those that the project lists."""
    from renderer.gitops.repository_url import RepositoryUrls, remote_urls

    known = (*config.repositories, *remote_urls(_git_file(fs, "config")))
    certain = bool(config.repositories)
    return RepositoryUrls(known, (), certain, lambda path: _is_place(fs, path))


def _is_place(fs: FileSystem, path: str) -> bool:
    folder = posixpath.normpath(path.lstrip("/") or ".")
    return folder.startswith("..") or fs.is_folder(folder)  # what leads out is refused when it is built


def _git_file(fs: FileSystem, name: str) -> str:
    """A file of ``.git``; empty without one, as in a linked work tree."""
    try:
        return fs.read(f".git/{name}").decode(errors="replace")
    except DiagnosticError:
        return ""


def _invalid(message: str, site: Site, hint: str | None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.ENTRY_POINT, message=message, sites=(site,), hint=hint))


#: Finds the entry points of an entry, each with its name.
Engine: TypeAlias = Callable[[FileSystem, RenderConfig, OverlayEntry], Iterator[tuple[str, EntryPoint]]]
_ENGINES: Mapping[EntryKind, Engine] = {EntryKind.FLUX: _flux_points, EntryKind.ARGOCD: _argocd_points}


# Composition


class EntryPointComposer:
    """Composes overlays that are entry points, plain folders or Templates."""

    def __init__(self, fs: FileSystem, config: RenderConfig, context: BuildContext) -> None:
        self._fs = fs
        self._config = config
        self._context = context
        self._artifacts: dict[str, FileSystem] = {}
        self._confidential: dict[str, frozenset[str]] = {}

    def compose(
        self, overlay: Overlay, point: EntryPoint, folder: Outcome[ResourceSet] | None
    ) -> Outcome[ResourceSet]:
        """What the engine builds, before variables; ``folder`` is the build of an overlay with a kustomization."""
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
        return Outcome(composed.value, (*point.notes, *composed.diagnostics))

    def substituted(
        self, overlay: Overlay, point: EntryPoint, composed: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """The objects with values for variables of Flux, as far as the repository has them."""
        if composed.failed or point.entry is None or point.options.kind is not EntryKind.FLUX:
            return composed
        from renderer.pipeline.flux_build import read_variables, substituted

        options = point.options
        variables = read_variables(point.entry, point.variables, secrets=options.secrets, lenient=True)
        found = composed.diagnostics + variables.diagnostics
        if variables.failed:
            return Outcome(ResourceSet(), found)
        outcome = substituted(composed.value, variables.value, strict=options.strict)
        self._confidential[overlay.path] = outcome.value.confidential
        resources = ResourceSet() if outcome.failed else outcome.value.resources
        return Outcome(resources, found + outcome.diagnostics)

    def applied(self, point: EntryPoint, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """What the engine applies of ``composed``: with its metadata, and in its namespace."""
        if composed.failed or point.entry is None:
            return composed
        if point.options.kind is EntryKind.FLUX:
            return Outcome(_applied_by_flux(composed.value, point.entry), composed.diagnostics)
        from renderer.gitops.argocd.destination import in_destination

        namespace = text_at(point.entry.content, "spec", "destination", "namespace")
        return Outcome(in_destination(composed.value, namespace), composed.diagnostics)

    def confidential(self, overlay: Overlay) -> frozenset[str]:
        """Values of Secrets that were put into the overlay."""
        return self._confidential.get(overlay.path, frozenset())

    def _directory(self, overlay: Overlay, point: EntryPoint) -> Outcome[ResourceSet]:
        from renderer.gitops.argocd.destination import deduplicated
        from renderer.gitops.argocd.directory import DirectoryOptions, read_manifests

        try:
            options = DirectoryOptions.of({"directory": point.options.directory})
            return Outcome(deduplicated(read_manifests(self._fs, overlay.path, options)))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def _generated(self, overlay: Overlay) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.artifact import ArtifactFileSystem
        from renderer.gitops.flux.generator import find_or_generate
        from renderer.pipeline.flux_build import compose_completed
        from renderer.source.find_kustomization import LoadRestrictor

        artifact = ArtifactFileSystem(self._fs)
        site = entry_site(overlay.listed_as, overlay.listed_by)
        try:
            completed = find_or_generate(artifact, overlay.path, site)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)
        return compose_completed(
            artifact, completed, LoadRestrictor.NONE, self._context, sorted_by_kind=False
        )

    def _flux(self, point: EntryPoint) -> Outcome[ResourceSet]:
        from renderer.gitops.flux.artifact import ArtifactFileSystem
        from renderer.pipeline.flux_build import compose_kustomization

        if point.entry is None:
            return Outcome(ResourceSet())
        if point.ignore not in self._artifacts:
            self._artifacts[point.ignore] = ArtifactFileSystem(self._fs, point.ignore)
        return compose_kustomization(self._artifacts[point.ignore], point.entry, self._context)

    def _argocd(self, point: EntryPoint) -> Outcome[ResourceSet]:
        from renderer.pipeline.argocd_build import build_application

        if point.entry is None:
            return Outcome(ResourceSet())
        urls = repository_urls(self._fs, self._config)
        return build_application(self._fs, point.entry, urls.is_here, self._context)

    def _with_templates(
        self, overlay: Overlay, point: EntryPoint, composed: Outcome[ResourceSet]
    ) -> Outcome[ResourceSet]:
        """Templates of OpenShift become their objects where the project gives parameters."""
        options = point.options
        if composed.failed or (options.parameters is None and not options.parameter_file):
            return composed
        from renderer.gitops.openshift_template import process_templates, read_parameters

        try:
            given = dict(options.parameters or {})
            if options.parameter_file:
                site = entry_site(overlay.listed_as, overlay.listed_by).below("parameters")
                given |= read_parameters(self._fs, options.parameter_file, site)
        except DiagnosticError as error:
            return Outcome(ResourceSet(), composed.diagnostics + error.diagnostics)
        return composed.then(lambda resources: process_templates(resources, given))


def _applied_by_flux(resources: ResourceSet, entry: Resource) -> ResourceSet:
    """What kustomize-controller applies; encrypted Secrets are left to Flux, which has the key."""
    from renderer.gitops.flux.after_build import is_applied, is_encrypted, read_objects, with_common_metadata

    objects = with_common_metadata(read_objects(resources), entry)
    return objects.where(lambda each: is_applied(each) and not is_encrypted(each))
