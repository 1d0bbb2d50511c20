"""Policies that single objects set for the engine that deploys them, in annotations and labels.

kustomize-controller ``internal/controller/kustomization_controller.go`` (``apply``, ``prune``), whose
selectors look at labels as well as at annotations; argo-cd ``docs/user-guide/sync-options.md`` and
``compare-options.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.diff.live.managed_fields import Owner
from renderer.model.json import text_at
from renderer.model.resource import Resource

_FLUX = "kustomize.toolkit.fluxcd.io"
_LEFT_ALONE = (("reconcile", "disabled"), ("ssa", "ignore"))
_FLUX_VALUES = {"disabled": "disabled", "ignore": "Ignore", "ifnotpresent": "IfNotPresent"}
#: Annotations by which Argo CD leaves an object that Git has no longer.
_NOT_PRUNED = (
    ("argocd.argoproj.io/compare-options", "IgnoreExtraneous"),
    ("argocd.argoproj.io/sync-options", "Prune=false"),
    ("argocd.argoproj.io/sync-options", "Prune=confirm"),
)
#: Managers whose fields kustomize-controller takes away: all that begin so.
_UNDONE = ("kubectl", "before-first-apply")


class FluxPolicy(NamedTuple):
    """The policy of an object for Flux: ``ignores`` says why Flux leaves it alone; it is empty otherwise.

    ``merges``: fields that kubectl has added stay.
    """

    ignores: str = ""
    merges: bool = False


def flux_policy(written: Resource, live: Resource | None) -> FluxPolicy:
    """Return the policy of Flux for an object of Git; ``live`` is that of the cluster, if it is there."""
    for key, value in _flux_metadata(written, live):
        if (key, value) in _LEFT_ALONE or (live is not None and (key, value) == ("ssa", "ifnotpresent")):
            return FluxPolicy(f"{_FLUX}/{key}: {_FLUX_VALUES[value]}")
        if (key, value) == ("ssa", "merge"):
            return FluxPolicy(merges=True)
    return FluxPolicy()


def _flux_metadata(*resources: Resource | None) -> Iterator[tuple[str, str]]:
    for resource in resources:
        for metadata in () if resource is None else (resource.annotations, resource.labels):
            for key in ("reconcile", "ssa"):
                value = text_at(metadata, f"{_FLUX}/{key}").lower()
                if value:
                    yield key, value


def is_undone_by_flux(live: Resource, owner: Owner) -> bool:
    """Tell whether Flux takes away what a manager has added to an object that it deploys."""
    return bool(text_at(live.labels, f"{_FLUX}/name")) and owner.manager.startswith(_UNDONE)


def prune_exemption(live: Resource) -> str:
    """Return why an object that Git has no longer is not pruned; empty where it is."""
    for key in ("prune", "reconcile"):
        values = (text_at(each, f"{_FLUX}/{key}").lower() for each in (live.annotations, live.labels))
        if "disabled" in values:
            return f"{_FLUX}/{key}: disabled"
    for key, wanted in _NOT_PRUNED:
        options = [option.strip() for option in text_at(live.annotations, key).split(",")]
        if wanted in options:
            return f"{key}: {wanted}"
    return ""
