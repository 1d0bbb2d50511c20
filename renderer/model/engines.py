"""The API groups of Flux and Argo CD, and the finalizer of Argo CD's Applications."""

from __future__ import annotations

#: The end of the API groups of all of Flux's controllers.
FLUX_DOMAIN = ".toolkit.fluxcd.io"
FLUX_KUSTOMIZE_GROUP = f"kustomize{FLUX_DOMAIN}"
FLUX_SOURCE_GROUP = f"source{FLUX_DOMAIN}"
FLUX_OPERATOR_GROUP = "fluxcd.controlplane.io"
ARGOCD_GROUP = "argoproj.io"
#: With it, Argo CD deletes the objects of an Application that is deleted.
CASCADE_FINALIZER = "resources-finalizer.argocd.argoproj.io"
