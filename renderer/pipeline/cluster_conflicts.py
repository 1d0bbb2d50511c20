"""Objects that cannot both be in one cluster: two KubeVirt objects, or one instance type with two specs.

virt-operator refuses a second ``KubeVirt`` object (KubeVirt ``pkg/virt-operator/webhooks``, "Kubevirt is
already created"), and the HyperConverged operator makes one of its only object. Of an instance type or
preference, a cluster has one of each name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from renderer.kubevirt.facts.kinds import (
    CLUSTER_KINDS,
    HYPERCONVERGED,
    KUBEVIRT,
    MATCHER_TYPE_OF,
    configures_kubevirt,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource, ResourceSet, UnreadResources
from renderer.model.render_config import PROJECT_FILE

_HINT = f"remove one of them; or, if they are of two clusters, list both under clusters in {PROJECT_FILE}"
_NAME = FieldPath.of("metadata", "name")


def excludes_others(resource: Resource) -> bool:
    """Return True for an object that a cluster has at most once."""
    return configures_kubevirt(resource) or resource.kind in MATCHER_TYPE_OF


def conflicts_among(resources: Iterable[Resource], cluster: str) -> Iterator[Diagnostic]:
    """Yield an error about each of ``resources`` that contradicts one earlier in their files."""
    first: dict[tuple[str, ...], Resource] = {}
    # Composed objects are in another order with each engine.
    in_order = sorted(filter(excludes_others, resources), key=lambda each: each.origin.document_place)
    for resource in in_order:
        other = first.setdefault(_place(resource), resource)
        if not _agree(other, resource):
            yield _conflict(resource, other, cluster)


def conflicts_of_catalogs(catalogs: Sequence[tuple[int, ResourceSet]], cluster: str) -> Iterator[Diagnostic]:
    """Yield an error about each object of a catalog that contradicts one of another catalog.

    Each comes with its distance, nearer ones first; an object of a nearer catalog is not contradicted.
    """
    names = [name for _, resources in catalogs for name in _names(resources)]
    if len(names) == len(set(names)):  # almost always, and known without reading the objects
        return
    decided: set[tuple[str, ...]] = set()
    for _, group in groupby(catalogs, key=lambda each: each[0]):
        objects = [each for _, resources in group for each in resources if excludes_others(each)]
        undecided = [each for each in objects if _place(each) not in decided]
        yield from conflicts_among(undecided, cluster)
        decided.update(map(_place, undecided))


def _names(resources: ResourceSet) -> Iterator[tuple[str, str]]:
    """Yield kind and name of objects that exclude others; of one that configures KubeVirt, only that."""
    found = (
        resources.keys
        if isinstance(resources, UnreadResources)
        else ((each.kind, each.name) for each in resources)
    )
    for kind, name in found:
        if kind in (KUBEVIRT, HYPERCONVERGED):
            yield KUBEVIRT, ""
        elif kind in MATCHER_TYPE_OF:
            yield kind, name


def conflicts_with(
    resources: Iterable[Resource], others: Iterable[Resource], cluster: str
) -> Iterator[Diagnostic]:
    """Yield an error about each of ``resources`` that contradicts one of ``others``."""
    known: dict[tuple[str, ...], Resource] = {}
    for each in filter(excludes_others, others):
        known.setdefault(_place(each), each)
    for resource in resources:
        other = known.get(_place(resource))
        if other is not None and not _agree(other, resource):
            yield _conflict(resource, other, cluster)


def _place(resource: Resource) -> tuple[str, ...]:
    """Return what only one object of a cluster can have: what it configures, or its name."""
    if configures_kubevirt(resource):
        return (KUBEVIRT,)
    namespace = "" if resource.kind in CLUSTER_KINDS else resource.namespace
    return resource.kind, namespace, resource.name


def _agree(one: Resource, other: Resource) -> bool:
    """Return True if two objects say the same; what a cluster writes into them does not count."""
    is_same_object = (one.namespace, one.name) == (other.namespace, other.name)
    return is_same_object and one.content.get("spec") == other.content.get("spec")


def _conflict(resource: Resource, other: Resource, cluster: str) -> Diagnostic:
    of_cluster = f"the cluster {cluster}" if cluster else "one cluster"
    if configures_kubevirt(resource):
        names = dict.fromkeys(namespaced_name(each.namespace, each.name) for each in (other, resource))
        message = f"{of_cluster} cannot have two {resource.kind} objects: {' and '.join(names)}"
        message += " with two specs" if len(names) == 1 else ""
        if other.kind != resource.kind:
            both = sorted(str(each.current_id) for each in (other, resource))
            message = f"{of_cluster} cannot have both {both[0]}, of which KubeVirt is made, and {both[1]}"
    else:
        message = f"{of_cluster} cannot have two {resource.kind}s {resource.name} with two specs"
    return Diagnostic.about(
        resource,
        _NAME,
        Code.CLUSTER_CONFLICT,
        message,
        _HINT,
        related=(Related("the other one is here", other.sites(_NAME)[-1:]),),
    )
