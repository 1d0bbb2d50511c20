"""Objects that leave Git: whether their engine deletes them, also those that move to another one.

kustomize-controller deletes an object that left a Kustomization, or whose Kustomization is removed, if its
labels in the cluster still name that Kustomization (``internal/controller/kustomization_controller.go``
``prune`` and ``finalize`` select by ``GetOwnerLabels``; fluxcd/pkg ``ssa/manager_delete.go``). The new one
writes these labels when it applies the object. Nothing orders the two, so that the old one may be first. The
annotation ``kustomize.toolkit.fluxcd.io/prune: disabled`` is read from the object in the cluster, too
(https://fluxcd.io/flux/faq/#how-can-i-safely-move-resources-from-one-dir-to-another).

Argo CD does the same with its tracking id, if the Application prunes automatically (gitops-engine
``pkg/sync/sync_context.go`` ``pruneObject``: ``Prune=false``), or if it is removed and has the finalizer
(argo-cd ``controller/appcontroller.go`` ``shouldBeDeleted``: ``Delete=false``, Helm's ``keep``, and never a
CRD). Both options may be of the Application; that of an object comes first. A sync that somebody starts, by
hand or with ``operation`` in Git, prunes if it says so, and has its own options.
A set that is removed, or that no longer makes an Application, deletes this, unless its policy says otherwise
(argo-cd ``applicationset/controllers`` ``Reconcile``, ``deleteInCluster``). The Flux operator deletes what a
ResourceSet has applied and no longer makes, by its labels (flux-operator
``internal/controller/resourceset_controller.go`` ``apply``, ``uninstall``).
A Kustomization that is removed deletes what its ``deletionPolicy`` says, and nothing while it is suspended
(kustomize-controller ``finalizerShouldDeleteResources``).
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.gitops.argocd.application import is_application, is_application_set
from renderer.gitops.argocd.requested_sync import options_of_request, requests_pruning
from renderer.gitops.flux.flux_operator import is_disabled, is_resource_set
from renderer.gitops.flux.kustomization import is_flux_kustomization, is_suspended
from renderer.gitops.pauses import syncs_automatically
from renderer.model.engines import CASCADE_FINALIZER, FLUX_KUSTOMIZE_GROUP, FLUX_OPERATOR_GROUP
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.sync_options import SYNC_OPTIONS_ANNOTATION, options_of_application, options_of_object

_DELETING = ("Delete", "WaitForTermination")
_ORPHAN = "Orphan"
#: The policies of an ApplicationSet that let it delete Applications; the first is the default.
_POLICIES_THAT_DELETE = ("sync", "create-delete")
_POLICIES_THAT_UPDATE = ("", "sync", "create-update")
_OPERATOR_PRUNE = f"{FLUX_OPERATOR_GROUP}/prune"
_HELM_POLICY = "helm.sh/resource-policy"


def retention_of(owner: Resource | None, removed: Resource, *, is_gone: bool) -> str:
    """Return why nothing deletes an object that Git no longer has; empty if it is deleted.

    ``owner`` is the Kustomization or Application that has applied it, if it is known, and ``is_gone`` says
    that Git no longer has that either. The annotations are those that the cluster has: of the side before.
    Without a known owner, an annotation that one engine knows does not keep the other one from deleting.
    """
    if owner is None:
        by_flux, by_argocd = _flux_retention(removed), _argocd_retention(removed, "Prune")
        return f"{by_flux} and {by_argocd}" if by_flux and by_argocd else ""
    if is_flux_kustomization(owner):
        kept = _kept_by_kustomization(owner, is_gone=is_gone)
        if kept:
            return kept
        return _flux_retention(removed)
    if is_resource_set(owner):
        return f"its {_OPERATOR_PRUNE}: disabled" if _is_kept_by_operator(removed) else ""
    if not is_application(owner):
        return ""
    if not is_gone:
        return _argocd_retention(removed, "Prune", owner) or without_pruning(owner)
    if not _has_finalizer(owner):
        return f"{owner.kind} {owner.name} has no finalizer {CASCADE_FINALIZER}"
    if removed.kind == "CustomResourceDefinition":
        return f"{owner.kind} {owner.name} deletes no definition with itself"
    if text_at(removed.annotations, _HELM_POLICY) == "keep":
        return f"its annotation {_HELM_POLICY}: keep"
    return _argocd_retention(removed, "Delete", owner)


def deletes_with_itself(owner: Resource) -> bool:
    """Return True if a Kustomization or Application that is removed deletes what it has deployed."""
    if is_flux_kustomization(owner):
        return not _kept_by_kustomization(owner, is_gone=True)
    return _has_finalizer(owner)


def _kept_by_kustomization(owner: Resource, *, is_gone: bool) -> str:
    spec = object_at(owner.content, "spec")
    label = f"{owner.kind} {owner.name}"
    policy = text_at(spec, "deletionPolicy") if is_gone else ""
    if is_gone and is_suspended(owner):
        return f"{label} is suspended"
    if policy == _ORPHAN or (policy not in _DELETING and spec.get("prune") is not True):
        setting = f"deletionPolicy: {_ORPHAN}" if policy == _ORPHAN else "no prune: true"
        return f"{label} has {setting}"
    return ""


def prunes_automatically(application: Resource) -> bool:
    """Return True if an Application prunes with its automated syncs."""
    is_kept = {"Prune=false", "Prune=confirm"} & {*options_of_application(application)}
    return _has_automated_pruning(application) and not is_kept


def _has_automated_pruning(application: Resource) -> bool:
    automated = object_at(application.content, "spec", "syncPolicy", "automated")
    return automated.get("prune") is True and syncs_automatically(application)


def without_pruning(application: Resource) -> str:
    """Return why the automated syncs of an Application prune nothing; empty if they do, or if it has none."""
    automated = object_at(application.content, "spec", "syncPolicy").get("automated")
    settings = object_at(automated)
    prunes = (
        settings.get("prune") is True or settings.get("enabled") is False or requests_pruning(application)
    )
    has_reason = automated is not None and not prunes
    return f"{application.kind} {application.name} has no automated.prune: true" if has_reason else ""


def _flux_retention(removed: Resource) -> str:
    key = _flux_annotation(removed)
    return f"its {FLUX_KUSTOMIZE_GROUP}/{key}: disabled" if key else ""


def _argocd_retention(removed: Resource, key: str, owner: Resource | None = None) -> str:
    """Return the sync option that keeps an object: its own, or without one that of its Application."""
    own = _option(options_of_object(removed), key)
    if own:
        return f"its annotation {SYNC_OPTIONS_ANNOTATION}: {key}=false" if own == "false" else ""
    if owner is None or _option(_options_of_syncs(owner, key), key) != "false":
        return ""
    return f"{owner.kind} {owner.name} has the sync option {key}=false"


def _options_of_syncs(application: Resource, key: str) -> tuple[str, ...]:
    """Return the options of the syncs that prune, or for another ``key`` those of the Application."""
    is_requested = key == "Prune" and requests_pruning(application)
    return options_of_request(application) if is_requested else options_of_application(application)


def _option(options: Iterable[str], key: str) -> str:
    """Return the value of a sync option, the first one that has it; empty without any."""
    return next((each.removeprefix(f"{key}=") for each in options if each.startswith(f"{key}=")), "")


def _flux_annotation(resource: Resource) -> str:
    """Return the name of the annotation or label that makes Flux leave an object; empty without one."""
    for key in ("prune", "reconcile"):
        values = (
            text_at(each, f"{FLUX_KUSTOMIZE_GROUP}/{key}") for each in (resource.annotations, resource.labels)
        )
        if any(value.lower() == "disabled" for value in values):
            return key
    return ""


def _has_finalizer(application: Resource) -> bool:
    finalizers = array_at(application.content, "metadata", "finalizers")
    return any(str(each).partition("/")[0] == CASCADE_FINALIZER for each in finalizers)


def exemption_needed(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    """Return the annotation without which ``owner`` may delete an object that another one takes over.

    Empty if it does not delete it. ``may_be_gone``: the Kustomization or Application may be removed, too.
    """
    if is_flux_kustomization(owner):
        return _flux_exemption(owner, moved, may_be_gone=may_be_gone)
    if is_resource_set(owner):
        return "" if keeps_what_it_made(owner, moved) else f"{_OPERATOR_PRUNE}: disabled"
    return _argocd_exemption(owner, moved, may_be_gone=may_be_gone) if is_application(owner) else ""


def exemption_from_removal(owner: Resource, object_: Resource) -> str:
    """Return the annotation without which an object is deleted when its Kustomization or Application is.

    Empty if it is not deleted.
    """
    if is_flux_kustomization(owner):
        spec = object_at(owner.content, "spec")
        if is_suspended(owner) or text_at(spec, "deletionPolicy") == _ORPHAN:
            return ""
        return _flux_exemption(owner, object_, may_be_gone=True)
    every = (*options_of_object(object_), *options_of_application(owner))
    is_kept = not _has_finalizer(owner) or _option(every, "Delete") in ("false", "confirm")
    return "" if is_kept else f"{SYNC_OPTIONS_ANNOTATION}: Delete=false"


def keeps_what_it_made(maker: Resource, made: Resource) -> bool:
    """Return True if a set does not delete what it has made when it is removed or no longer makes it."""
    if is_application_set(maker):
        return bool(policy := policy_of_set(maker)) and policy not in _POLICIES_THAT_DELETE
    return is_disabled(maker) or _is_kept_by_operator(made)


def policy_of_set(application_set: Resource) -> str:
    """Return what an ApplicationSet may do to its Applications; empty for the default, everything."""
    return text_at(application_set.content, "spec", "syncPolicy", "applicationsSync")


def updates_what_it_made(application_set: Resource) -> bool:
    """Return True if an ApplicationSet updates the Applications that it has made."""
    return policy_of_set(application_set) in _POLICIES_THAT_UPDATE


def _is_kept_by_operator(made: Resource) -> bool:
    return any(
        text_at(each, _OPERATOR_PRUNE).lower() == "disabled" for each in (made.annotations, made.labels)
    )


def _flux_exemption(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    spec = object_at(owner.content, "spec")
    deletes = may_be_gone and text_at(spec, "deletionPolicy") in _DELETING
    if spec.get("prune") is not True and not deletes:
        return ""
    return "" if _flux_annotation(moved) else f"{FLUX_KUSTOMIZE_GROUP}/prune: disabled"


def _argocd_exemption(owner: Resource, moved: Resource, *, may_be_gone: bool) -> str:
    prunes = _has_automated_pruning(owner)
    needed = [
        f"{key}=false"
        for key, may_happen in (
            ("Prune", prunes or requests_pruning(owner)),
            ("Delete", may_be_gone and _has_finalizer(owner)),
        )
        if may_happen
        and _option((*options_of_object(moved), *_options_of_syncs(owner, key)), key)
        not in ("false", "confirm")
    ]
    return f"{SYNC_OPTIONS_ANNOTATION}: {','.join(needed)}" if needed else ""
