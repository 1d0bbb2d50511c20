"""The ``KubeVirt`` object of a product's cluster, if the repository has none."""

from __future__ import annotations

from functools import lru_cache

from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.products import product_release
from renderer.model.kube.json import EMPTY, Json, JsonObject
from renderer.model.release import Release


@lru_cache
def default_kubevirt(release: Release) -> JsonObject:
    """Return the object that the product of a target release deploys by default; empty if it is not known.

    It has what the product sets: without a product, a cluster has KubeVirt's own defaults.
    """
    row = product_release(release)
    if row is None or not row.feature_gates:
        return EMPTY
    gates: Json = list(row.feature_gates)
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": KUBEVIRT,
        "metadata": {"name": "kubevirt"},
        "spec": {"configuration": {"developerConfiguration": {"featureGates": gates}}},
    }
