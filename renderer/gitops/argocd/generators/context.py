"""The input of generators, and the limit on their output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.gitops.argocd.parameters import Parameters, Rendering, SetError
from renderer.model.cluster_settings import ClusterSettings
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.run.limits import limit_hint, limits


class ArgoCluster(NamedTuple):
    """A cluster that Argo CD knows: the data of its Secret, as repeated in ``vmrender.yaml``."""

    name: str
    server: str
    labels: Mapping[str, str] = EMPTY
    annotations: Mapping[str, str] = EMPTY
    project: str = ""


def argo_clusters(clusters: Iterable[ClusterSettings]) -> tuple[ArgoCluster, ...]:
    """Return the clusters that Argo CD knows."""
    return tuple(
        ArgoCluster(each.name, argocd.server, argocd.labels, argocd.annotations)
        for each in clusters
        if (argocd := each.argocd) is not None
    )


class SetContext(NamedTuple):
    """The repository and the clusters; ``is_this_repository`` tests whether a URL is the repository's."""

    tree: RepositoryTree
    rendering: Rendering
    clusters: tuple[ArgoCluster, ...] = ()
    is_this_repository: Callable[[str, str], bool] = lambda _url, _path: True


#: The parameter sets of one generator, given its block of the ApplicationSet. Raises ``SetError``.
Generate: TypeAlias = Callable[[JsonObject, SetContext], list[Parameters]]


def check_count(count: int) -> None:
    """Raise ``SetError`` if there are more parameter sets than a project may have overlays."""
    most = limits().overlays
    if count > most:
        raise SetError(f"the generators make more than {most} Applications", limit_hint("overlays"))


def check_this_repository(block: JsonObject, context: SetContext) -> None:
    """Raise ``SetError`` if a git generator reads another repository."""
    url: Json = block.get("repoURL")
    if isinstance(url, str) and not context.is_this_repository(url, ""):
        raise SetError(
            f"its git generator reads {url}, which is another repository",
            "if that is this repository, list the URL under repositories in vmrender.yaml",
        )
