"""The folders of a repository's Flux clusters, as entries of ``vmrender.yaml``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.discovery.manifests import Manifests, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import is_inside, normal_path
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import SOURCE_PATH, EntryKind, EntryOptions
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OverlayEntry
from renderer.project.entry_settings import cluster_name
from renderer.project.tree_paths import tree_at


def flux_entries(manifests: Manifests) -> Iterator[OverlayEntry]:
    """Yield the folders of clusters: Flux was bootstrapped there, or nothing else deploys them."""
    switched = dict(_switched(manifests))
    roots = dict.fromkeys((*_bootstrapped(manifests), *switched.values()))
    links = [
        (posixpath.dirname(path) or ".", normal_path(text_at(each.content, "spec", "path")))
        for path, each in manifests.objects(b"kustomize.toolkit.fluxcd.io", b"sourceRef")
        if is_flux_kustomization(each) and not is_named_retired(manifests, path)
    ]
    deployed = [to for folder, to in links if not is_inside(folder, to)]
    for folder, to in links:  # Flux was bootstrapped at one that deploys itself
        place = to if is_inside(folder, to) else folder
        if not any(is_inside(place, other) for other in (*roots, *deployed)):
            roots[place] = None
    for folder in outermost_folders(roots):
        cluster = cluster_name(folder, EntryKind.FLUX)
        options = EntryOptions(EntryKind.FLUX, cluster=cluster, repoint=folder in switched.values())
        yield OverlayEntry(folder, entry=options)


def _bootstrapped(manifests: Manifests) -> Iterator[str]:
    """Yield the folders that the bootstrap or the operator of Flux refers to."""
    for _, root in _roots(manifests):
        folder = normal_path(text_at(root.content, "spec", "path"))
        if manifests.fs.is_folder(folder) and not tree_at(manifests.fs, folder):
            yield folder


def _switched(manifests: Manifests) -> Iterator[tuple[str, str]]:
    """Yield the tree that a root is pointed at in Git, and the folder of its sources.

    Without an annotation, that is the folder above the one into which ``flux bootstrap`` writes the root.
    """
    for path, root in _roots(manifests):
        tree = tree_at(manifests.fs, normal_path(text_at(root.content, "spec", "path")))
        above = posixpath.dirname(posixpath.dirname(path)) or "."
        folder = text_at(root.annotations, SOURCE_PATH) or above
        if tree and manifests.fs.is_folder(folder):
            yield tree, posixpath.normpath(folder)


def _roots(manifests: Manifests) -> Iterator[tuple[str, Resource]]:
    """Yield the root Kustomizations of clusters, each with its file."""
    for path, content in manifests.contents.items():
        is_sync = posixpath.basename(path) == "gotk-sync.yaml" or b"fluxcd.controlplane.io" in content
        if is_sync or (b"\ninstance:" in content and b"sync:" in content):
            try:
                yield path, cluster_root(manifests.fs, posixpath.dirname(path) or ".").kustomization
            except DiagnosticError:
                continue
