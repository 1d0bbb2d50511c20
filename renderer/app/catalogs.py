"""Open the catalogs of the project, or others by folder, bundle, ``builtin:NAME`` or ``REVISION:PATH``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from renderer.app.project import Project, ProjectOpener
from renderer.app.revision_range import revision_range
from renderer.app.target_remarks import remarks_on_project
from renderer.app.usage_error import UsageError
from renderer.authoring.catalogs.entry import CatalogEntry, EntryType, entries_by_cluster, entries_of
from renderer.files.builtin_catalogs import BUILTIN_CATALOGS, BuiltinFileSystem, builtin_path
from renderer.files.disk import path_exists
from renderer.files.file_system import FileSystem
from renderer.findings.located import LocatedError
from renderer.findings.run_findings import locate
from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.scope import root_scope
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import count_values, object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.release import Release
from renderer.model.render_config import RenderConfig
from renderer.model.run.taint import taint, taint_masking
from renderer.model.run.work import spend
from renderer.pipeline import Pipeline
from renderer.project.project import load_project
from renderer.report.paths import at_revision

if TYPE_CHECKING:
    from renderer.authoring.catalogs.listing import Fit, Offer
    from renderer.files.git_repository import GitRepository
    from renderer.kubevirt.instancetype.catalog import CatalogSource

_BUILTIN = "builtin:"
#: Steps (``model.run.work``) to mask a value of an entry, and to list the entry for a cluster.
_STEPS_PER_VALUE, _STEPS_PER_ENTRY = 16, 30
_LISTING = "listing catalogs"


class OpenedCatalog(NamedTuple):
    """The resources of a catalog, and the files that they were read from."""

    name: str
    resources: ResourceSet
    pipeline: Pipeline
    fs: FileSystem


def open_catalog(reference: str, open_project: ProjectOpener) -> OpenedCatalog:
    """Compose the catalog that ``reference`` names.

    A path is relative to the working directory; after a revision, it is relative to the project. Raises
    ``LocatedError`` about the catalog's own files, ``DiagnosticError`` if the catalog does not exist, and
    ``UsageError`` if the reference is invalid.
    """
    if reference.startswith(_BUILTIN):
        project = open_project(Path.cwd())
        return _compose(reference, project.fs, project.config, builtin_path(_builtin_name(reference)))
    if path_exists(reference):
        project = open_project(Path(reference))
        return _compose(reference, project.fs, project.config, project.relative(Path(reference)))
    revision, separator, path = reference.rpartition(":")
    if not separator:
        hint = (
            "a catalog is a folder or a file, builtin:common-instancetypes, or REVISION:PATH;"
            " vmrender catalog diff A..B compares the project's catalogs at two revisions"
        )
        message = f"no such catalog: {reference}"
        raise Diagnostic(Code.FILE_NOT_FOUND, message, hint=hint).error()
    return _at_revision(reference, open_project(Path.cwd()), revision, path or ".")


def catalogs_between(project: Project, written: str) -> tuple[ResourceSet, ResourceSet]:
    """Return the entries of the project's catalogs at the two revisions of a range, ``A..B``.

    Each side has its own ``vmrender.yaml``. Raises ``LocatedError``, ``DiagnosticError`` and ``UsageError``.
    """
    with project.git() as git:
        found = revision_range(git, [written])
        before = _entries_at(project, git, found.before)
        return before, _entries(project) if found.after is None else _entries_at(project, git, found.after)


def _entries_at(project: Project, git: GitRepository, revision: str) -> ResourceSet:
    fs = BuiltinFileSystem(git.tree(revision))
    try:
        then = project._replace(fs=fs, config=load_project(fs))
        return _entries(then.of_cluster(project.config.cluster) if project.config.cluster else then)
    except DiagnosticError as error:
        findings = locate(fs, error.diagnostics)
        raise LocatedError(*(at_revision(revision, each) for each in findings)) from None


def _entries(project: Project) -> ResourceSet:
    """Return the entries as written: their differences are masked, so that a change is seen."""
    pipeline = Pipeline(project.fs, of_one_cluster(project).config)
    sources = pipeline.catalog_sources
    _note_secrets(sources)
    return ResourceSet(
        tuple(each.resource for each in entries_of((source.name, source.resources) for source in sources))
    )


def is_catalog_reference(reference: str) -> bool:
    """Return True for a folder, a file, a built-in catalog, or ``REVISION:PATH``."""
    return ":" in reference or path_exists(reference)


def _builtin_name(reference: str) -> str:
    """Return the name of a built-in catalog, which may be given by its release. Raises ``UsageError``."""
    name = reference.removeprefix(_BUILTIN)
    found = next((known for known, release in BUILTIN_CATALOGS.items() if name in (known, release)), None)
    if found is None:
        known = ", ".join(f"{_BUILTIN}{name}" for name in BUILTIN_CATALOGS)
        raise UsageError(f"no built-in catalog {name!r}: there is {known}")
    return found


def _at_revision(reference: str, project: Project, revision: str, path: str) -> OpenedCatalog:
    with project.git() as git:
        fs = git.tree(revision)
        folder = Path(path).as_posix()
        if not fs.is_folder(folder) and not fs.is_file(folder):
            message = f"there is no {path} in revision {revision}"
            hint = "write the path relative to the folder of vmrender.yaml"
            raise Diagnostic.in_file(folder, Code.FILE_NOT_FOUND, message, hint).error()
        try:
            return _compose(reference, BuiltinFileSystem(fs), project.config, folder)
        except LocatedError as error:
            raise LocatedError(*(at_revision(revision, found) for found in error.diagnostics)) from None


def _compose(name: str, fs: FileSystem, config: RenderConfig, path: str) -> OpenedCatalog:
    """Load the bundle or compose the kustomization at ``path``. Raises ``LocatedError``."""
    from renderer.kustomize.reader.load import load_files  # noqa: PLC0415 - a stage

    pipeline = Pipeline(fs, config)
    try:
        files = _bundle_files(fs, path)
        composed = load_files(fs, files) if files else pipeline.compose(path)
    except DiagnosticError as error:
        raise LocatedError(*locate(fs, error.diagnostics)) from None
    if composed.failed:
        raise LocatedError(*locate(fs, composed.diagnostics))
    taint(secret_values(each.content for each in composed.value))
    return OpenedCatalog(name, composed.value, pipeline, fs)


def _bundle_files(fs: FileSystem, path: str) -> tuple[str, ...]:
    """Return the files of a bundle: one file, or all YAML files of a folder without a kustomization."""
    if fs.is_file(path):
        return (path,)
    names = fs.list(path)
    if not {*KUSTOMIZATION_FILES}.isdisjoint(names):
        return ()
    return tuple(posixpath.normpath(f"{path}/{name}") for name in names if name.endswith((".yaml", ".yml")))


def project_entries(project: Project, *, as_manifests: bool = False) -> tuple[CatalogEntry, ...]:
    """Return the instance types and preferences of the project's catalogs. Raises ``DiagnosticError``.

    They are masked for an output; ``as_manifests``, only for values of Secrets.

    Where the project has several clusters, and the command is not about one, they are of all clusters.
    """
    pipeline = Pipeline(project.fs, project.config)
    catalogs = {cluster: pipeline.catalogs_of(cluster).sources for cluster in _clusters_of(project)}
    _note_secrets(source for sources in catalogs.values() for source in sources)
    public: dict[int, ResourceSet] = {}
    entries: dict[tuple[tuple[str, int], ...], tuple[CatalogEntry, ...]] = {}
    by_cluster: dict[str, tuple[CatalogEntry, ...]] = {}
    for cluster, sources in catalogs.items():  # which share most catalogs; `catalogs` keeps ids unique
        same = tuple((source.name, id(source.resources)) for source in sources)
        if same not in entries:
            for source in sources:
                if id(source.resources) not in public:
                    public[id(source.resources)] = _public_objects(source, as_manifests=as_manifests)
            spend(_STEPS_PER_ENTRY * sum(len(source.resources) for source in sources), _LISTING)
            entries[same] = tuple(
                entries_of((source.name, public[id(source.resources)]) for source in sources)
            )
        by_cluster[cluster] = entries[same]
        spend(len(entries[same]), _LISTING)
    if len(by_cluster) == 1:
        return next(iter(by_cluster.values()))
    return tuple(entries_by_cluster(by_cluster))


def _note_secrets(sources: Iterable[CatalogSource]) -> None:
    catalogs = {id(source.resources): source.resources for source in sources}.values()
    taint(secret_values(each.content for resources in catalogs for each in resources))


def _public_objects(source: CatalogSource, *, as_manifests: bool = False) -> ResourceSet:
    """Return the objects of a catalog, without the values of Secrets and other confidential parts.

    In manifests, which are not shown but applied, only values of Secrets are masked.
    """
    secrets = taint_masking()
    if as_manifests and not secrets:
        return source.resources

    def public(resource: Resource) -> Resource:
        spend(_STEPS_PER_VALUE * count_values(resource.content), _LISTING)
        return resource.with_content(object_at(masked(resource.content, root_scope(), secrets)))

    return source.resources.map(public)


def _clusters_of(project: Project) -> tuple[str, ...]:
    """Return the clusters whose catalogs a command is about; the default one if an overlay goes there."""
    config = project.config
    listed = tuple(each.name for each in config.clusters if each.own)
    if config.cluster or not listed:
        return (config.cluster,)
    goes_to_default = any(not overlay.cluster for overlay in project.look_up_overlays().overlays)
    return (*(("",) if goes_to_default else ()), *listed)


def of_one_cluster(project: Project, option: str = "--cluster") -> Project:
    """Return the project as the cluster sees it that a command about single catalog entries is about.

    Raises ``UsageError`` if there are several, and none was chosen.
    """
    clusters = _clusters_of(project)
    if len(clusters) > 1:
        names = ", ".join(filter(None, clusters))
        raise UsageError(f"each cluster has catalogs of its own; choose one of {names}", option)
    return project._replace(config=project.config.of_cluster(clusters[0]))


def catalog_names(project: Project) -> tuple[str, ...]:
    """Return the names of the project's catalogs, in order. Raises ``DiagnosticError``."""
    pipeline = Pipeline(project.fs, project.config)
    names = (source.name for each in _clusters_of(project) for source in pipeline.catalogs_of(each).sources)
    return tuple(dict.fromkeys(names))


