"""The sources of an Application, and the type of each.

argo-cd ``reposerver/repository``, ``util/argo/argo.go``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

from renderer.files.file_system import FileSystem
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.repository_url import SourceAddress
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.engines import ARGOCD_GROUP, ARGOCD_SOURCE, CASCADE_FINALIZER, CHART
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.run.work import spend
from renderer.model.text_enum import TextEnum
from renderer.yamlio.decode import decode_yaml11

#: Fields of a source that files in the repository may not override.
_FIXED = ("chart", "path", "repoURL", "targetRevision")
#: Steps to look for the folder of a source (``model.run.work``).
_STEPS_PER_FOLDER = 40


class SourceType(TextEnum):
    """The tool that generates the manifests of a source."""

    KUSTOMIZE = "kustomize"
    HELM = "helm"
    DIRECTORY = "directory"
    PLUGIN = "plugin"


#: The types of sources whose manifests vmrender does not make.
MADE_BY_TOOLS = (SourceType.HELM, SourceType.PLUGIN)


class DeployedSource(NamedTuple):
    """One source of an Application; ``field`` is its path in the Application."""

    application: Resource
    content: JsonObject
    field: tuple[Segment, ...]

    @property
    def url(self) -> str:
        return text_at(self.content, "repoURL")

    @property
    def path(self) -> str:
        return text_at(self.content, "path")

    @property
    def revision(self) -> str:
        return text_at(self.content, "targetRevision")

    @property
    def is_chart(self) -> bool:
        """Return True if the source is a chart of a Helm repository."""
        return bool(text_at(self.content, "chart"))

    @property
    def has_manifests(self) -> bool:
        """Return True if it has manifests; a source with ``ref`` and no path only supplies values files."""
        return bool(self.path) or not text_at(self.content, "ref")

    def site(self, *below: Segment) -> Site:
        return self.sites(*below)[0]

    def sites(self, *below: Segment) -> tuple[Site, ...]:
        return self.application.sites(FieldPath((*self.field, *below)))

    def error(self, message: str, *below: Segment, hint: str | None = None) -> DiagnosticError:
        text = f"the Application {self.application.name}: {message}"
        field = FieldPath((*self.field, *below))
        return Diagnostic.about(self.application, field, Code.ARGOCD_APPLICATION, text, hint).error()


class _Options(NamedTuple):
    """A file that overrides options of a source."""

    path: str
    content: Json


def is_application(resource: Resource) -> bool:
    """Return True for an Argo CD Application."""
    return resource.kind == "Application" and resource.gvk.group == ARGOCD_GROUP


def is_application_set(resource: Resource) -> bool:
    """Return True for an Argo CD ApplicationSet."""
    return resource.kind == "ApplicationSet" and resource.gvk.group == ARGOCD_GROUP


def as_application(deployer: Resource) -> Resource:
    """Return an Application as it is, of an ApplicationSet its template, under the name of the set."""
    if not is_application_set(deployer):
        return deployer
    template = object_at(deployer.content, "spec", "template")
    written = object_at(template, "metadata")
    finalizers = written.get("finalizers") or default_finalizers(deployer)
    identity = {"name": deployer.name, "namespace": deployer.namespace}
    metadata = {**written, **identity, "finalizers": finalizers}
    return deployer.with_content(
        {**deployer.content, **template, "kind": "Application", "metadata": metadata}
    )


def default_finalizers(application_set: Resource) -> list[Json]:
    """Return the finalizers of the Applications of a set whose template has none (RenderTemplateParams)."""
    policy = object_at(application_set.content, "spec", "syncPolicy")
    return [] if policy.get("preserveResourcesOnDeletion") is True else [CASCADE_FINALIZER]


def is_project(resource: Resource) -> bool:
    """Return True for an Argo CD AppProject."""
    return resource.kind == "AppProject" and resource.gvk.group == ARGOCD_GROUP


@once_for_same
def sources(application: Resource) -> tuple[DeployedSource, ...]:
    """Return the dry source of ``spec.sourceHydrator``, ``spec.sources``, or ``spec.source``.

    Of several, Argo CD uses the first (``types.go`` GetSource, HasMultipleSources); the hydrator builds the
    dry source as if it were the source.
    """
    place = ("spec", "sourceHydrator", "drySource")
    dry = object_at(application.content, *place)
    if dry:
        return (DeployedSource(application, _normalized(dry), place),)
    listed = array_at(application.content, "spec", "sources")
    single = object_at(application.content, "spec", "source")
    if single and not listed:
        return (DeployedSource(application, _normalized(single), ("spec", "source")),)
    return tuple(
        DeployedSource(application, _normalized(object_at(source)), ("spec", "sources", index))
        for index, source in enumerate(listed)
    )


def named_sources(resource: Resource) -> Iterator[SourceAddress]:
    """Yield the repositories and paths that an Application or an ApplicationSet names, except charts.

    A path with parameters of an ApplicationSet counts as none.
    """
    application = resource
    if is_application_set(resource):
        application = resource.with_content(object_at(resource.content, "spec", "template"))
        yield from (SourceAddress(text_at(each, "repoURL")) for each in git_generators(resource))
    for source in sources(application):
        if not source.is_chart:
            yield SourceAddress(source.url, "" if "{{" in source.path else source.path)


def git_generators(application_set: Resource) -> Iterator[JsonObject]:
    """Yield the ``git`` generators of an ApplicationSet, also those inside a matrix or merge."""
    yield from _git_generators(application_set.content.get("spec"))


def _git_generators(value: Json) -> Iterator[JsonObject]:
    for generator in array_at(value, "generators"):
        git = object_at(generator, "git")
        if git:
            yield git
        for combining in ("matrix", "merge"):
            yield from _git_generators(object_at(generator, combining))


def source_folder(fs: FileSystem, source: DeployedSource) -> str:
    """Return the folder that ``path`` names (``util/app/path/path.go``). Raises ``DiagnosticError``."""
    spend(_STEPS_PER_FOLDER, "looking for the folders of sources")
    written = source.path
    folder = posixpath.normpath(written or ".")
    if written.startswith("/"):
        raise source.error(
            f"the path {written} is absolute", "path", hint="write it from the repository's top on"
        )
    if folder == ".." or folder.startswith("../"):
        raise source.error(f"the path {written} leads out of the repository", "path")
    if not fs.is_folder(folder):
        problem = "is not a folder" if fs.is_file(folder) else "does not exist"
        raise source.error(f"the path {written} {problem}", "path")
    return folder


def with_overrides(folders: FolderReader, source: DeployedSource, folder: str) -> DeployedSource:
    """Return the source with the options of ``.argocd-source.yaml`` and of the file for this Application.

    Raises ``DiagnosticError``.
    """
    content = source.content
    own = _options_in(folders.fs, folder, f"{ARGOCD_SOURCE}-{source.application.name}.yaml")
    for options in (folders.once(_shared_options, folder), own):
        if options is None:
            continue
        if not isinstance(options.content, dict):
            raise source.error(
                f"{options.path} is not a mapping", hint="write fields of a source in it, such as kustomize"
            )
        content = _json_merged(content, options.content)
    fixed = {key: source.content[key] for key in _FIXED if key in source.content}
    return source._replace(
        content={**{key: value for key, value in content.items() if key not in _FIXED}, **fixed}
    )


def _shared_options(fs: FileSystem, folder: str) -> _Options | None:
    return _options_in(fs, folder, f"{ARGOCD_SOURCE}.yaml")


def _options_in(fs: FileSystem, folder: str, name: str) -> _Options | None:
    path = posixpath.normpath(posixpath.join(folder, name))
    return _Options(path, decode_yaml11(fs.read(path), path)) if fs.is_file(path) else None


def source_type(folders: FolderReader, source: DeployedSource, folder: str) -> SourceType:
    """Return the type that the source names, or else detect it from its files (``util/app/discovery``).

    Raises ``DiagnosticError``.
    """
    explicit = [kind for kind in SourceType if isinstance(source.content.get(kind), dict)]
    if len(explicit) > 1:
        raise source.error(
            f"the source has {' and '.join(explicit)}",
            hint="keep the one that generates its manifests",
        )
    return explicit[0] if explicit else folders.once(_detected_type, folder)


def as_overridden(folders: FolderReader, source: DeployedSource) -> DeployedSource:
    """Return a source with the options of files in its folder; as it is if these or the folder are broken."""
    try:
        return with_overrides(folders, source, source_folder(folders.fs, source))
    except DiagnosticError:
        return source


def effective_type(folders: FolderReader, source: DeployedSource) -> SourceType | None:
    """Return the type of a source by its options and the files in its folder; None if these are broken."""
    try:
        return source_type(folders, as_overridden(folders, source), source_folder(folders.fs, source))
    except DiagnosticError:
        return None


def makes_other_manifests(fs: FileSystem, application: Resource) -> bool:
    """Return True if a source of an Application has a chart or a plugin, or its folder cannot be read."""
    folders = FolderReader(fs)
    for each in sources(application):
        try:
            if each.is_chart or source_type(folders, each, source_folder(fs, each)) in MADE_BY_TOOLS:
                return True
        except DiagnosticError:
            return True
    return False


def _detected_type(fs: FileSystem, folder: str) -> SourceType:
    names = [name for name in fs.list(folder) if fs.is_file(posixpath.normpath(posixpath.join(folder, name)))]
    found = SourceType.DIRECTORY
    for name in names:  # as upstream: of both kinds, the last file of the walk wins
        if name.endswith(CHART):
            found = SourceType.HELM
        if name in KUSTOMIZATION_FILES:
            found = SourceType.KUSTOMIZE
    return found


def _normalized(source: JsonObject) -> JsonObject:
    """Return the source without empty blocks (``NormalizeSource``)."""
    normalized: dict[str, Any] = dict(source)
    for kind in ("kustomize", "helm"):
        if not any(object_at(normalized, kind).values()):
            normalized.pop(kind, None)
    directory = normalized.get("directory")
    has_settings = isinstance(directory, dict) and (
        directory.get("recurse") is True
        or directory.get("disableExtensionFilter") is True
        or any(object_at(directory, "jsonnet").values())
        or bool(directory.get("include") or directory.get("exclude"))
    )
    if not has_settings:
        normalized.pop("directory", None)
    return normalized


def _json_merged(value: JsonObject, patch: JsonObject) -> JsonObject:
    """Return the value after a JSON merge patch (RFC 7386)."""
    merged: dict[str, Any] = dict(value)
    for key, change in patch.items():
        if change is None:
            merged.pop(key, None)
        elif isinstance(change, dict):
            merged[key] = _json_merged(object_at(merged, key), change)
        else:
            merged[key] = change
    return merged
