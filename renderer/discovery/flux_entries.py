"""The folders of a repository's Flux clusters, as entries of ``vmrender.yaml``."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator

from renderer.discovery.flux_roots import declared_roots
from renderer.discovery.manifests import Manifests, around, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import FileSystem, folder_of, is_inside
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization
from renderer.model.entry_point import SOURCE_PATH, EntryKind, EntryOptions
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.project.entry_settings import cluster_name
from renderer.project.tree_paths import tree_at


def flux_entries(
    manifests: Manifests, config: RenderConfig, is_own: Callable[[Resource], bool]
) -> Iterator[OverlayEntry]:
    """Yield the folders of clusters: Flux was bootstrapped there, or nothing else deploys them.

    If files declare the roots of clusters, a folder that none of them deploys is a cluster only beside
    another one, or if it deploys itself. ``is_own`` tests whether the source of a Kustomization may be this
    repository.
    """
    declared = declared_roots(manifests)
    switched = dict(_switched(manifests, config, declared))
    listed = _listed_folders(manifests.fs, config)
    certain = (*_bootstrapped(manifests.fs, declared), *switched.values())
    beside = {posixpath.dirname(each) for each in certain}
    roots = dict.fromkeys((*certain, *listed))
    links = [
        (folder_of(path), deployed_folder(each)) for path, each in _kustomizations(manifests) if is_own(each)
    ]
    deployed = {to for folder, to in links if not is_inside(folder, to)}
    for folder, to in dict.fromkeys(links):  # Flux was bootstrapped at one that deploys itself
        place = to if is_inside(folder, to) else folder
        if certain and place != to and posixpath.dirname(place) not in beside:
            continue  # nothing in Git applies it
        if not any(each in roots or each in deployed for each in around(place)):
            roots[place] = None
    repointed = frozenset(switched.values())
    for folder in outermost_folders(roots):
        cluster = cluster_name(folder, EntryKind.FLUX)
        options = EntryOptions(EntryKind.FLUX, name_prefix=cluster, repoint=folder in repointed)
        yield OverlayEntry(folder, entry=options)


def _kustomizations(manifests: Manifests) -> Iterator[tuple[str, Resource]]:
    for path, each in manifests.objects(b"kustomize.toolkit.fluxcd.io", b"sourceRef"):
        if is_flux_kustomization(each) and not is_named_retired(manifests, path):
            yield path, each


def _listed_folders(fs: FileSystem, config: RenderConfig) -> tuple[str, ...]:
    """Return the folders of the project's own Flux entries."""
    return tuple(
        posixpath.normpath(each.path)
        for each in config.overlays
        if each.entry.kind is EntryKind.FLUX and fs.is_folder(each.path) and not tree_at(fs, each.path)
    )


def _bootstrapped(fs: FileSystem, declared: Iterable[tuple[str, Resource]]) -> Iterator[str]:
    """Yield the folders that the bootstrap or the operator of Flux refers to."""
    for _, root in declared:
        folder = deployed_folder(root)
        if fs.is_folder(folder) and not tree_at(fs, folder):
            yield folder


def _switched(
    manifests: Manifests, config: RenderConfig, declared: Iterable[tuple[str, Resource]]
) -> Iterator[tuple[str, str]]:
    """Yield the tree that a root is pointed at in Git, and the folder of its sources.

    An annotation or the project's entry with that tree names the folder. Without them, it is one with the
    name that the tree has.
    """
    fs = manifests.fs
    for path, root in declared:
        tree = tree_at(fs, deployed_folder(root))
        if tree:
            folder = text_at(root.annotations, SOURCE_PATH) or _folder_of_entry(config, tree, root.name)
            folder = folder or _folder_by_name(manifests, path, posixpath.basename(posixpath.dirname(tree)))
            if fs.is_folder(folder):
                yield tree, posixpath.normpath(folder)


def _folder_of_entry(config: RenderConfig, tree: str, name: str) -> str:
    """Return the folder of the project's entry whose root ``name`` has the tree; empty without one."""
    for entry in config.overlays:
        if entry.entry.kind is EntryKind.FLUX:
            output = config.output_of(entry, f"{entry.entry.name_prefix}/{name}")
            if posixpath.normpath(output) == tree:
                return entry.path
    return ""


def _folder_by_name(manifests: Manifests, path: str, cluster: str) -> str:
    """Return the folder with the default name ``cluster`` whose root is in the file ``path``.

    ``flux bootstrap`` writes that file into a folder below it; the operator of Flux reads it from anywhere.
    """
    above = posixpath.dirname(posixpath.dirname(path)) or "."
    with_manifests = (folder_of(other) for other, _ in _kustomizations(manifests))
    candidates = (above, folder_of(path), *outermost_folders(with_manifests))
    return next((each for each in candidates if cluster_name(each, EntryKind.FLUX) == cluster), above)
