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

    It is the ``wanted`` cluster, or else the one that the path of the folder names. Otherwise, it is a new
    cluster with the name of the folder, if the user named the folder, the dump has the configuration of
    KubeVirt or instance types, and no catalog of the default cluster is below the folder. Raises
    ``UsageError`` for an invalid name.
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
    has_own_facts = bool(gathered.kubevirt or gathered.instancetypes) or any(
        each.resource.gvk.group == INSTANCETYPE_GROUP for each in gathered.objects
    )
    if not is_output_named or is_of_default or not has_own_facts:
        return ""
    name = posixpath.basename(output)
    return name if is_cluster_name(name) else ""


def as_seen_by(project: Project, cluster: str) -> Project:
    """Return the project as a cluster sees it. A new cluster has only what KubeVirt deploys."""
    config = project.config
    if cluster and cluster not in {each.name for each in config.clusters}:
        new = ClusterSettings(cluster, catalogs=(COMMON_INSTANCETYPES,), configuration=())
        config = config._replace(clusters=(*config.clusters, new))
    return project._replace(config=config.of_cluster(cluster))
