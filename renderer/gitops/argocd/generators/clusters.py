"""``clusters``: a set for each cluster that Argo CD knows (``generators/cluster.go``).

Clusters are Secrets and stand in no repository, so ``vmrender.yaml`` lists them. The local cluster has no
labels, and counts only where the selector is empty.
"""

from __future__ import annotations

from renderer.gitops.argocd.generators.context import LOCAL_SERVER, ArgoCluster, SetContext
from renderer.gitops.argocd.names import sanitized_name
from renderer.gitops.argocd.parameters import Parameters, is_everything, selector_matches
from renderer.gitops.gotemplate.values import TextMap
from renderer.model.json import JsonObject, object_at

_LOCAL_NAME = "in-cluster"
_SECRET_TYPE = {"argocd.argoproj.io/secret-type": "cluster"}


def cluster_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of the listed clusters, the local one last. Raises ``SetError``."""
    selector = object_at(block, "selector")
    go_template = context.rendering.go_template
    matching = [each for each in context.clusters if selector_matches(selector, _labels(each))]
    sets = [_parameters(each, go_template=go_template) for each in matching]
    if is_everything(selector) and all(each.server != LOCAL_SERVER for each in matching):
        sets.append(
            {"name": _LOCAL_NAME, "nameNormalized": _LOCAL_NAME, "server": LOCAL_SERVER, "project": ""}
        )
    values = object_at(block, "values")
    made = [context.rendering.with_values(values, each) for each in sets]
    return [{"clusters": made}] if block.get("flatList") is True else made


def _labels(cluster: ArgoCluster) -> dict[str, str]:
    return {**_SECRET_TYPE, **cluster.labels}


def _parameters(cluster: ArgoCluster, *, go_template: bool) -> Parameters:
    named: Parameters = {
        "name": cluster.name,
        "nameNormalized": sanitized_name(cluster.name),
        "server": cluster.server,
        "project": cluster.project,
    }
    metadata = {"annotations": dict(cluster.annotations), "labels": _labels(cluster)}
    if go_template:
        return {**named, "metadata": {key: TextMap(texts) for key, texts in metadata.items() if texts}}
    flat = {
        f"metadata.{field}.{key}": text for field, texts in metadata.items() for key, text in texts.items()
    }
    return {**named, **flat}
