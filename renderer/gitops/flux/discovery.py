"""The Flux Kustomizations of a cluster: those in the built output of its root, and of each in turn.

Parents patch their children, so only built objects count. A Kustomization is built after the sources of its
variables have been built.

The root is the Kustomization that bootstrap or the Flux operator creates for a cluster's folder. It is in
``gotk-sync.yaml``, in ``spec.sync`` of a FluxInstance, or under ``instance.sync`` in values of the
``flux-instance`` chart. If the folder has none of them, it is the one that ``flux bootstrap --path`` would
create.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from renderer.files.file_system import FileSystem
from renderer.gitops.flux.generator import API_GROUP
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.location import Site
from renderer.model.resource import Resource, ResourceSet
from renderer.model.text_enum import TextEnum
from renderer.yamlio.decode import decode_documents

SOURCE_GROUP = "source.toolkit.fluxcd.io"

#: Kind, namespace and name of an object.
Key: TypeAlias = tuple[str, str, str]


class SourceRelation(TextEnum):
    """How the source of a Kustomization relates to the current repository."""

    SELF = "self"
    OTHER = "other"
    MISSING = "missing"  # no object says which repository it is


@dataclass(slots=True)
class ReachedKustomization:
    """A Kustomization as its parent deploys it; ``outcome`` is None if it is not built."""

    entry: Resource
    parent: ReachedKustomization | None = None
    source: SourceRelation = SourceRelation.MISSING
    ignore: str = ""
    outcome: Outcome[ResourceSet] | None = None
    children: list[ReachedKustomization] = field(default_factory=list)
    repeated: list[Resource] = field(default_factory=list)

    @property
    def key(self) -> Key:
        return object_key(self.entry)

    @property
    def suspended(self) -> bool:
        return object_at(self.entry.content, "spec").get("suspend") is True

    @property
    def depends_on(self) -> tuple[Key, ...]:
        """The Kustomizations that this one waits for."""
        return tuple(
            (
                "Kustomization",
                text_at(each, "namespace") or self.entry.namespace,
                text_at(each, "name"),
            )
            for each in array_at(self.entry.content, "spec", "dependsOn")
        )

    def lineage(self) -> Iterator[ReachedKustomization]:
        """Yield the Kustomization and its parents, up to the root."""
        reached: ReachedKustomization | None = self
        while reached is not None:
            yield reached
            reached = reached.parent


#: Builds a Kustomization; the objects known so far supply its variables.
Build: TypeAlias = Callable[[ReachedKustomization, Mapping[Key, Resource]], Outcome[ResourceSet]]


def object_key(resource: Resource) -> Key:
    """Return the kind, namespace and name of the resource."""
    return resource.kind, resource.namespace, resource.name


def is_flux_kustomization(resource: Resource) -> bool:
    """Return True for a Kustomization of Flux, not of kustomize."""
    return resource.kind == "Kustomization" and resource.gvk.group == API_GROUP


class FluxDiscovery:
    """Follows one root. ``is_this_repository`` tests whether a URL, with its path, is the repository's."""

    def __init__(
        self, build: Build, is_this_repository: Callable[[str, str], bool], known: tuple[Resource, ...] = ()
    ) -> None:
        """``known`` are objects of the cluster that no Kustomization deploys."""
        self._build = build
        self._is_this_repository = is_this_repository
        self._objects: dict[Key, Resource] = {object_key(each): each for each in known}
        self._reached: dict[Key, ReachedKustomization] = {}
        self._root_source: Key | None = None
        self._root_url = ""

    def follow(self, root: Resource) -> tuple[ReachedKustomization, ...]:
        """Return all Kustomizations, parents before children, breadth first."""
        self._root_source = source_key(root)
        source = self._objects.get(self._root_source)
        self._root_url = text_at(source.content, "spec", "url") if source else ""
        first = ReachedKustomization(root)
        self._reached[first.key] = first
        waiting = [first]
        while waiting:
            ready = next((each for each in waiting if self._is_ready(each)), waiting[0])
            waiting.remove(ready)
            self._visit(ready)
            waiting += ready.children
        return tuple(_breadth_first(first))

    def known(self, key: Key) -> Resource | None:
        """Return an object of the cluster as it was deployed."""
        return self._objects.get(key)

    def _is_ready(self, reached: ReachedKustomization) -> bool:
        if self._relation(reached) is SourceRelation.MISSING:
            return False
        return all(key in self._objects for key in variable_sources(reached.entry))

    def _visit(self, reached: ReachedKustomization) -> None:
        reached.source = self._relation(reached)
        source = self._objects.get(source_key(reached.entry))
        reached.ignore = text_at(source.content, "spec", "ignore") if source else ""
        if reached.suspended or reached.source is not SourceRelation.SELF:
            return
        reached.outcome = self._build(reached, self._objects)
        for resource in reached.outcome.value:
            self._objects[object_key(resource)] = resource
            if is_flux_kustomization(resource):
                self._add(resource, reached)

    def _add(self, resource: Resource, parent: ReachedKustomization) -> None:
        if object_key(resource) in self._reached:
            parent.repeated.append(resource)
            return
        child = ReachedKustomization(resource, parent)
        self._reached[child.key] = child
        parent.children.append(child)

    def _relation(self, reached: ReachedKustomization) -> SourceRelation:
        key = source_key(reached.entry)
        if key == self._root_source:
            return SourceRelation.SELF
        source = self._objects.get(key)
        if source is None:
            return SourceRelation.MISSING
        url = text_at(source.content, "spec", "url")
        is_self = key[0] == "GitRepository" and (
            url == self._root_url
            or self._is_this_repository(url, text_at(reached.entry.content, "spec", "path"))
        )
        return SourceRelation.SELF if is_self else SourceRelation.OTHER


