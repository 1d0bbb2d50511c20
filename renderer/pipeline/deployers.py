"""The Applications and Flux Kustomizations of a repository that deploy its overlays, and their rules.

An overlay that is an entry point has its own deployer. Any other overlay is deployed by those objects whose
source is its folder, or the folder that it is rendered into. Of an ApplicationSet, that is its template.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property

from renderer.adopt.live.ignored_differences import (
    IgnoreRule,
    is_customization,
    rules_of_application,
    rules_of_kustomization,
    rules_of_settings,
)
from renderer.files.file_system import FileSystem
from renderer.gitops.argocd.application import (
    as_application,
    is_application,
    is_application_set,
    named_sources,
    sources,
)
from renderer.gitops.argocd.roots import with_items
from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.gitops.pruning import without_pruning
from renderer.gitops.repository_url import RepositoryUrls
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay, RenderConfig
from renderer.pipeline.reached_objects import repository_urls
from renderer.project.validation_scope import ManifestFiles
from renderer.yamlio.decode import decode_yaml11

#: One of these texts is in every file that has any of them.
_SIGNS = (b"argoproj.io", b"kustomize.toolkit.fluxcd.io/v", b"resource.customizations")
_SETTINGS = "argocd-cm"
_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_INSTANCE = "app.kubernetes.io/instance"
#: A placeholder of an ApplicationSet's template.
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}")


class Deployers:
    """The Applications, ApplicationSets and Flux Kustomizations of one tree, and Argo CD's settings."""

    def __init__(self, fs: FileSystem, config: RenderConfig, overlays: Iterable[Overlay]) -> None:
        overlays = tuple(overlays)
        self._fs, self._config = fs, config
        files = ManifestFiles(fs, [each.output for each in overlays], config.exclude)
        self._entries = [each.entry.entry for each in overlays if each.entry and each.entry.entry]
        self._found: list[Resource] = []
        self._settings: list[IgnoreRule] = []
        for path in files.below("."):
            for resource in _objects(fs, path):
                if (
                    is_application(resource)
                    or is_application_set(resource)
                    or is_flux_kustomization(resource)
                ):
                    self._found.append(resource)
                elif resource.kind == "ConfigMap" and resource.name == _SETTINGS:
                    self._settings += rules_of_settings(resource, _customizations(resource))

    def of(self, overlay: Overlay) -> tuple[Resource, ...]:
        """Return the objects that deploy an overlay."""
        if overlay.entry is not None and overlay.entry.entry is not None:
            return (overlay.entry.entry,)
        folders = {posixpath.normpath(each) for each in (overlay.path, overlay.output)}
        return tuple(
            each
            for each in self._found
            if any(_is_folder_of(source, folder) for source in self._own_sources(each) for folder in folders)
        )

    def _own_sources(self, deployer: Resource) -> Iterator[str]:
        """Yield the folders that an object deploys; those of other repositories are not this one's."""
        if is_flux_kustomization(deployer):
            yield text_at(deployer.content, "spec", "path").removeprefix("/") or "."
            return
        for source in sources(as_application(deployer)):
            if source.path and self._urls.is_this_repository(source.url):
                yield source.path

    @cached_property
    def _urls(self) -> RepositoryUrls:
        applications = (each for each in self._found if not is_flux_kustomization(each))
        named = (source for each in applications for source in named_sources(each))
        return repository_urls(self._fs, self._config).naming(named)

    @property
    def kustomizations(self) -> Iterator[Resource]:
        """The Flux Kustomizations, each once; the entry of an overlay is as Flux applies it."""
        every = filter(is_flux_kustomization, (*self._entries, *self._found))
        yield from {each.current_id: each for each in reversed([*every])}.values()

    def rules(self, overlay: Overlay) -> tuple[IgnoreRule, ...]:
        """Return the differences of an overlay that its engine is configured to ignore."""
        rules: list[IgnoreRule] = []
        deployers = self.of(overlay)
        for each in deployers:
            is_flux = is_flux_kustomization(each)
            rules += rules_of_kustomization(each) if is_flux else rules_of_application(each)
        if not any(is_flux_kustomization(each) for each in deployers):
            rules += self._settings
        return tuple(rules)


def _objects(fs: FileSystem, path: str) -> Iterator[Resource]:
    try:
        content = fs.read(path)
        found = read_resources(content, Site(path)) if any(sign in content for sign in _SIGNS) else ()
    except DiagnosticError:  # a template, or broken; reported where it is used
        return
    for resource in found:
        yield from with_items(resource)


def _customizations(settings: Resource) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, text in object_at(settings.content, "data").items():
        if is_customization(key) and isinstance(text, str):
            try:
                found[key] = decode_yaml11(text.encode(), settings.origin.path)
            except DiagnosticError:  # Argo CD rejects it, too
                continue
    return found


def _is_folder_of(source: str, folder: str) -> bool:
    return fnmatchcase(folder, posixpath.normpath(_PLACEHOLDER.sub("*", source)))


def tracks(deployer: Resource, live: Resource) -> bool:
    """Return True if Argo CD or Flux tracks an object of the cluster as deployed by ``deployer``.

    Source: Argo CD ``util/argo/resource_tracking.go``; Flux's labels.
    """
    if is_flux_kustomization(deployer):
        owner = (
            text_at(live.labels, f"{FLUX_KUSTOMIZE_GROUP}/name"),
            text_at(live.labels, f"{FLUX_KUSTOMIZE_GROUP}/namespace"),
        )
        return owner == (deployer.name, deployer.namespace or "flux-system")
    if not is_application(deployer):
        return False
    tracking = text_at(live.annotations, _TRACKING_ID)
    if not tracking:
        return text_at(live.labels, _INSTANCE) == deployer.name
    name, _, place = tracking.partition(":")
    own = f"{live.gvk.group}/{live.kind}:{live.namespace}/{live.name}"
    return place == own and name in (deployer.name, f"{deployer.namespace}_{deployer.name}")


class TrackedObjects:
    """Objects of a cluster, by the names of the deployers that may track them."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._named: dict[str, list[Resource]] = {}
        for each in objects:
            tracking, _, _ = text_at(each.annotations, _TRACKING_ID).partition(":")
            names = (
                text_at(each.labels, f"{FLUX_KUSTOMIZE_GROUP}/name"),
                text_at(each.labels, _INSTANCE),
                tracking,
            )
            for name in dict.fromkeys(filter(None, names)):
                self._named.setdefault(name, []).append(each)

    def of(self, deployers: Iterable[Resource]) -> Iterator[Resource]:
        """Yield the objects that are tracked as deployed by one of ``deployers``, each once."""
        found: dict[ResId, Resource] = {}
        for deployer in deployers:
            names = deployer.name, f"{deployer.namespace}_{deployer.name}"
            candidates = (each for name in names for each in self._named.get(name, ()))
            found |= {each.current_id: each for each in candidates if tracks(deployer, each)}
        yield from found.values()


def prune_refusal_of(deployers: Iterable[Resource]) -> str:
    """Return the reason why objects removed from Git stay in the cluster; empty if they are pruned."""
    for each in map(as_application, deployers):
        if is_flux_kustomization(each):
            if object_at(each.content, "spec").get("prune") is not True:
                return f"spec.prune of Kustomization {each.name} is not true"
        elif reason := without_pruning(each):
            return reason
    return ""
