"""The order in which kustomize puts kinds (``kyaml/resid/gvk.go`` IsLessThan)."""

from __future__ import annotations

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


def kind_ranks(first: tuple[str, ...] = _FIRST, last: tuple[str, ...] = _LAST) -> dict[str, int]:
    """The rank of each kind that has one; all others rank 0."""
    ranks = {kind: index - len(first) for index, kind in enumerate(first)}
    return ranks | {kind: index + 1 for index, kind in enumerate(last)}


DEFAULT_RANKS = kind_ranks()


def gvk_sort_text(group: str, version: str, kind: str) -> str:
    """What kinds of one rank are ordered by; an empty part comes after all others."""
    return f"{group or '~G'}_{version or '~V'}_{kind or '~K'}"
