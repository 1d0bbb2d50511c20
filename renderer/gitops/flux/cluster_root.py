"""The root Kustomization of a Flux cluster, as bootstrap or the Flux operator creates it.

It is in ``gotk-sync.yaml``, in ``spec.sync`` of a FluxInstance, under ``instance.sync`` in values of the
``flux-instance`` chart, or a Kustomization in any file of the folder that applies this folder. Of several
``gotk-sync.yaml``, the one that applies the folder counts. If the folder has none of all these, it is the one
that ``flux bootstrap --path`` would create. Bootstrap and the operator set ``prune: true`` (flux2
``pkg/manifestgen/sync/sync.go``, flux-operator ``internal/builder/templates.go``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.files.file_system import FileSystem, normal_path
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, FLUX_MANIFESTS, FLUX_SOURCE_GROUP
from renderer.model.entry_point import SOURCE_PATH
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.yamlio.decode import decode_documents

_NAMESPACE = "flux-system"
_OPERATOR_SIGNS = (b"kind: FluxInstance", b"fluxcd.controlplane.io")
_SIGNS = (b"toolkit.fluxcd.io", b"fluxcd.controlplane.io", b"sync:")


class ClusterRoot(NamedTuple):
    """The root Kustomization and its accompanying objects, such as its GitRepository."""

    kustomization: Resource
    known: tuple[Resource, ...] = ()

    def at_sources(self, tree: str, folder: str) -> ClusterRoot:
        """Return the root with the folder of its sources, if Git already points it at its ``tree``.

        Its annotation names that folder; the default is ``folder``, that of the project's entry.
        """
        root = self.kustomization
        if deployed_folder(root) != tree:
            return self
        source = text_at(root.annotations, SOURCE_PATH) or folder
        return self._replace(
            kustomization=root.with_content(with_value(root.content, ("spec", "path"), source))
        )


def cluster_root(fs: FileSystem, folder: str) -> ClusterRoot:
    """Return the root of the cluster in ``folder``.

    Raises ``DiagnosticError`` for a broken ``gotk-sync.yaml``, and for another broken file that may have it.
    """
    return declared_root(fs, folder) or _root_of_sync({"path": folder}, Site(folder), folder)


def declared_root(fs: FileSystem, folder: str) -> ClusterRoot | None:
    """Return the root that a file in ``folder`` declares.

    Raises ``DiagnosticError`` for a broken ``gotk-sync.yaml``, and for another broken file that may have it.
    """
    files = [path for path in _yaml_files(fs, folder) if any(sign in fs.read(path) for sign in _SIGNS)]
    of_bootstrap = [*_roots_of_bootstrap(fs, files)]
    if of_bootstrap:
        applying = (each for each in of_bootstrap if _may_be_root(fs, each.kustomization.content, folder))
        return next(applying, of_bootstrap[0])
    unread: list[DiagnosticError] = []
    applied_by_itself: ClusterRoot | None = None
    for path in files:
        content = fs.read(path)
        try:
            documents = decode_documents(content, path)
        except DiagnosticError as error:  # most are unrelated to the root
            is_template = b"{{" in content
            unread += [error] if not is_template and any(sign in content for sign in _OPERATOR_SIGNS) else []
            continue
        for index, document in enumerate(documents):
            sync = _sync(document)
            if sync:
                annotations = object_at(document, "metadata", "annotations")
                return _root_of_sync(sync, Site(path, index), folder, annotations)
        if applied_by_itself is None and any(_may_be_root(fs, each, folder) for each in documents):
            applied_by_itself = _root_among(read_resources(content, Site(path)), fs, folder)
    if applied_by_itself is None and unread:
        raise unread[0]
    return applied_by_itself


def _roots_of_bootstrap(fs: FileSystem, files: Iterable[str]) -> Iterator[ClusterRoot]:
    """Yield the root in each ``gotk-sync.yaml``: a bootstrap with another path leaves the earlier one."""
    for path in files:
        if posixpath.basename(path) == "gotk-sync.yaml":
            objects = read_resources(fs.read(path), Site(path))
            root = next((each for each in objects if is_flux_kustomization(each)), None)
            if root is not None:
                yield ClusterRoot(root, tuple(each for each in objects if each is not root))


def _root_among(objects: Iterable[Resource], fs: FileSystem, folder: str) -> ClusterRoot | None:
    """Return the Kustomization among the objects of a file that applies ``folder``, with their sources."""
    every = tuple(objects)
    root = next((each for each in every if _may_be_root(fs, each.content, folder)), None)
    sources = (each for each in every if each.gvk.group == FLUX_SOURCE_GROUP)
    return ClusterRoot(root, tuple(sources)) if root is not None else None


def _may_be_root(fs: FileSystem, document: Json, folder: str) -> bool:
    """Return True for a Kustomization that applies ``folder``: itself, or its rendered tree."""
    content = object_at(document)
    group, _, _ = text_at(content, "apiVersion").partition("/")
    is_flux = text_at(content, "kind") == "Kustomization" and group == FLUX_KUSTOMIZE_GROUP
    path = text_at(content, "spec", "path")
    if not is_flux or not path or not text_at(content, "spec", "sourceRef", "name"):
        return False  # a patch may have some of it
    named = text_at(content, "metadata", "annotations", SOURCE_PATH)
    if folder in (normal_path(path), named and normal_path(named)):
        return True
    name, namespace = (text_at(content, "metadata", key) for key in ("name", "namespace"))
    return name == namespace == _NAMESPACE and fs.is_file(f"{normal_path(path)}/{OWNERSHIP_FILE}")


def _yaml_files(fs: FileSystem, folder: str) -> Iterator[str]:
    for name in fs.list(folder):
        path = name if folder == "." else f"{folder}/{name}"
        if name == ".git":
            continue
        if name.endswith(FLUX_MANIFESTS) and fs.is_file(path):
            yield path
        elif fs.is_folder(path) and fs.resolve(path) == path:
            yield from _yaml_files(fs, path)


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


def _root_of_sync(sync: JsonObject, site: Site, folder: str, annotations: JsonObject = EMPTY) -> ClusterRoot:
    """Return the objects that Flux creates from ``sync`` of an object with ``annotations``."""
    source: JsonObject = {"kind": text_at(sync, "kind") or "GitRepository", "name": _NAMESPACE}
    metadata: JsonObject = {"name": _NAMESPACE, "namespace": _NAMESPACE}
    named = {name: annotations[name] for name in (SOURCE_PATH,) if name in annotations}
    kustomization: JsonObject = {
        "apiVersion": f"{FLUX_KUSTOMIZE_GROUP}/v1",
        "kind": "Kustomization",
        "metadata": {**metadata, "annotations": named} if named else metadata,
        "spec": {"path": text_at(sync, "path") or folder, "prune": True, "sourceRef": source},
    }
    known: tuple[Resource, ...] = ()
    if text_at(sync, "url"):
        repository: JsonObject = {
            "apiVersion": f"{FLUX_SOURCE_GROUP}/v1",
            "kind": source["kind"],
            "metadata": metadata,
            "spec": {"url": text_at(sync, "url")},
        }
        known = (Resource(repository, site),)
    return ClusterRoot(Resource(kustomization, site), known)
