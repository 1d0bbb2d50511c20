"""Which files of the repository belong to other clusters than the one that is asked about."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from functools import cached_property

from renderer.files.file_system import FileSystem, is_inside
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.cluster_settings import CatalogPath, clusters_in_path
from renderer.model.render_config import Overlay, RenderConfig
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.pipeline.target_cluster import engine_entry, may_share_cluster


class ClusterFiles:
    """The files of the clusters of a project, by its paths and by the overlays that are built from them."""

    def __init__(self, fs: FileSystem, config: RenderConfig, overlays: Iterable[Overlay]) -> None:
        self._config = config
        self._overlays = tuple(overlays)
        self._files = OverlayFiles(fs, KustomizationGraph(fs))

    def is_of_other_cluster(self, file: str, overlay: Overlay) -> bool:
        """Return True if ``file`` is certainly for another cluster than ``overlay``.

        The deepest folder that is for any cluster decides: one that its path names, a catalog or the
        configuration of a cluster, an overlay, or an entry. Elsewhere, it is a file that only overlays of
        other clusters are built from.
        """
        clusters = self._config.clusters
        if not clusters and not engine_entry(overlay):  # it may be for the cluster of any entry
            return False
        own = [each for each in self._overlays if may_share_cluster(overlay, each)]
        others = [each for each in self._overlays if not may_share_cluster(overlay, each)]
        if not others and not clusters:
            return False
        in_path = clusters_in_path(clusters, file)
        if in_path:
            return overlay.cluster not in in_path
        other_names = {each.name for each in clusters if each.name != overlay.cluster}
        depth_of_own = _depth(file, (*_roots(own), *self._folders_of(overlay.cluster)))
        depth_of_others = _depth(
            file, (*_roots(others), *(each for name in other_names for each in self._folders_of(name)))
        )
        if depth_of_own != depth_of_others:
            return depth_of_others > depth_of_own
        return any(file in self._files.of(each) for each in others) and not any(
            file in self._files.of(each) for each in own
        )

    def _folders_of(self, cluster: str) -> tuple[str, ...]:
        """Return the configuration and the catalogs of a cluster that the others do not have."""
        if not cluster:
            return self._settings_of_default
        settings = next((each for each in self._config.clusters if each.name == cluster), None)
        if settings is None:
            return ()
        return tuple(_paths(settings.configuration or (), settings.catalogs or ()))

    @cached_property
    def _settings_of_default(self) -> tuple[str, ...]:
        return tuple(_paths(self._config.configuration, self._config.catalogs))


def _paths(configuration: Iterable[str], catalogs: Iterable[object]) -> Iterator[str]:
    yield from configuration
    yield from (posixpath.normpath(each.path) for each in catalogs if isinstance(each, CatalogPath))


def _roots(overlays: Iterable[Overlay]) -> Iterator[str]:
    """Yield the folders in which the sources of overlays are."""
    for overlay in overlays:
        entry = engine_entry(overlay)
        yield from (entry, *(overlay.entry.folders if overlay.entry else ())) if entry else (overlay.path,)


def _depth(file: str, folders: Iterable[str]) -> int:
    """Return the number of folders in the longest of ``folders`` that ``file`` is in; 0 for none."""
    normal = map(posixpath.normpath, folders)
    return max((each.count("/") + 1 for each in normal if each != "." and is_inside(file, each)), default=0)
