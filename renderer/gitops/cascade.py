"""A removed object that deploys others: whether its engine deletes them as well.

helm-controller uninstalls the release of a HelmRelease, kustomize-controller and the Flux operator delete
what is in their inventories, and Argo CD what an Application with its finalizer has deployed. An
ApplicationSet owns its Applications, which have that finalizer unless the set says otherwise (argo-cd
``applicationset/utils/utils.go`` RenderTemplateParams). What they have deployed may not be in the repository.
"""

from __future__ import annotations

from renderer.gitops.argocd.application import as_application, is_application, is_application_set
from renderer.gitops.flux.flux_operator import is_disabled
from renderer.gitops.flux.kustomization import is_flux_kustomization, is_suspended
from renderer.gitops.pruning import deletes_with_itself, keeps_what_it_made
from renderer.model.difference import Effect, Impact
from renderer.model.engines import CASCADE_FINALIZER, FLUX_DOMAIN, FLUX_OPERATOR_GROUP, K3S_HELM_GROUP
from renderer.model.kube.json import array_at, object_at
from renderer.model.kube.resource import Resource


def removal_impact(removed: Resource) -> Impact | None:
    """Return the impact of removing an object that deploys others; None if they stay, or if it has none."""
    reason, source = _cascade(removed)
    return Impact(Effect.MAY_DELETE, reason, source) if reason else None


def _cascade(removed: Resource) -> tuple[str, str]:
    """Return what is deleted with an object, and where its engine does so; empty if nothing is."""
    group, kind = removed.gvk.group, removed.kind
    if is_flux_kustomization(removed) and deletes_with_itself(removed):
        source = "kustomize-controller internal/controller/kustomization_controller.go finalize"
        return "Flux deletes what it has deployed", source
    if kind == "HelmRelease" and group == f"helm{FLUX_DOMAIN}" and not is_suspended(removed):
        source = "helm-controller internal/controller/helmrelease_controller.go reconcileDelete"
        return "Flux uninstalls the release, with all that the chart has made", source
    if kind == "HelmChart" and group == K3S_HELM_GROUP:
        return "the chart is uninstalled, with all that it has made", "helm-controller of k3s OnRemove"
    if kind == "ResourceSet" and group == FLUX_OPERATOR_GROUP:
        if is_disabled(removed):
            return "", ""
        source = "flux-operator internal/controller/resourceset_controller.go uninstall"
        return "the Flux operator deletes what it has deployed", source
    if is_application(removed) and deletes_with_itself(removed):
        source = "argo-cd controller/appcontroller.go finalizeApplicationDeletion"
        return f"Argo CD deletes what it has deployed ({CASCADE_FINALIZER})", source
    if is_application_set(removed) and _set_cascades(removed):
        source = "argo-cd applicationset/utils/utils.go RenderTemplateParams"
        return "Argo CD deletes its Applications, with what they have deployed", source
    return "", ""


def _set_cascades(removed: Resource) -> bool:
    application = as_application(removed)
    if keeps_what_it_made(removed, application):
        return False
    if array_at(application.content, "metadata", "finalizers"):
        return deletes_with_itself(application)
    return object_at(removed.content, "spec", "syncPolicy").get("preserveResourcesOnDeletion") is not True
