"""What a sync leaves undone once the cluster has refused an object.

Flux applies the objects of a Kustomization in stages: CRDs, Namespaces and ClusterRoles, then kinds whose
name ends with ``Class``, then the rest. All objects of a stage are tried in a dry run before one of them is
applied, and an error ends the reconciliation: nothing is pruned, and Kustomizations that depend on it wait
(fluxcd/pkg ``ssa/manager_apply.go`` ``ApplyAllStaged``; kustomize-controller
``kustomization_controller.go`` ``reconcile``, ``checkDependencies``).

The dry run of Argo CD happens in the client, so that it does not see the refusal. The objects of one sync
wave are applied whether or not others fail, and a failed wave is the last one (gitops-engine
``pkg/sync/sync_context.go`` ``Sync``, ``runTasks``). Pruned objects have their waves in reverse, or the last
one with ``PruneLast=true`` (``getSyncTasks``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from renderer.gitops.flux.kustomization import is_flux_kustomization
from renderer.model.difference import ChangeType, Effect, ResourceChange, StalledSync
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import plural
from renderer.model.sync_options import HOOK_ANNOTATION, options_of_application, options_of_object, sync_wave

FLUX_SOURCE = "fluxcd/pkg ssa/manager_apply.go ApplyAllStaged"
ARGOCD_SOURCE = "argo-cd gitops-engine/pkg/sync/sync_context.go Sync"
_DEFINITIONS = frozenset(
    {
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("rbac.authorization.k8s.io", "ClusterRole"),
        ("", "Namespace"),
    }
)
_PRUNING = 3
_PRUNE_LAST = "PruneLast=true"
_PHASES = {"PreSync": -1, "Sync": 0, "PostSync": 1}

#: When an engine applies or prunes an object: a later one is not reached after a failure.
Turn: TypeAlias = tuple[int, int]
Manifests: TypeAlias = Mapping[ResId, Resource]


def stalled_syncs(
    deployers: Iterable[Resource],
    changes: Sequence[ResourceChange],
    manifests: Manifests,
    kustomizations: Iterable[Resource],
) -> Iterator[StalledSync]:
    """Yield what each of the ``deployers`` of an overlay leaves undone; nothing if no change is refused.

    ``manifests`` has the objects of both sides, ``kustomizations`` all of the cluster. Without a deployer in
    the repository, what may be undone is everything else.
    """
    refused = [change for change in changes if change.is_refused]
    if not refused:
        return
    others = [change for change in changes if change not in refused and not _stays(change)]
    known = False
    for deployer in deployers:
        known = True
        if is_flux_kustomization(deployer):
            yield _flux_sync(deployer, refused, others, kustomizations)
        else:
            yield _argocd_sync(deployer, refused, others, manifests)
    if others and not known:
        reason = "Flux applies nothing else of a Kustomization, and Argo CD no later sync wave"
        yield StalledSync(None, _ids(refused), _ids(others), reason=reason)


def _stays(change: ResourceChange) -> bool:
    """Return True for an object that leaves the overlay and stays in the cluster."""
    is_removed = change.type is ChangeType.REMOVED
    return is_removed and change.impact is not None and change.impact.effect is Effect.NONE


def _ids(changes: Iterable[ResourceChange]) -> tuple[ResId, ...]:
    return tuple(change.id for change in changes)


def _flux_sync(
    deployer: Resource,
    refused: Sequence[ResourceChange],
    others: Sequence[ResourceChange],
    kustomizations: Iterable[Resource],
) -> StalledSync:
    fails = min(map(_stage, refused))
    undone = [change for change in others if _stage(change) >= fails]
    reason = "Flux applies nothing else of it, and prunes nothing"
    if len(undone) < len(others):
        reason = f"{reason}, after {plural(len(others) - len(undone), 'change')} of definitions and classes"
    waiting = tuple(each.current_id for each in _dependents(deployer, tuple(kustomizations)))
    return StalledSync(
        deployer.current_id, _ids(refused), _ids(undone), waiting, reason=reason, source=FLUX_SOURCE
    )


def _stage(change: ResourceChange) -> int:
    gvk = change.id.gvk
    if change.type is ChangeType.REMOVED:
        return _PRUNING
    if (gvk.group, gvk.kind) in _DEFINITIONS:
        return 0
    return 1 if gvk.kind.endswith("Class") else 2


def _dependents(deployer: Resource, kustomizations: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the Kustomizations that wait for ``deployer``, or for one that does.

    One with ``readyExpr`` need not wait for it to be ready.
    """
    blocked, found = [_key(deployer)], {_key(deployer)}
    for key in blocked:
        for each in kustomizations:
            dependencies = map(object_at, array_at(each.content, "spec", "dependsOn"))
            named = (
                (text_at(one, "namespace") or each.namespace, text_at(one, "name"))
                for one in dependencies
                if not one.get("readyExpr")
            )
            if _key(each) not in found and key in named:
                found.add(_key(each))
                blocked.append(_key(each))
                yield each


def _key(kustomization: Resource) -> tuple[str, str]:
    return kustomization.namespace, kustomization.name


def _argocd_sync(
    deployer: Resource,
    refused: Sequence[ResourceChange],
    others: Sequence[ResourceChange],
    manifests: Manifests,
) -> StalledSync:
    turns = _turns(deployer, (*refused, *others), manifests)
    fails = min(turns[change.id] for change in refused)
    undone = [change for change in others if turns[change.id] > fails]
    reason = f"Argo CD applies the other objects of sync wave {fails[1]}, and no later wave"
    return StalledSync(deployer.current_id, _ids(refused), _ids(undone), reason=reason, source=ARGOCD_SOURCE)


def _turns(deployer: Resource, changes: Sequence[ResourceChange], manifests: Manifests) -> dict[ResId, Turn]:
    turns = {change.id: _turn(manifests.get(change.id)) for change in changes}
    pruned = [change.id for change in changes if change.type is ChangeType.REMOVED]
    waves = sorted({turns[each][1] for each in pruned})
    last = max((wave for phase, wave in turns.values() if phase == 0), default=0) + 1
    of_all = options_of_application(deployer)
    for each in pruned:
        wave = waves[-1 - waves.index(turns[each][1])]
        found = manifests.get(each)
        is_last = _PRUNE_LAST in of_all or (found is not None and _PRUNE_LAST in options_of_object(found))
        turns[each] = 0, max(last, 1) if is_last else wave
    return turns


def _turn(manifest: Resource | None) -> Turn:
    if manifest is None:
        return 0, 0
    hooks = text_at(manifest.annotations, HOOK_ANNOTATION).split(",")
    phases = [_PHASES[hook.strip()] for hook in hooks if hook.strip() in _PHASES]
    return min(phases, default=0), sync_wave(manifest)
