"""Objects whose update is refused: whether the engine deletes them and creates them again.

kustomize-controller does so for ``spec.force`` and for objects that ask for it (fluxcd/pkg
``ssa/manager_apply.go`` ``ForceSelector``); Argo CD for the sync option ``Force=true`` of the object or the
Application (gitops-engine ``pkg/sync/sync_context.go`` ``applyObject``).
"""

from __future__ import annotations

from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource

_FLUX_FORCE = "kustomize.toolkit.fluxcd.io/force"
_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
_FORCE = "Force=true"


def recreator_of(owner: Resource | None, refused: Resource) -> str:
    """Return what makes the engine replace the object, as a text for a message; empty if nothing does.

    ``owner`` is the Kustomization or Application that applies it, if it is known.
    """
    for metadata in (refused.annotations, refused.labels):
        if text_at(metadata, _FLUX_FORCE).lower() == "enabled":
            return f"Flux ({_FLUX_FORCE}: enabled)"
    options = {option.strip() for option in text_at(refused.annotations, _SYNC_OPTIONS).split(",")}
    if owner is None:
        return f"Argo CD ({_SYNC_OPTIONS}: {_FORCE})" if _FORCE in options else ""
    if is_flux_kustomization(owner):
        return "Flux (spec.force)" if object_at(owner.content, "spec").get("force") is True else ""
    options.update(map(str, array_at(owner.content, "spec", "syncPolicy", "syncOptions")))
    return f"Argo CD ({_FORCE})" if _FORCE in options else ""
