"""Objects that an engine deletes and creates again, where it cannot update them or always.

kustomize-controller does so for ``spec.force`` and for objects that ask for it, in Git or in the cluster
(fluxcd/pkg ``ssa/manager_apply.go`` ``shouldForceApply``). Argo CD does so for the sync option ``Force=true``
of the object or the Application, with which it runs ``kubectl apply --force`` (gitops-engine
``sync_context.go`` ``applyObject``), but not with ``ServerSideApply=true``, where kubectl only forces
conflicts (``resource_ops.go`` ``newApplyOptions``). With ``Replace=true`` as well it runs ``kubectl replace
--force``, which deletes the object at each change; CRDs and Namespaces are updated instead. It deletes hooks
and creates them at each sync (``docs/user-guide/resource_hooks.md``), but does not create those of no phase
again.

Both take the answer 422 Invalid for a reason to do so (``ssa/errors/immutable.go`` ``IsImmutableError``;
kubectl ``pkg/cmd/apply/patcher.go`` ``Patch``), even if the object cannot be created either.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.gitops.argocd.application import as_application
from renderer.gitops.argocd.requested_sync import options_of_request
from renderer.gitops.flux.kustomization import is_flux_kustomization
from renderer.gitops.pruning import prunes_automatically
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.lost_objects import may_hold_data
from renderer.model.difference import Effect, Impact
from renderer.model.engines import FLUX_KUSTOMIZE_GROUP, INSTANCE_LABEL, TRACKING_ID
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.sync_options import (
    FORCE,
    NOT_SERVER_SIDE,
    REPLACE,
    SERVER_SIDE,
    SYNC_OPTIONS_ANNOTATION,
    is_hook,
    is_hook_of_no_phase,
    options_of_application,
    options_of_object,
)

_FLUX_FORCE = f"{FLUX_KUSTOMIZE_GROUP}/force"
_UPDATED = ("CustomResourceDefinition", "Namespace")
_AT_EACH_SYNC = "Argo CD deletes the hook and creates it again at each sync"
_NEVER = "Argo CD takes it for a hook of no phase: it deletes the object, and does not create it again"
_IGNORED_SOURCE = "argo-cd gitops-engine/pkg/sync/reconcile.go splitHooks"
#: What hooks are for: these run and end.
_RUN_AS_HOOKS = frozenset({"Job", "Pod", "Workflow"})
_FLUX_SOURCE = "fluxcd/pkg ssa/manager_apply.go shouldForceApply"
_ARGOCD_SOURCE = "argo-cd gitops-engine/pkg/sync/sync_context.go applyObject"
_REPLACED = Impact(
    Effect.PENDING,
    f"{REPLACE}: Argo CD replaces the object with each sync, without what only the cluster has, such as"
    " a firmware UUID or MAC addresses: the guest may see others from its next start on",
    _ARGOCD_SOURCE,
)
#: What it means to delete and create an object of a kind; any other is lost with what it holds.
_LOSSES: Mapping[str, str] = {
    **dict.fromkeys(("DaemonSet", "Deployment", "Pod", "ReplicaSet", "StatefulSet"), "with its pods"),
    "ConfigMap": "with the same name",
    "Job": "so that it runs again",
    "Secret": "with the same name",
    "Service": "maybe with another address",
}


def recreation(
    owner: Resource | None, before: Resource, after: Resource, *, is_refused: bool
) -> Impact | None:
    """Return the impact of an engine that replaces or deletes a changed object; None if it updates it.

    ``owner`` is the Kustomization or Application that applies it, if it is known. ``is_refused``: the cluster
    does not let the object be updated.
    """
    if (owner is None or not is_flux_kustomization(owner)) and is_hook(after):
        if is_hook_of_no_phase(after):
            effect = Effect.DELETED if may_hold_data(before) else Effect.RECREATED
            effect = Effect.NONE if is_hook_of_no_phase(before) else effect
            return Impact(effect, _NEVER, _IGNORED_SOURCE)
        return Impact(_effect_on_hook(before, after), _AT_EACH_SYNC, _ARGOCD_SOURCE)
    recreator = _recreator(owner, before, after, is_refused=is_refused)
    if not recreator:
        return None
    loss = _LOSSES.get(after.kind, "with what it holds")
    source = _FLUX_SOURCE if recreator.startswith("Flux") else _ARGOCD_SOURCE
    effect = Effect.REPLACED if may_hold_data(before) else Effect.RECREATED
    return Impact(effect, f"{recreator} deletes it and creates it again, {loss}", source)


def forced_deletion(owner: Resource | None, before: Resource, after: Resource) -> str:
    """Return which engine deletes an object whose new manifest the cluster rejects; empty if none does."""
    return "" if is_hook(after) else _recreator(owner, before, after, is_refused=True)


def _effect_on_hook(before: Resource, after: Resource) -> Effect:
    """Return what a sync does to a hook: nothing new if it was one before and keeps nothing."""
    if after.kind in _RUN_AS_HOOKS:
        return Effect.NONE
    if may_hold_data(after):
        return Effect.REPLACED
    return Effect.NONE if is_hook(before) else Effect.RECREATED


def is_marked_for_argocd(before: Resource, after: Resource) -> bool:
    """Return True if an object newly says how Argo CD applies it, or which Application it belongs to."""
    tracked = text_at(after.annotations, TRACKING_ID)
    is_tracked = bool(tracked) and tracked != text_at(before.annotations, TRACKING_ID)
    return is_tracked or bool(new_instance(before, after)) or _newly_replaces(before, after)


def new_instance(before: Resource, after: Resource) -> str:
    """Return the new value of an object's label: the name of its Application, if Argo CD tracks by labels."""
    instance = text_at(after.labels, INSTANCE_LABEL)
    return "" if instance == text_at(before.labels, INSTANCE_LABEL) else instance


