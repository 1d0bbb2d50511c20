"""The ``KubeVirt`` object of a cluster: written, made by the HyperConverged operator, or a product's own."""

# ruff: noqa: PLC0415 - few repositories have a HyperConverged object, or name its operator

from __future__ import annotations

from functools import lru_cache

from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    HYPERCONVERGED_GROUP,
    HYPERCONVERGED_NAME,
    KUBEVIRT,
    is_hyperconverged,
)
from renderer.kubevirt.facts.products import Configuration, configuration_of, product_release
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.release import Release

#: Whose spec is empty, as in a cluster where nobody has changed it.
_HYPERCONVERGED: JsonObject = {
    "apiVersion": "hco.kubevirt.io/v1beta1",
    "kind": HYPERCONVERGED,
    "metadata": {"name": HYPERCONVERGED_NAME, "namespace": HYPERCONVERGED_NAME},
    "spec": {},
}


def find_configuring(catalog: Catalog) -> Resource | None:
    """Return the object that configures KubeVirt: the ``KubeVirt`` object, or else the HyperConverged one."""
    return next((each for kind in (KUBEVIRT, HYPERCONVERGED) for each in catalog.of_kind(kind)), None)


def kubevirt_of(resource: Resource, release: Release) -> Resource:
    """Return a ``KubeVirt`` object as it is, and for a HyperConverged object the one that is made of it.

    The latter has the place of the HyperConverged object.
    """
    if not is_hyperconverged(resource):
        return resource
    return resource._replace(content=_made(resource.content, release), spellings=(), shared_fields=())


@lru_cache
def default_kubevirt(release: Release) -> JsonObject:
    """Return the object that the product of a target release deploys by default; empty if it is not known.

    It has what the product sets: without a product, a cluster has KubeVirt's own defaults.
    """
    match configuration_of(release):
        case Configuration.HYPERCONVERGED:
            return _made(_HYPERCONVERGED, release)
        case Configuration.CHART:
            row = product_release(release)
            gates = list(row.feature_gates) if row else []
            return _kubevirt({"configuration": {"developerConfiguration": {"featureGates": gates}}})
        case Configuration.USER:
            return EMPTY


def _kubevirt(spec: JsonObject) -> JsonObject:
    return {"apiVersion": "kubevirt.io/v1", "kind": KUBEVIRT, "metadata": {"name": "kubevirt"}, "spec": spec}


@once_for_same
def _made(hyperconverged: JsonObject, release: Release) -> JsonObject:
    """Return what the operator that deploys a release of KubeVirt makes of a HyperConverged object.

    The cluster is assumed to be a highly available OpenShift on amd64. Of an object that is refused, which is
    reported where it is checked, the operator makes what it makes of one without settings.
    """
    from renderer.kubevirt.hyperconverged.admission import admit
    from renderer.kubevirt.hyperconverged.object_fields import V1, V1BETA1, version_of
    from renderer.kubevirt.hyperconverged.release import OLDEST, OperatorFacts, OperatorRelease
    from renderer.kubevirt.hyperconverged.structural_schema import structural_schema

    operator = OperatorRelease.deploying(release) or OLDEST
    if structural_schema(operator, version_of(hyperconverged)) is None:
        # Reported where the object is checked; what it says still counts, so that no other error follows.
        gates = object_at(hyperconverged, "spec").get("featureGates")
        version = V1 if isinstance(gates, list) else V1BETA1
        hyperconverged = {**hyperconverged, "apiVersion": f"{HYPERCONVERGED_GROUP}/{version}"}
    if structural_schema(operator, version_of(hyperconverged)) is not None:
        made = admit(hyperconverged, operator, OperatorFacts()).made
        if made:
            return _kubevirt(made.kubevirt.spec)
    return _made(_HYPERCONVERGED, release)
