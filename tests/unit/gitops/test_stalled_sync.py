"""What Flux and Argo CD leave undone once the cluster has refused an object."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import yaml

from renderer.gitops.stalled_sync import stalled_syncs
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

FLUX = (
    "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization,"
    " metadata: {name: %s, namespace: flux-system}, spec: {dependsOn: [%s]}}"
)
ARGOCD = (
    "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a},"
    " spec: {syncPolicy: {syncOptions: [%s]}}}"
)
CLAIM = "v1 PersistentVolumeClaim a"
NAMESPACE = "v1 Namespace a"
ROLE = "rbac.authorization.k8s.io/v1 ClusterRole a"
CLASS = "storage.k8s.io/v1 StorageClass a"
CREDENTIALS = "v1 Secret a"


def resource(text: str) -> Resource:
    return Resource(yaml.safe_load(text), Site("a.yaml"))


def object_of(text: str, wave: str = "", annotations: str = "") -> Resource:
    api_version, kind, name = text.split()
    waves = f"argocd.argoproj.io/sync-wave: '{wave}'," if wave else ""
    return resource(
        f"{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: {name},"
        f" annotations: {{{waves}{annotations}}}}}}}"
    )


def refused(found: Resource) -> ResourceChange:
    same = found.current_id
    return ResourceChange(ChangeType.CHANGED, same, same, impact=Impact(Effect.REFUSED))


def changed(found: Resource) -> ResourceChange:
    return ResourceChange(ChangeType.CHANGED, found.current_id, found.current_id)


def removed(found: Resource, effect: Effect = Effect.DELETED) -> ResourceChange:
    return ResourceChange(ChangeType.REMOVED, found.current_id, None, impact=Impact(effect))


@pytest.mark.parametrize(
    ("fails", "others", "undone"),
    [
        (CLAIM, [NAMESPACE, ROLE, CLASS, CREDENTIALS], [CREDENTIALS]),
        (CLASS, [NAMESPACE, CREDENTIALS], [CREDENTIALS]),
        (ROLE, [NAMESPACE, CLASS, CREDENTIALS], [NAMESPACE, CLASS, CREDENTIALS]),
        (CLAIM, [NAMESPACE], []),
    ],
)
def test_flux_applies_earlier_stages_alone(fails: str, others: Sequence[str], undone: Sequence[str]) -> None:
    """Follows fluxcd/pkg ``ApplyAllStaged``: a stage is tried in a dry run before one object is applied."""
    changes = [refused(object_of(fails)), *(changed(object_of(each)) for each in others)]
    (sync,) = stalled_syncs([resource(FLUX % ("a", ""))], changes, {}, ())
    assert [each.gvk.kind for each in sync.undone] == [each.split()[1] for each in undone]
    assert sync.source == "fluxcd/pkg ssa/manager_apply.go ApplyAllStaged"


def test_flux_prunes_nothing() -> None:
    changes = [refused(object_of(CLAIM)), removed(object_of(NAMESPACE))]
    (sync,) = stalled_syncs([resource(FLUX % ("a", ""))], changes, {}, ())
    assert [str(each.gvk.kind) for each in sync.undone] == ["Namespace"]


def test_object_that_stays_in_the_cluster_is_not_undone() -> None:
    changes = [refused(object_of(CLAIM)), removed(object_of(CREDENTIALS), Effect.NONE)]
    (sync,) = stalled_syncs([resource(FLUX % ("a", ""))], changes, {}, ())
    assert sync.undone == ()


def test_kustomizations_wait_for_one_that_waits() -> None:
    kustomizations = [
        resource(FLUX % ("a", "")),
        resource(FLUX % ("b", "{name: a}")),
        resource(FLUX % ("c", "{name: b, namespace: flux-system}")),
        resource(FLUX % ("d", "{name: a, readyExpr: 'true'}")),
        resource(FLUX % ("e", "{name: a, namespace: other}")),
    ]
    (sync,) = stalled_syncs(kustomizations[:1], [refused(object_of(CLAIM))], {}, kustomizations)
    assert [each.name for each in sync.waiting] == ["b", "c"]


@pytest.mark.parametrize(
    ("fails", "option", "undone"),
    [
        ("", "", ["later", "hook"]),
        ("-1", "", ["same", "later", "hook", "pruned"]),
        ("1", "", ["hook"]),
        ("", "PruneLast=true", ["later", "hook", "pruned"]),
    ],
)
def test_argocd_stops_before_the_next_wave(fails: str, option: str, undone: Sequence[str]) -> None:
    """Follows gitops-engine ``Sync``: all tasks of a wave are run, and a failed wave is the last one."""
    objects = {
        "refused": object_of(CLAIM, fails),
        "same": object_of("v1 Secret same"),
        "later": object_of("v1 Secret later", "1"),
        "hook": object_of("batch/v1 Job hook", "-5", "argocd.argoproj.io/hook: PostSync"),
        "pruned": object_of("v1 Secret pruned"),
    }
    changes = [
        refused(objects["refused"]),
        *(changed(objects[each]) for each in ("same", "later", "hook")),
        removed(objects["pruned"]),
    ]
    manifests = {each.current_id: each for each in objects.values()}
    (sync,) = stalled_syncs([resource(ARGOCD % option)], changes, manifests, ())
    assert [each.name for each in sync.undone] == undone


def test_argocd_prunes_waves_in_reverse() -> None:
    objects = [object_of(CLAIM), object_of("v1 Secret first", "-1"), object_of("v1 Secret last", "1")]
    changes = [refused(objects[0]), *map(removed, objects[1:])]
    manifests = {each.current_id: each for each in objects}
    (sync,) = stalled_syncs([resource(ARGOCD % "")], changes, manifests, ())
    assert [each.name for each in sync.undone] == ["first"]


def test_without_a_deployer_everything_else_may_stay_undone() -> None:
    changes = [refused(object_of(CLAIM)), changed(object_of(CREDENTIALS))]
    (sync,) = stalled_syncs([], changes, {}, ())
    assert sync.deployer is None
    assert [each.gvk.kind for each in sync.undone] == ["Secret"]
    assert not list(stalled_syncs([], changes[:1], {}, ()))


def test_nothing_stops_without_a_refusal() -> None:
    assert not list(stalled_syncs([resource(ARGOCD % "")], [changed(object_of(CREDENTIALS))], {}, ()))