def marked_impact(
    owner: Resource | None, before: Resource, after: Resource, instance: Resource | None = None
) -> Impact | None:
    """Return what the marks of a machine or of data make Argo CD do; None if they do nothing.

    It writes its own tracking id over one in Git, so that only an object of another engine belongs to the
    Application that it names, and is pruned, if that does not have it (``controller/state.go``
    ``isSelfReferencedObj``). ``owner`` is as in ``recreation``; ``instance`` is the Application that a new
    label names, if it is in Git. With ``application.resourceTrackingMethod: label``, the default before
    Argo CD 3, the object belongs to that (``util/argo/resource_tracking.go`` ``GetAppName``).
    """
    is_of_flux = owner is not None and is_flux_kustomization(owner)
    application, _, rest = text_at(after.annotations, TRACKING_ID).partition(":")
    own = f"{after.gvk.group}/{after.kind}:{after.namespace}/{after.name}"
    is_tracked = rest == own and after.annotations.get(TRACKING_ID) != before.annotations.get(TRACKING_ID)
    if is_tracked and (owner is None or is_of_flux):
        reason = f"{TRACKING_ID}: Application {application} prunes it, if that does not deploy it"
        return Impact(Effect.AT_RISK, reason, "argo-cd controller/state.go isSelfReferencedObj")
    if instance is not None and is_of_flux and prunes_automatically(instance):
        reason = (
            f"{INSTANCE_LABEL}: Application {instance.name} prunes it, if Argo CD tracks objects by labels"
        )
        return Impact(Effect.AT_RISK, reason, "argo-cd util/argo/resource_tracking.go GetAppName")
    if is_of_flux or not _newly_replaces(before, after) or VirtualMachineView.of(after) is None:
        return None
    return _REPLACED


def replacing_impact(before: Resource, after: Resource) -> Impact | None:
    """Return what an Application does to the machines that it deploys if it begins to replace its objects."""
    old, new = (options_of_application(as_application(each)) for each in (before, after))
    return _REPLACED if REPLACE in new and REPLACE not in old else None


def _newly_replaces(before: Resource, after: Resource) -> bool:
    return REPLACE in options_of_object(after) and REPLACE not in options_of_object(before)


def _recreator(owner: Resource | None, before: Resource, after: Resource, *, is_refused: bool) -> str:
    """Return what makes the engine replace an object, as a text for a message; empty if nothing does."""
    if is_refused:
        for metadata in (after.annotations, after.labels, before.annotations, before.labels):
            if text_at(metadata, _FLUX_FORCE).lower() == "enabled":
                return f"Flux ({_FLUX_FORCE}: enabled)"
    if owner is not None and is_flux_kustomization(owner):
        forces = object_at(owner.content, "spec").get("force") is True
        return "Flux (spec.force)" if forces and is_refused else ""
    own = options_of_object(after)
    every = {*own, *options_of_object(before)}
    if owner is not None:
        every |= {*options_of_application(owner), *options_of_request(owner)}
    if FORCE not in every:
        return ""
    named = f"{SYNC_OPTIONS_ANNOTATION}: {FORCE}" if owner is None else FORCE
    if REPLACE in every and after.kind not in _UPDATED:
        return f"Argo CD ({named}, {REPLACE})"
    is_server_side = SERVER_SIDE in every and NOT_SERVER_SIDE not in own
    return "" if is_server_side or not is_refused else f"Argo CD ({named})"
