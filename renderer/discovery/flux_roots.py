"""The root Kustomizations of Flux clusters that files of a repository declare, wherever these files are."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.discovery.manifests import Manifests
from renderer.files.file_system import folder_of
from renderer.gitops.flux.cluster_root import ClusterRoot, declared_root
from renderer.gitops.flux.kustomization import deployed_folder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource


def declared_roots(manifests: Manifests) -> tuple[tuple[str, Resource], ...]:
    """Return the roots, each with its file."""
    return tuple((path, root.kustomization) for path, root in _found(manifests))


def root_urls(manifests: Manifests) -> Iterator[str]:
    """Yield the URLs from which roots with a folder or tree of this repository are fetched."""
    for _, root in _found(manifests):
        if manifests.fs.is_folder(deployed_folder(root.kustomization)):
            yield from filter(None, (text_at(each.content, "spec", "url") for each in root.known))


def _found(manifests: Manifests) -> Iterator[tuple[str, ClusterRoot]]:
    for path, content in manifests.contents.items():
        is_sync = posixpath.basename(path) == "gotk-sync.yaml" or b"fluxcd.controlplane.io" in content
        if is_sync or (b"\ninstance:" in content and b"sync:" in content):
            try:
                root = declared_root(manifests.fs, folder_of(path))
            except DiagnosticError:
                continue
            if root is not None:
                yield path, root
