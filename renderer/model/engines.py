"""The API groups of Flux and Argo CD, and the annotations of theirs that several districts read."""

from __future__ import annotations

#: The end of the API groups of all of Flux's controllers.
FLUX_DOMAIN = ".toolkit.fluxcd.io"
FLUX_KUSTOMIZE_GROUP = f"kustomize{FLUX_DOMAIN}"
FLUX_SOURCE_GROUP = f"source{FLUX_DOMAIN}"
FLUX_OPERATOR_GROUP = "fluxcd.controlplane.io"
ARGOCD_GROUP = "argoproj.io"

#: The prefix of Argo CD's annotations and labels.
_ARGOCD = "argocd.argoproj.io"
HOOK_ANNOTATION = f"{_ARGOCD}/hook"
SYNC_WAVE_ANNOTATION = f"{_ARGOCD}/sync-wave"
#: With it, Argo CD deletes the objects of an Application that is deleted.
CASCADE_FINALIZER = "resources-finalizer.argocd.argoproj.io"
