"""Which of the project's clusters an engine applies an entry point to.

This is the second of the answers to the question where an overlay goes (``RenderConfig.overlay``).
"""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from typing import TypeAlias

from renderer.model.cluster_settings import LOCAL_SERVER, ClusterSettings, cluster_at, clusters_in_path
from renderer.model.entry_point import EntryKind, EntryPoint
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay

#: The name of a cluster in the project, the entry of an engine, and the destination of an Application in it.
Cluster: TypeAlias = tuple[str, str, str]
#: The end of the name of a Secret with the kubeconfig of a cluster, by Cluster API's convention.
_KUBECONFIG = "-kubeconfig"


def target_cluster_of(clusters: tuple[ClusterSettings, ...], point: EntryPoint) -> str | None:
    """Return the cluster that an entry point is applied to; None if only the path of the entry can say it.

    An empty name is a cluster that the project does not list.
    """
    if not clusters or point.entry is None:
        return None
    in_folders = {name for folder in point.folders for name in clusters_in_path(clusters, folder)}
    by_folders = in_folders.pop() if len(in_folders) == 1 else ""
    if point.options.kind is EntryKind.ARGOCD:
        from renderer.gitops.argocd.destination import target_cluster

        return cluster_at(clusters, target_cluster(point.entry)) or by_folders or None
    if not object_at(point.entry.content, "spec", "kubeConfig"):
        return None
    secret = text_at(point.entry.content, "spec", "kubeConfig", "secretRef", "name")
    named = (each.name for each in clusters if secret in (each.name, each.name + _KUBECONFIG))
    return next(named, by_folders)


def may_share_cluster(overlay: Overlay, other: Overlay) -> bool:
    """Return True if the two overlays may be applied to one cluster.

    Where the project does not list their cluster, an entry of an engine is one, except that two destinations
    that differ are two. All overlays that the project lists by path are taken for one.
    """
    return may_be_one_cluster(cluster_of(overlay), cluster_of(other))


def may_be_one_cluster(one: Cluster, other: Cluster) -> bool:
    """Return True if overlays of these may be applied to one cluster; see ``may_share_cluster``."""
    if one[0] or other[0]:
        return one[0] == other[0]
    # a name and an address may be of one cluster
    return one[1] == other[1] and (one[2] == other[2] or ("://" in one[2]) != ("://" in other[2]))


def cluster_of(overlay: Overlay) -> Cluster:
    """Return all that ``may_share_cluster`` looks at in an overlay."""
    return overlay.cluster, engine_entry(overlay), _destination(overlay)


def known_cluster(overlay: Overlay) -> tuple[str, ...] | None:
    """Return the cluster of an overlay; None if neither the project nor an entry of an engine says it."""
    return certain_cluster(overlay) if overlay.cluster or engine_entry(overlay) else None


def certain_cluster(overlay: Overlay) -> tuple[str, ...]:
    """Return what two overlays have in common if they are certainly applied to one cluster.

    The cluster of Argo CD itself is one for each namespace with Applications: each may have its own Argo CD.
    """
    if overlay.cluster:
        return (overlay.cluster,)
    destination = _destination(overlay)
    namespace = _namespace(overlay) if destination == LOCAL_SERVER else ""
    return "", engine_entry(overlay), destination, namespace


def engine_entry(overlay: Overlay) -> str:
    """Return the path of the overlay's entry of Flux or Argo CD; empty for any other overlay."""
    return overlay.listed_as if overlay.entry is not None and overlay.entry.options.has_engine else ""


def _namespace(overlay: Overlay) -> str:
    """Return the namespace of the object that deploys the overlay."""
    entry = overlay.deployer
    return entry.namespace if entry else ""


def _destination(overlay: Overlay) -> str:
    """Return the name or address of the cluster that an entry point's object names; empty for its own."""
    entry = overlay.deployer
    if not entry:
        return ""
    is_argocd = overlay.entry is not None and overlay.entry.options.kind is EntryKind.ARGOCD
    return _destination_of(entry, is_argocd=is_argocd)


def _destination_of(deployer: Resource, *, is_argocd: bool) -> str:
    if is_argocd:
        from renderer.gitops.argocd.destination import target_cluster

        return target_cluster(deployer)
    return text_at(deployer.content, "spec", "kubeConfig", "secretRef", "name")


def destination_of(deployer: Resource) -> str:
    """Return the name or address of the cluster that an Application or Kustomization names, not its own."""
    from renderer.gitops.flux.kustomization import is_flux_kustomization

    found = _destination_of(deployer, is_argocd=not is_flux_kustomization(deployer))
    return "" if found == LOCAL_SERVER else found


def may_be_one_destination(one: str, other: str) -> bool:
    """Return True if two destinations may be one cluster, as a name and an address may."""
    return one == other or bool(one and other and ("://" in one) != ("://" in other))
