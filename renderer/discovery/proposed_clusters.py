"""The clusters that a repository is for: sibling folders, each with the configuration of a cluster."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.discovery.detected_release import DetectedRelease, agreed
from renderer.discovery.manifests import Manifests
from renderer.files.file_system import is_inside
from renderer.kubevirt.facts.kinds import configures_kubevirt
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above, patched_kinds
from renderer.model.cluster_settings import (
    COMMON_INSTANCETYPES,
    CatalogPath,
    ClusterSettings,
    is_cluster_name,
)

_SEVERAL = 2


class ProposedCluster(NamedTuple):
    """A cluster that the project file would list, its folder, and what says its release, if anything does."""

    folder: str
    settings: ClusterSettings
    release: DetectedRelease | None


def proposed_clusters(
    manifests: Manifests,
    entries: Iterable[str],
    catalogs: Iterable[str],
    releases: Iterable[DetectedRelease],
) -> tuple[ProposedCluster, ...]:
    """Return a cluster for each folder that has a KubeVirt or HyperConverged object and deploys something.

    ``entries`` and ``catalogs`` are the paths that the project would list. The folders are siblings; the
    result is empty if there are not several.
    """
    configuration = tuple(dict.fromkeys(_files_of_clusters(manifests)))
    entries, catalogs = tuple(entries), tuple(catalogs)
    siblings: dict[str, dict[str, None]] = {}
    for file in configuration:
        for folder in folders_above(file):
            if folder != "." and any(is_inside(entry.rstrip("/"), folder) for entry in entries):
                siblings.setdefault(posixpath.dirname(folder), {})[folder] = None
    several = [list(folders) for folders in siblings.values() if len(folders) >= _SEVERAL]
    folders = min(several, key=lambda found: found[0].count("/"), default=[])
    names = [posixpath.basename(folder) for folder in folders]
    if not all(map(is_cluster_name, names)):
        return ()
    clusters = []
    for name, folder in zip(names, folders, strict=True):
        release = agreed(each for each in releases if is_inside(each.path, folder))
        settings = ClusterSettings(
            name,
            kubevirt=release and release.release,
            configuration=tuple(file for file in configuration if is_inside(file, folder)),
            catalogs=(
                *(CatalogPath(path) for path in catalogs if is_inside(path, folder)),
                *(CatalogPath(path) for path in catalogs if not any(is_inside(path, at) for at in folders)),
                COMMON_INSTANCETYPES,
            ),
        )
        clusters.append(ProposedCluster(folder, settings, release))
    return tuple(clusters)


def of_no_cluster(
    releases: Iterable[DetectedRelease], clusters: Iterable[ProposedCluster]
) -> tuple[DetectedRelease, ...]:
    """Return the releases that are for the whole repository: their files are in no cluster's folder."""
    folders = [each.folder for each in clusters]
    return tuple(each for each in releases if not any(is_inside(each.path, folder) for folder in folders))


def _files_of_clusters(manifests: Manifests) -> Iterator[str]:
    """Yield the files with a KubeVirt or HyperConverged object, except patches of one."""
    graph = KustomizationGraph(manifests.fs)
    for sign in (b"KubeVirt", b"HyperConverged"):
        for path, each in manifests.objects(b"kind: " + sign, b"kubevirt.io/"):
            if configures_kubevirt(each):
                listing = [(folder, graph.links(folder)) for folder in graph.folders_listing(path)]
                files = [(folder, links.file) for folder, links in listing if links]
                if patched_kinds(manifests.fs, path, files) is None:
                    yield path
