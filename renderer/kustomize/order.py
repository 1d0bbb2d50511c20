"""The order of resources in the output.

kustomize ``SortOrderTransformer.go``, ``kyaml/resid/gvk.go`` IsLessThan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import SortOptions
from renderer.model.text_enum import TextEnum

_FIRST = (
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
)
_LAST = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_LEGACY, _FIFO = "legacy", "fifo"


class Reorder(TextEnum):
    """The values of ``--reorder``."""

    LEGACY = "legacy"
    NONE = "none"


def kind_ranks(first: tuple[str, ...] = _FIRST, last: tuple[str, ...] = _LAST) -> dict[str, int]:
    """Return the rank of each kind that has one; all other kinds have rank 0."""
    ranks = {kind: index - len(first) for index, kind in enumerate(first)}
    return ranks | {kind: index + 1 for index, kind in enumerate(last)}


DEFAULT_RANKS = kind_ranks()


def gvk_sort_text(group: str, version: str, kind: str) -> str:
    """Return the text by which kinds of one rank are ordered; an empty part sorts last."""
    return f"{group or '~G'}_{version or '~V'}_{kind or '~K'}"


def sort_order(options: SortOptions | None) -> Callable[[Iterable[Resource]], tuple[Resource, ...]]:
    """Return the function that sorts resources by ``sortOptions``, or in legacy order.

    Raises: kustomization-field.
    """
    if options is None:
        return in_legacy_order
    if options.order not in (_LEGACY, _FIFO):
        raise Diagnostic.at(
            options.site.below("order"),
            Code.KUSTOMIZATION_FIELD,
            f"order cannot be {options.order!r}",
            f"one of {_LEGACY}, {_FIFO}",
        ).error()
    if options.order == _FIFO:
        if options.legacy:
            message = f"legacySortOptions requires order: {_LEGACY}"
            raise Diagnostic.at(
                options.site.below("legacySortOptions"),
                Code.KUSTOMIZATION_FIELD,
                message,
                "remove it, or change order",
            ).error()
        return tuple
    if options.legacy is None:
        return in_legacy_order
    ranks = kind_ranks(options.legacy.first, options.legacy.last)
    return lambda resources: in_legacy_order(resources, ranks)


def in_legacy_order(
    resources: Iterable[Resource], ranks: Mapping[str, int] = DEFAULT_RANKS
) -> tuple[Resource, ...]:
    """Return the resources by the rank of their kind, then kind, then namespace and name.

    Missing parts sort last.
    """
    return tuple(sorted(resources, key=lambda resource: _sort_key(resource, ranks)))


def _sort_key(resource: Resource, ranks: Mapping[str, int]) -> tuple[int, bool, str, str]:
    gvk = resource.gvk
    # Kubernetes' own Namespace comes before Namespaces of other groups, if the order contains it.
    is_core_namespace = gvk.kind in ranks and gvk.kind == "Namespace" and not gvk.group
    kind = ".".join((gvk.kind or "[noKind]", gvk.version or "[noVer]", gvk.group or "[noGrp]"))
    return (
        ranks.get(gvk.kind, 0),
        not is_core_namespace,
        gvk_sort_text(gvk.group, gvk.version, gvk.kind),
        f"{kind}|{resource.namespace or '~X'}|{resource.name or '~N'}",
    )