def source_key(entry: Resource) -> Key:
    """Return the object that ``spec.sourceRef`` names.

    It is in the Kustomization's namespace unless the reference names another.
    """
    reference = object_at(entry.content, "spec", "sourceRef")
    namespace = text_at(reference, "namespace") or entry.namespace
    return text_at(reference, "kind"), namespace, text_at(reference, "name")


def variable_sources(entry: Resource) -> tuple[Key, ...]:
    """Return the ConfigMaps and Secrets that ``substituteFrom`` names, in the object's own namespace."""
    references = array_at(entry.content, "spec", "postBuild", "substituteFrom")
    return tuple((text_at(each, "kind"), entry.namespace, text_at(each, "name")) for each in references)


def _breadth_first(root: ReachedKustomization) -> Iterator[ReachedKustomization]:
    level = [root]
    while level:
        yield from level
        level = [child for each in level for child in each.children]


_SYSTEM = "flux-system"
_SIGNS = (b"toolkit.fluxcd.io", b"fluxcd.controlplane.io", b"sync:")


class ClusterRoot(NamedTuple):
    """The root Kustomization and its accompanying objects, such as its GitRepository."""

    kustomization: Resource
    known: tuple[Resource, ...] = ()


def cluster_root(fs: FileSystem, folder: str) -> ClusterRoot:
    """Return the root of the cluster in ``folder``.

    Raises ``DiagnosticError`` for a broken ``gotk-sync.yaml``.
    """
    files = [path for path in _yaml_files(fs, folder) if any(sign in fs.read(path) for sign in _SIGNS)]
    for path in files:
        if posixpath.basename(path) == "gotk-sync.yaml":
            objects = read_resources(fs.read(path), Site(path))
            root = next((each for each in objects if is_flux_kustomization(each)), None)
            if root is not None:
                return ClusterRoot(root, tuple(each for each in objects if each is not root))
    for path in files:
        for index, document in enumerate(_documents(fs, path)):
            sync = _sync(document)
            if sync:
                return _root_of_sync(sync, Site(path, index), folder)
    return _root_of_sync({"path": folder}, Site(folder), folder)


def _yaml_files(fs: FileSystem, folder: str) -> Iterator[str]:
    for name in fs.list(folder):
        path = name if folder == "." else f"{folder}/{name}"
        if name == ".git":
            continue
        if name.endswith((".yaml", ".yml")) and fs.is_file(path):
            yield path
        elif fs.is_folder(path) and fs.resolve(path) == path:
            yield from _yaml_files(fs, path)


def _documents(fs: FileSystem, path: str) -> tuple[Json, ...]:
    """Return the documents of a file, which may be unrelated to Flux; empty if it cannot be parsed."""
    try:
        return decode_documents(fs.read(path), path)
    except DiagnosticError:
        return ()


def _sync(document: Json) -> JsonObject:
    """Return ``sync`` of a FluxInstance, of a HelmRelease's values, or of a values file.

    Empty if it is missing.
    """
    content = object_at(document)
    places = {
        "FluxInstance": ("spec", "sync"),
        "HelmRelease": ("spec", "values", "instance", "sync"),
        "": ("instance", "sync"),
    }
    place = places.get(text_at(content, "kind"))
    found = object_at(content, *place) if place else {}
    return found if text_at(found, "path") else {}


def _root_of_sync(sync: JsonObject, site: Site, folder: str) -> ClusterRoot:
    """Return the objects that Flux creates from ``sync``."""
    source: JsonObject = {"kind": text_at(sync, "kind") or "GitRepository", "name": _SYSTEM}
    metadata: JsonObject = {"name": _SYSTEM, "namespace": _SYSTEM}
    kustomization: JsonObject = {
        "apiVersion": f"{API_GROUP}/v1",
        "kind": "Kustomization",
        "metadata": metadata,
        "spec": {"path": text_at(sync, "path") or folder, "sourceRef": source},
    }
    known: tuple[Resource, ...] = ()
    if text_at(sync, "url"):
        repository: JsonObject = {
            "apiVersion": f"{SOURCE_GROUP}/v1",
            "kind": source["kind"],
            "metadata": metadata,
            "spec": {"url": text_at(sync, "url")},
        }
        known = (Resource(repository, site),)
    return ClusterRoot(Resource(kustomization, site), known)
