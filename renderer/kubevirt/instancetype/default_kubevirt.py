"""The ``KubeVirt`` object of a product's cluster, if the repository has none."""

from __future__ import annotations

from functools import lru_cache

from renderer.kubevirt.facts.kinds import KUBEVIRT
from renderer.kubevirt.facts.products import Configuration, configuration_of, product_release
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.release import Release

#: Whose spec is empty, as in a cluster where nobody has changed it.
_HYPERCONVERGED: JsonObject = {
    "apiVersion": "hco.kubevirt.io/v1beta1",
    "kind": "HyperConverged",
    "metadata": {"name": "kubevirt-hyperconverged", "namespace": "kubevirt-hyperconverged"},
    "spec": {},
}


@lru_cache
def default_kubevirt(release: Release) -> JsonObject:
    """Return the object that the product of a target release deploys by default; empty if it is not known.

    It has what the product sets: without a product, a cluster has KubeVirt's own defaults.
    """
    match configuration_of(release):
        case Configuration.HYPERCONVERGED:
            return _kubevirt(_spec_of_operator(release))
        case Configuration.CHART:
            row = product_release(release)
            gates = list(row.feature_gates) if row else []
            return _kubevirt({"configuration": {"developerConfiguration": {"featureGates": gates}}})
        case Configuration.USER:
            return EMPTY


def _kubevirt(spec: JsonObject) -> JsonObject:
    return {"apiVersion": "kubevirt.io/v1", "kind": KUBEVIRT, "metadata": {"name": "kubevirt"}, "spec": spec}


def _spec_of_operator(release: Release) -> JsonObject:
    """Return what the operator that brings a release makes of an empty HyperConverged object.

    The cluster is assumed to be a highly available OpenShift on amd64.
    """
    from renderer.kubevirt.hyperconverged.admission import admit  # noqa: PLC0415 - few projects name the operator
    from renderer.kubevirt.hyperconverged.objects import make_objects  # noqa: PLC0415 - as above
    from renderer.kubevirt.hyperconverged.release import OLDEST, ClusterFacts, OperatorRelease  # noqa: PLC0415 - as above

    operator = OperatorRelease.deploying(release) or OLDEST
    stored = admit(_HYPERCONVERGED, operator, ClusterFacts())
    return make_objects(stored.content, stored.spec, operator).kubevirt.spec
