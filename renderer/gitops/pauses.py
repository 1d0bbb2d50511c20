"""Objects of engines that apply nothing for now: what is merged meanwhile arrives at once when they go on.

Flux's controllers leave an object with ``spec.suspend`` as it is (kustomize-controller
``internal/controller/kustomization_controller.go`` ``Reconcile``), the Flux operator one with its annotation,
and Argo CD an Application with ``argocd.argoproj.io/skip-reconcile`` (argo-cd ``controller/appcontroller.go``
``canProcessApp``). An Application without ``automated`` waits for somebody to sync it (``autoSync``). Flux
does not apply a change of an object with ``kustomize.toolkit.fluxcd.io/reconcile: disabled`` (fluxcd/pkg
``ssa/manager_apply.go`` ``shouldSkipApply``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.gitops.argocd.application import as_application, is_application
from renderer.gitops.flux.flux_operator import is_disabled, is_resource_set
from renderer.gitops.flux.kustomization import is_suspended
from renderer.golang.booleans import TRUE
from renderer.model.engines import FLUX_DOMAIN, FLUX_KUSTOMIZE_GROUP
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource

SKIP_RECONCILE = "argocd.argoproj.io/skip-reconcile"
_NOT_APPLIED = (("reconcile", "disabled"), ("ssa", "ignore"))


def pause_of(deployer: Resource) -> str:
    """Return the setting by which an object applies nothing; empty if its engine acts by itself."""
    if deployer.gvk.group.endswith(FLUX_DOMAIN):
        return "spec.suspend" if is_suspended(deployer) else ""
    if is_resource_set(deployer):
        return "reconcile: disabled" if is_disabled(deployer) else ""
    application = as_application(deployer)
    if not is_application(application):
        return ""
    if text_at(application.annotations, SKIP_RECONCILE) in TRUE:
        return SKIP_RECONCILE
    return "" if syncs_automatically(application) else "no automated syncs"


def syncs_automatically(application: Resource) -> bool:
    """Return True if Argo CD starts syncs of an Application by itself."""
    policy = object_at(application.content, "spec", "syncPolicy")
    return policy.get("automated") is not None and object_at(policy, "automated").get("enabled") is not False


def is_resumed(before: Resource, after: Resource) -> bool:
    """Return True if an object applies nothing before a change, and everything after it."""
    return bool(pause_of(before)) and not pause_of(after)


def resumptions(before: Resource, after: Resource) -> Iterator[str]:
    """Yield why more than a change arrives with it: what an object, or a change of it, kept back."""
    label = f"{after.kind} {after.name}"
    if is_resumed(before, after):
        yield f"{label} had {pause_of(before)}: earlier changes that it did not apply arrive now"
    kept = _exemption(before)
    if kept and not _exemption(after):
        yield f"{label} had {kept}: earlier changes of it that were not applied arrive now"


def _exemption(deployer: Resource) -> str:
    """Return the annotation or label by which Flux does not apply an object; empty if it does."""
    for key, value in _NOT_APPLIED:
        for metadata in (deployer.annotations, deployer.labels):
            if text_at(metadata, f"{FLUX_KUSTOMIZE_GROUP}/{key}").lower() == value:
                return f"{FLUX_KUSTOMIZE_GROUP}/{key}"
    return ""
