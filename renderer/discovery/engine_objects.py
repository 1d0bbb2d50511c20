"""The Flux Kustomizations and Applications in the files of a repository, and what they do to a folder.

A folder that one of them deploys is not an overlay by itself: alone it would be rendered without the
namespace, prefix, patches and variables that the engine adds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import NamedTuple, TypeAlias

from renderer.discovery.flux_roots import root_urls
from renderer.discovery.manifests import Manifests, around
from renderer.discovery.retired_files import is_named_retired, retired_reason
from renderer.files.file_system import folder_of, is_inside, normal_path
from renderer.gitops.argocd.application import (
    DeployedSource,
    SourceType,
    is_application,
    is_application_set,
    named_sources,
    source_type,
    sources,
)
from renderer.gitops.argocd.directory import DirectoryOptions, manifest_files
from renderer.gitops.argocd.generators.context import argo_clusters
from renderer.gitops.argocd.generators.unmatched_clusters import unmatched_clusters
from renderer.gitops.flux.known_fields import BUILD_FIELDS
from renderer.gitops.flux.kustomization import is_flux_kustomization, is_suspended, source_key
from renderer.gitops.folder_reader import FolderReader
from renderer.gitops.repository_url import SourceAddress, public_url
from renderer.kubevirt.facts.kinds import MACHINES
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.engines import FLUX_SOURCE_GROUP
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.work import spend
from renderer.pipeline.reached_objects import repository_urls

#: The objects of a kustomization, folder or file.
Compose: TypeAlias = Callable[[OverlayEntry], Outcome[ResourceSet]]
_NAMESPACE = "destination.namespace"
#: Where objects are listed whose folder is a pattern; steps for one that is considered (``model.run.work``).
_PATTERN, _STEPS_PER_OBJECT = "*", 6
_PARAMETER = re.compile(r"\{\{.*?(?:(\}\})|$)", re.MULTILINE)
#: The source that the bootstrap of Flux makes of the repository.
_BOOTSTRAPPED = ("GitRepository", "flux-system", "flux-system")


class EngineObject(NamedTuple):
    """An object that deploys ``folder``, with the fields by which it changes what it deploys.

    ``url`` is the repository of the folder without credentials, empty if no object says which.
    ``is_this_repository``: the URL is this repository. ``source`` is the source of an Application. Of an
    ApplicationSet's template, ``folder`` may be a pattern, and ``cure`` says which clusters its selector
    wants.
    """

    resource: Resource
    folder: str
    fields: tuple[str, ...]
    url: str
    is_this_repository: bool
    source: DeployedSource | None = None
    cure: str = ""

    @property
    def description(self) -> str:
        return f"the {self.resource.kind} {self.resource.name} in {self.resource.origin.path}"

    @property
    def is_suspended(self) -> bool:
        return is_suspended(self.resource)


class EngineObjects:
    """The objects of all engines, except objects of repositories that are certainly other ones."""

    def __init__(self, manifests: Manifests, config: RenderConfig, compose: Compose) -> None:
        """``compose`` returns the objects of a kustomization, folder or file."""
        self._manifests = manifests
        self._folders = FolderReader(manifests.fs)
        self._compose = compose
        self._clusters = argo_clusters(config.clusters)
        kustomizations = [
            each for each in self._found(b"kustomize.toolkit.fluxcd.io") if is_flux_kustomization(each)
        ]
        applications = list(self._found(b"argoproj.io", b"Application"))
        fetched = [
            each for each in self._found(b"source.toolkit.fluxcd.io") if each.gvk.group == FLUX_SOURCE_GROUP
        ]
        self._urls_of_sources = {each.reference: text_at(each.content, "spec", "url") for each in fetched}
        self._ignore_rules = {each.reference: text_at(each.content, "spec", "ignore") for each in fetched}
        named = [each for application in applications for each in named_sources(application)]
        named += (SourceAddress(self._urls_of_sources.get(source_key(each), "")) for each in kustomizations)
        bootstrapped = self._urls_of_sources.get(_BOOTSTRAPPED) or next(root_urls(manifests), "")
        urls = repository_urls(manifests.fs, config).naming(each for each in named if each.url)
        self._urls = urls.with_known(bootstrapped) if bootstrapped else urls
        self._files_of: dict[tuple[Site, str], frozenset[str]] = {}
        self._objects = [
            *map(self._of_kustomization, kustomizations),
            *(each for application in applications for each in self._of_application(application)),
        ]

    def may_be_own(self, kustomization: Resource) -> bool:
        """Return True if a Kustomization of Flux deploys a folder of this repository, or may do so."""
        return self._of_kustomization(kustomization).is_this_repository

    def reason_against(self, path: str) -> str:
        """Return why a folder or file that no entry reads is not an overlay; empty if it may be one."""
        about = self._around(path)
        for each in about:
            if each.is_this_repository and self._leaves_out(each, path):
                left_out_by = "recurse" if _needs_recurse(each, path) else "it"
                return f"nothing deploys it: {each.description} applies {each.folder} without {left_out_by}"
        for each in about:
            if each.is_this_repository or not self._urls.is_named:
                reason = self._reason_by_object(each, path)
                if reason:
                    return reason
        return ""

    def _around(self, path: str) -> list[EngineObject]:
        """Return the objects that deploy the path, a folder around it, or the matches of a pattern."""
        places = (*around(path), _PATTERN)
        numbers = sorted(number for place in places for number in self._by_folder.get(place, ()))
        spend(_STEPS_PER_OBJECT * len(numbers), "looking for what deploys a folder")
        return [self._objects[number] for number in numbers]

    @cached_property
    def _by_folder(self) -> Mapping[str, list[int]]:
        """The numbers of the objects by the folder that they deploy."""
        found: dict[str, list[int]] = {}
        for number, each in enumerate(self._objects):
            found.setdefault(_PATTERN if "*" in each.folder else each.folder, []).append(number)
        return found

    def reading(self, folder: str) -> Iterator[EngineObject]:
        """Yield the objects of this repository that apply the manifests of a folder without kustomization."""
        for each in self._objects:
            is_plain = each.source is None or self._is_directory(each.source, folder)
            if each.is_this_repository and each.folder == folder and is_plain:
                yield each

    def ignore_rules(self, found: EngineObject) -> str:
        """Return ``spec.ignore`` of the source of a Kustomization, empty if it is not in Git."""
        return self._ignore_rules.get(source_key(found.resource), "")

    @property
    def unknown_urls(self) -> tuple[str, ...]:
        """Return the URLs that may be this repository, because their paths exist; no object names it."""
        if self._urls.is_named:
            return ()
        exist = (each for each in self._objects if self._manifests.fs.is_folder(each.folder))
        return tuple(dict.fromkeys(each.url for each in exist if not each.is_this_repository))

    def _reason_by_object(self, found: EngineObject, path: str) -> str:
        """Return why ``found``, which deploys the path and changes what it deploys, is not rendered."""
        if not found.fields or not self._deploys(found, path):
            return ""
        switched_off = retired_reason(self._manifests, found.resource.origin.path)
        if found.fields == (_NAMESPACE,) and not self._lacks_namespace(path):
            return ""
        if found.is_suspended:
            why = "is suspended"
        elif found.cure:
            why = f"selects no cluster: {found.cure}"
        elif found.is_this_repository and switched_off:
            why = f"nothing deploys that: {switched_off}"
        elif found.is_this_repository and (above := self._omitted_by(found.resource.origin.path)):
            why = f"nothing deploys that: {above} does not list it"
        elif found.is_this_repository:
            why = "cannot be followed"
        else:
            why = f"is of {found.url}; if that is this repository, list it under repositories"
        return f"{found.description} deploys it with {' and '.join(found.fields)}, and {why}"

    def _omitted_by(self, path: str) -> str:
        """Return the nearest kustomization above a file that no kustomization lists; empty without one."""
        graph = self._manifests.graph
        above = filter(None, map(graph.links, folders_above(path)))
        return "" if graph.folders_listing(path) else next((each.file for each in above), "")

    def _lacks_namespace(self, path: str) -> bool:
        """Return True if a virtual machine of the folder or file has no namespace of its own."""
        is_kustomization = self._manifests.graph.links(path) is not None
        kind = EntryKind.KUSTOMIZATION if is_kustomization else EntryKind.DIRECTORY
        outcome = self._compose(OverlayEntry(path, entry=EntryOptions(kind)))
        return outcome.failed or any(each.kind in MACHINES and not each.namespace for each in outcome.value)

    def _deploys(self, found: EngineObject, path: str) -> bool:
        if "*" in found.folder:
            return any(fnmatchcase(place, found.folder) for place in (path, posixpath.dirname(path)))
        if found.folder == path:
            return True
        if not is_inside(path, found.folder) or self._manifests.graph.links(found.folder) is not None:
            return False
        return found.source is None or path in self._files(found.source, found.folder)

    def _leaves_out(self, found: EngineObject, path: str) -> bool:
        """Return True if it applies the files of a folder above the path, and not this one."""
        source = found.source
        if source is None or not is_inside(path, found.folder) or not self._manifests.fs.is_file(path):
            return False
        return self._is_directory(source, found.folder) and path not in self._files(source, found.folder)

    def _is_directory(self, source: DeployedSource, folder: str) -> bool:
        try:
            return source_type(self._folders, source, folder) is SourceType.DIRECTORY
        except DiagnosticError:
            return False

    def _files(self, source: DeployedSource, folder: str) -> frozenset[str]:
        key = (source.application.origin, folder)
        if key not in self._files_of:
            try:
                options = DirectoryOptions.of(source.content)
                self._files_of[key] = frozenset(manifest_files(self._manifests.fs, folder, options))
            except DiagnosticError:
                self._files_of[key] = frozenset()
        return self._files_of[key]

    def _found(self, *signs: bytes) -> Iterator[Resource]:
        for path, each in self._manifests.objects(*signs):
            if not is_named_retired(self._manifests, path):
                yield each

    def _of_kustomization(self, found: Resource) -> EngineObject:
        spec = object_at(found.content, "spec")
        path, key = text_at(spec, "path"), source_key(found)
        url = self._urls_of_sources.get(key, "")
        is_ours = not url or self._urls.is_this_repository(url, path)
        fields = tuple(field for field in BUILD_FIELDS if spec.get(field))
        return EngineObject(found, normal_path(path), fields, public_url(url), is_ours)

    def _of_application(self, found: Resource) -> Iterator[EngineObject]:
        """Yield an object for each source of an Application, or of the template of an ApplicationSet."""
        is_set = is_application_set(found)
        if not is_set and not is_application(found):
            return
        application = found.with_content(object_at(found.content, "spec", "template")) if is_set else found
        unmatched = unmatched_clusters(found, self._clusters) if is_set else ()
        cure = next((each.hint or "" for each in unmatched), "")
        namespace = text_at(application.content, "spec", "destination", "namespace")
        for source in sources(application):
            if source.path and not source.is_chart:
                changes = {_NAMESPACE: namespace, "kustomize": source.content.get("kustomize")}
                fields = tuple(name for name, value in changes.items() if value)
                path = "" if "{{" in source.path else source.path
                is_ours = self._urls.is_this_repository(source.url, path)
                folder = normal_path(_PARAMETER.sub(lambda found: "*" if found[1] else found[0], source.path))
                yield EngineObject(found, folder, fields, public_url(source.url), is_ours, source, cure)


def _needs_recurse(found: EngineObject, path: str) -> bool:
    """Return True if the path is in a folder below, and the Application applies only its own folder."""
    content = found.source.content if found.source else {}
    return folder_of(path) != found.folder and not DirectoryOptions.of(content).recurse
