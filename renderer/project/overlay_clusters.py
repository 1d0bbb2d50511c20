"""Findings about the clusters of overlays: a path that names several, and a cluster that nothing names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.cluster_settings import ClusterSettings, clusters_in_path
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.location import Site
from renderer.model.render_config import PROJECT_FILE, Overlay, RenderConfig


def cluster_site(name: str) -> Site:
    """Return the site where the project lists the cluster ``name``."""
    return Site(PROJECT_FILE, 0, FieldPath.of("clusters", ElementName("name", name), "name"))


def ambiguous_cluster(
    clusters: tuple[ClusterSettings, ...], overlay: Overlay, site: Site
) -> Diagnostic | None:
    """Return an error, at ``site``, about an overlay whose path names several clusters; None otherwise."""
    has_engine = overlay.entry is not None and overlay.entry.options.has_engine
    named = clusters_in_path(clusters, overlay.listed_as if has_engine else overlay.path)
    if overlay.cluster or len(named) < 2:  # noqa: PLR2004 - several
        return None
    message = f"the path {overlay.path} names {' and '.join(named)}, which are both clusters"
    return Diagnostic.at(site, Code.CONFIG_INVALID, message, f"say which: cluster: {named[-1]}")


def unnamed_clusters(config: RenderConfig, overlays: Iterable[Overlay]) -> Iterator[Diagnostic]:
    """Yield a warning for each cluster with settings of its own that no overlay goes to."""
    named = {overlay.cluster for overlay in overlays}
    for cluster in config.clusters:
        if cluster.own and cluster.name not in named:
            yield Diagnostic.at(
                cluster_site(cluster.name),
                Code.CLUSTER_UNUSED,
                f"no overlay goes to the cluster {cluster.name}, so its settings have no effect",
                f"write in the entry of its overlays: cluster: {cluster.name}",
                severity=Severity.WARNING,
            )
