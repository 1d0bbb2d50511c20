"""The folders of a repository's Flux clusters, as entries of ``vmrender.yaml``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.discovery.manifests import Manifests, normal_path, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import is_inside
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.kube.json import text_at
from renderer.model.render_config import OverlayEntry
from renderer.project.entry_settings import cluster_name


def flux_entries(manifests: Manifests) -> Iterator[OverlayEntry]:
    """Yield the folders of clusters: Flux was bootstrapped there, or nothing else deploys them."""
    roots = dict.fromkeys(_bootstrapped(manifests))
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
        yield OverlayEntry(
            folder, entry=EntryOptions(EntryKind.FLUX, cluster=cluster_name(folder, EntryKind.FLUX))
        )


def _bootstrapped(manifests: Manifests) -> Iterator[str]:
    """Yield the folders that the bootstrap or the operator of Flux refers to."""
    for path, content in manifests.contents.items():
        is_sync = posixpath.basename(path) == "gotk-sync.yaml" or b"fluxcd.controlplane.io" in content
        if is_sync or (b"\ninstance:" in content and b"sync:" in content):
            try:
                root = cluster_root(manifests.fs, posixpath.dirname(path) or ".").kustomization
            except DiagnosticError:
                continue
            folder = normal_path(text_at(root.content, "spec", "path"))
            if manifests.fs.is_folder(folder):
                yield folder
