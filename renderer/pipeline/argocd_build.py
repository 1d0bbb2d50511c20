"""Build an Application as Argo CD does: each of its sources by its type, one after the other."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder, Task
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import CompletedKustomization
from renderer.model.run.work import spend, spent
from renderer.pipeline.flux_build import BuildContext, BuiltOnce, CompletedBuilds

if TYPE_CHECKING:
    from renderer.gitops.argocd.application import DeployedSource
    from renderer.gitops.argocd.generators.repository_tree import RepositoryTree


_PLAIN = BuildContext()
_NAMES = {"helm": "Helm chart", "plugin": "config management plugin"}


def generate(
    tree: RepositoryTree,
    entry: Resource,
    clusters: Iterable[ClusterSettings],
    is_this_repository: Callable[[str, str], bool],
    warn: Callable[[Diagnostic], None],
) -> tuple[Resource, ...]:
    """Return the Applications of the ApplicationSet ``entry``. Raises ``DiagnosticError``."""
    from renderer.gitops.argocd.application_set import generate_applications, rendering_of
    from renderer.gitops.argocd.generators.context import SetContext, argo_clusters

    known = argo_clusters(clusters)
    return generate_applications(
        entry, SetContext(tree, rendering_of(entry), known, is_this_repository), warn
    )


class _LastBuild(NamedTuple):
    """The build of a kustomization of which only the file of its folder decides, and its steps."""

    completed: CompletedKustomization
    outcome: Outcome[ResourceSet]
    steps: int


class ApplicationBuilder:
    """Builds Applications, each once; what they share of a folder is read once.

    Of an Application that needs charts or other repositories, the objects are those that can be followed.

    The last build of a folder without options is kept: an ApplicationSet may make thousands of Applications
    of one folder. Its steps count for each of them, as later stages work on each Application.
    """

    def __init__(self, fs: FileSystem, context: BuildContext = _PLAIN) -> None:
        from renderer.gitops.folder_reader import FolderReader

        self.folders = FolderReader(fs, context.recorder)
        self.kustomizations = CompletedBuilds(fs, LoadRestrictor.ROOT_ONLY, context, sorted_by_kind=True)
        self._recorder = context.recorder or Recorder()
        self._built = BuiltOnce(context.recorder)
        self._last: _LastBuild | None = None

    def build(self, application: Resource, is_own: Callable[[str], bool]) -> Outcome[ResourceSet]:
        """Return the objects of the Application's sources in this repository; report other sources.

        ``is_own`` is True for the URLs by which it names this repository. ``destination.namespace`` is not
        set on the objects yet.
        """
        return self._built.of(application, lambda: self._build(application, is_own))

    def _build(self, application: Resource, is_own: Callable[[str], bool]) -> Outcome[ResourceSet]:
        from renderer.gitops.argocd.application import sources
        from renderer.gitops.argocd.destination import without_duplicates
        from renderer.gitops.argocd.known_fields import unknown_fields
        from renderer.gitops.entry_fields import APPLICATION_FORMATS, malformed_fields

        found: list[Resource] = []
        findings: list[Diagnostic] = [*malformed_fields(application, APPLICATION_FORMATS)]
        if not application.origin.field.segments:  # an ApplicationSet reports the fields of its template
            findings += unknown_fields(application)
        for source in sources(application):
            if not source.has_manifests:
                continue
            if source.is_chart or not is_own(source.url):
                what = "a Helm chart of another repository" if source.is_chart else f"in {source.url}"
                findings.append(_not_rendered(source, f"it is {what}"))
                continue
            outcome = self._source(source)
            findings += outcome.diagnostics
            if outcome.failed and not outcome.value:
                return Outcome(ResourceSet(), tuple(findings))
            found += outcome.value
        kept = without_duplicates(found)
        return Outcome(kept.value, (*findings, *kept.diagnostics))

    def _source(self, source: DeployedSource) -> Outcome[ResourceSet]:
        """Return the objects of one source in this repository."""
        from renderer.gitops.argocd.application import SourceType, source_folder, source_type, with_overrides
        from renderer.gitops.argocd.directory import DirectoryOptions, kustomizations_among, read_manifests
        from renderer.gitops.argocd.kustomize_edit import complete

        fs = self.folders.fs
        try:
            folder = source_folder(fs, source)
            source = with_overrides(self.folders, source, folder)
            kind = source_type(self.folders, source, folder)
            if kind is SourceType.DIRECTORY:
                read = read_manifests(fs, folder, DirectoryOptions.of(source.content))
                refused = (
                    _read_as_manifest(source, folder, each) for each in kustomizations_among(read.value)
                )
                return Outcome(ResourceSet(read.value), (*refused, *read.diagnostics))
            if kind is SourceType.KUSTOMIZE:
                return self._composed(complete(self.folders, source, folder))
            return Outcome(ResourceSet(), (_not_rendered(source, f"{source.path} is a {_NAMES[kind]}"),))
        except DiagnosticError as error:
            return Outcome(ResourceSet(), error.diagnostics)

    def _composed(self, completed: CompletedKustomization) -> Outcome[ResourceSet]:
        last = self._last
        with self._recorder.using(Task("application", completed.folder)):
            if last and last.completed.file == completed.file and last.completed.content is completed.content:
                spend(last.steps, "composing Applications")
                return last.outcome
            before = spent()
            outcome = self.kustomizations.compose_supported(completed)
            # Options of an Application make new content, and findings about them name its fields.
            self._last = _LastBuild(completed, outcome, spent() - before)
            return outcome


def _read_as_manifest(source: DeployedSource, folder: str, kustomization: Resource) -> Diagnostic:
    """Return the error about a kustomization that Argo CD would apply (docs/user-guide/directory.md)."""
    path = kustomization.origin.path
    name = posixpath.relpath(path, folder)
    is_own = "/" not in name and "directory" in source.content
    exclude = f"exclude: '{name}'"
    return Diagnostic.about(
        source.application,
        FieldPath((*source.field, "directory" if "directory" in source.content else "path")),
        Code.APPLIED_KUSTOMIZATION,
        f"the Application {source.application.name}: its source is a directory, so that {path} is applied as"
        f" a manifest: no cluster has kustomize's kind {kustomization.kind}, and the sync fails",
        f"remove directory, and Argo CD builds the kustomization, or leave it out: {exclude}"
        if is_own
        else f"leave it out in directory: {exclude}",
    )


def _not_rendered(source: DeployedSource, reason: str) -> Diagnostic:
    field, name = FieldPath(source.field), source.application.name
    return Diagnostic.at(
        source.site(),
        Code.NOT_RENDERED,
        f"{field} of the Application {name} is not rendered: {reason}",
        severity=Severity.INFO,
        resource=source.application,
    )