def describe_entry(project: Project, name: str, kubevirt: Release | None) -> str:
    """Describe one instance type or preference of the project's catalogs, as text.

    A plain ``name`` means a cluster-wide entry, or else a namespaced one. Raises ``DiagnosticError``.
    """
    from renderer.authoring.catalogs.listing import describe, offers  # noqa: PLC0415 - for one entry, not for lists
    from renderer.findings.locator import Locator  # noqa: PLC0415 - a stage
    from renderer.yamlio.encode import encode  # noqa: PLC0415 - as above

    project = of_one_cluster(project)
    pipeline = Pipeline(project.fs, project.config)
    release = kubevirt or project.config.kubevirt
    wanted = pipeline.look_up(name)
    _note_secrets(pipeline.catalog_sources)
    entries = list(entries_of((source.name, _public_objects(source)) for source in pipeline.catalog_sources))
    id_ = wanted.current_id
    offer = next(each for each in offers(entries) if any(entry.resource.current_id == id_ for entry in each))
    origin = offer[0].resource.origin
    remarks = remarks_on_project(project.config, release)
    findings = locate(project.fs, (*pipeline.check(ResourceSet((wanted,)), release), *remarks))
    return describe(
        offer,
        str(Locator(project.fs).location_of((origin,)) or origin.path),
        _fit(offer[0], offers(entries), release),
        [finding.message + (f"; {finding.hint}" if finding.hint else "") for finding in findings],
        encode([offer[0].spec]),
    )


def _fit(entry: CatalogEntry, everything: Sequence[Offer], release: Release) -> Fit:
    """Return the fitting entries of the other type; of two with the same name, the cluster-wide entry."""
    from renderer.authoring.catalogs.listing import Fit  # noqa: PLC0415 - for one entry, not for lists
    from renderer.kubevirt.instancetype.cause import CauseError  # noqa: PLC0415 - a stage
    from renderer.kubevirt.instancetype.requirements import satisfies  # noqa: PLC0415 - a stage

    fitting: list[CatalogEntry] = []
    others: list[CatalogEntry] = []
    for other in (offer[0] for offer in everything if offer[0].type is not entry.type):
        is_instancetype = entry.type is EntryType.INSTANCETYPE
        instancetype, preference = (entry, other) if is_instancetype else (other, entry)
        try:
            fits = instancetype.is_custom or satisfies(instancetype.resource, preference.resource, release)
        except CauseError:  # the release does not serve its version or cannot use it
            continue
        (fitting if fits else others).append(other)
    return Fit(fitting, others)
