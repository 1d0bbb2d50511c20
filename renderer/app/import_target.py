"""The cluster that an import is of: its name, and the project as it sees it."""

from __future__ import annotations

import posixpath

from renderer.adopt.dump.gather import Gathered
from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP
from renderer.model.cluster_settings import (
    COMMON_INSTANCETYPES,
    CatalogPath,
    ClusterSettings,
    clusters_in_path,
    is_cluster_name,
)
from renderer.model.render_config import RenderConfig


def cluster_of_import(
    config: RenderConfig, wanted: str, output: str, gathered: Gathered, *, is_output_named: bool
) -> str:
    """Return the name of the cluster that is imported below ``output``; empty for the default cluster.

    It is the ``wanted`` one, or else the one that the path of the folder names. Or else, if the user named
    the folder and the dump says something of the cluster itself, it is a new one of the folder's name, unless
    the default cluster has what is below that folder. Raises ``UsageError`` for an invalid name.
    """
    if wanted and not is_cluster_name(wanted):
        raise UsageError(f"{wanted!r} is not a name for a cluster", "--cluster")
    in_path = clusters_in_path(config.clusters, output)
    if wanted or len(in_path) == 1:
        return wanted or in_path[0]
    folder = f"{output}/"
    is_of_default = any(
        isinstance(each, CatalogPath) and each.path.startswith(folder) for each in config.catalogs
    )
    if not is_output_named or is_of_default or not _describes_cluster(gathered):
        return ""
    name = posixpath.basename(output)
    return name if is_cluster_name(name) else ""


def _describes_cluster(gathered: Gathered) -> bool:
    objects = (each.resource.gvk.group for each in gathered.objects)
    return bool(gathered.kubevirt or gathered.instancetypes) or INSTANCETYPE_GROUP in objects


def as_seen_by(project: Project, cluster: str) -> Project:
    """Return the project as a cluster sees it. A new one has nothing but what KubeVirt brings."""
    config = project.config
    if cluster and cluster not in {each.name for each in config.clusters}:
        new = ClusterSettings(cluster, catalogs=(COMMON_INSTANCETYPES,), configuration=())
        config = config._replace(clusters=(*config.clusters, new))
    return project._replace(config=config.of_cluster(cluster))
