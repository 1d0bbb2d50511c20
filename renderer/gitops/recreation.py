"""Objects that an engine deletes and creates again, where it cannot update them or always.

kustomize-controller does so for ``spec.force`` and for objects that ask for it (fluxcd/pkg
``ssa/manager_apply.go`` ``shouldForceApply``). Argo CD does so for the sync option ``Force=true`` of the
object or the Application, with which it runs ``kubectl apply --force`` (gitops-engine ``sync_context.go``
``applyObject``), but not with ``ServerSideApply=true``, where kubectl only forces conflicts
(``resource_ops.go`` ``newApplyOptions``). With ``Replace=true`` as well it runs ``kubectl replace --force``,
which deletes the object at each change; CRDs and Namespaces are updated instead.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.gitops.flux.discovery import is_flux_kustomization
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.sync_options import SYNC_OPTIONS_ANNOTATION

_FLUX_FORCE = "kustomize.toolkit.fluxcd.io/force"
_FORCE = "Force=true"
_REPLACE = "Replace=true"
_SERVER_SIDE, _NOT_SERVER_SIDE = "ServerSideApply=true", "ServerSideApply=false"
_UPDATED = ("CustomResourceDefinition", "Namespace")


def recreator_of(owner: Resource | None, changed: Resource, *, is_refused: bool) -> str:
    """Return what makes the engine replace an object, as a text for a message; empty if nothing does.

    ``owner`` is the Kustomization or Application that applies it, if it is known. ``is_refused``: the cluster
    does not let the object be updated.
    """
    if is_refused:
        for metadata in (changed.annotations, changed.labels):
            if text_at(metadata, _FLUX_FORCE).lower() == "enabled":
                return f"Flux ({_FLUX_FORCE}: enabled)"
    if owner is not None and is_flux_kustomization(owner):
        forces = object_at(owner.content, "spec").get("force") is True
        return "Flux (spec.force)" if forces and is_refused else ""
    own = _options(text_at(changed.annotations, SYNC_OPTIONS_ANNOTATION).split(","))
    every = own | (set() if owner is None else _options_of(owner))
    if _FORCE not in every:
        return ""
    named = f"{SYNC_OPTIONS_ANNOTATION}: {_FORCE}" if owner is None else _FORCE
    if _REPLACE in every and changed.kind not in _UPDATED:
        return f"Argo CD ({named}, {_REPLACE})"
    is_server_side = _SERVER_SIDE in every and _NOT_SERVER_SIDE not in own
    return "" if is_server_side or not is_refused else f"Argo CD ({named})"


def _options_of(owner: Resource) -> set[str]:
    return _options(map(str, array_at(owner.content, "spec", "syncPolicy", "syncOptions")))


def _options(written: Iterable[str]) -> set[str]:
    return {option.strip() for option in written}
