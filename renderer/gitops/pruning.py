"""VMs that move from one Kustomization or Application to another: whether the old one may delete them.

kustomize-controller deletes an object that left a Kustomization, or whose Kustomization is removed, if its
labels in the cluster still name that Kustomization (``internal/controller/kustomization_controller.go``
``prune`` and ``finalize`` select by ``GetOwnerLabels``; fluxcd/pkg ``ssa/manager_delete.go``). The new one
writes these labels when it applies the object. Nothing orders the two, so that the old one may be first. The
annotation ``kustomize.toolkit.fluxcd.io/prune: disabled`` is read from the object in the cluster, too
(https://fluxcd.io/flux/faq/#how-can-i-safely-move-resources-from-one-dir-to-another).

Argo CD does the same with its tracking id, if the Application prunes automatically (gitops-engine
``pkg/sync/sync_context.go`` ``pruneObject``: ``Prune=false``), or if it is removed and has the finalizer
(argo-cd ``controller/appcontroller.go`` ``shouldBeDeleted``: ``Delete=false``).
"""

from __future__ import annotations

from renderer.gitops.argocd.application import is_application
from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource

_FLUX = "kustomize.toolkit.fluxcd.io"
_SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
_FINALIZER = "resources-finalizer.argocd.argoproj.io"
_DELETING = ("Delete", "WaitForTermination")


def exemption_needed(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    """Return the annotation without which ``owner`` may delete an object that another one takes over.

    Empty if it does not delete it. ``may_be_gone``: the Kustomization or Application may be removed, too.
    """
    if is_flux_kustomization(owner):
        return _flux_exemption(owner, moved, may_be_gone=may_be_gone)
    return _argocd_exemption(owner, moved, may_be_gone=may_be_gone) if is_application(owner) else ""


def _flux_exemption(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    spec = object_at(owner.content, "spec")
    deletes = may_be_gone and text_at(spec, "deletionPolicy") in _DELETING
    if spec.get("prune") is not True and not deletes:
        return ""
    for key in ("prune", "reconcile"):
        values = (text_at(each, f"{_FLUX}/{key}") for each in (moved.annotations, moved.labels))
        if any(value.lower() == "disabled" for value in values):
            return ""
    return f"{_FLUX}/prune: disabled"


def _argocd_exemption(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    automated = object_at(owner.content, "spec", "syncPolicy", "automated")
    prunes = automated.get("prune") is True and automated.get("enabled") is not False
    finalizers = array_at(owner.content, "metadata", "finalizers")
    deletes = may_be_gone and any(str(each).partition("/")[0] == _FINALIZER for each in finalizers)
    present = {option.strip() for option in text_at(moved.annotations, _SYNC_OPTIONS).split(",")}
    needed = [
        *(["Prune=false"] if prunes and present.isdisjoint(("Prune=false", "Prune=confirm")) else []),
        *(["Delete=false"] if deletes and present.isdisjoint(("Delete=false", "Delete=confirm")) else []),
    ]
    return f"{_SYNC_OPTIONS}: {','.join(needed)}" if needed else ""
