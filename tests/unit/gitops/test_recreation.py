"""Which switches of Flux and Argo CD delete an object and create it again."""

from __future__ import annotations

import pytest
import yaml

from renderer.gitops.recreation import (
    forced_deletion,
    is_marked_for_argocd,
    marked_impact,
    new_instance,
    recreation,
)
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

FLUX = "{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {%s}}"
ARGOCD = (
    "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a},"
    " spec: {syncPolicy: {syncOptions: [%s]}}}"
)
OBJECT = "{apiVersion: v1, kind: %s, metadata: {name: a, annotations: {%s}}}"
HOOK = "argocd.argoproj.io/hook"
OPTIONS = "argocd.argoproj.io/sync-options: '%s'"


def resource(text: str) -> Resource:
    return Resource(yaml.safe_load(text), Site("a.yaml"))


@pytest.mark.parametrize(
    ("owner", "annotation", "recreator"),
    [
        ("", "", ""),
        (
            "",
            "kustomize.toolkit.fluxcd.io/force: Enabled",
            "Flux (kustomize.toolkit.fluxcd.io/force: enabled)",
        ),
        ("", OPTIONS % "Prune=false, Force=true", "Argo CD (argocd.argoproj.io/sync-options: Force=true)"),
        (FLUX % "force: true", "", "Flux (spec.force)"),
        (FLUX % "force: false", OPTIONS % "Force=true", ""),
        (ARGOCD % "Force=true", "", "Argo CD (Force=true)"),
        (ARGOCD % "Replace=true", "", ""),
        (ARGOCD % "Force=true, ServerSideApply=true", "", ""),
        (
            ARGOCD % "Force=true, ServerSideApply=true",
            OPTIONS % "ServerSideApply=false",
            "Argo CD (Force=true)",
        ),
        (ARGOCD % "Force=true", OPTIONS % "Replace=true", "Argo CD (Force=true, Replace=true)"),
    ],
)
def test_refused_object_is_recreated(owner: str, annotation: str, recreator: str) -> None:
    by = resource(owner) if owner else None
    plain, marked = (resource(OBJECT % ("Secret", each)) for each in ("", annotation))
    found = [recreation(by, *sides, is_refused=True) for sides in ((plain, marked), (marked, plain))]
    wanted = f"{recreator} deletes it and creates it again, with the same name" if recreator else ""
    if "ServerSideApply=false" in annotation:  # counts in Git alone
        found = found[:1]
    assert {each.reason if each else "" for each in found} == {wanted}
    assert forced_deletion(by, plain, marked) == recreator


@pytest.mark.parametrize(
    ("kind", "options", "recreator"),
    [
        ("Job", "Force=true", ""),
        ("Job", "Force=true, Replace=true", "Argo CD (Force=true, Replace=true)"),
        ("Job", "Force=true, Replace=true, ServerSideApply=true", "Argo CD (Force=true, Replace=true)"),
        ("Namespace", "Force=true, Replace=true", ""),
    ],
)
def test_object_that_may_be_updated_is_recreated_by_replace(kind: str, options: str, recreator: str) -> None:
    changed = resource(OBJECT % (kind, ""))
    found = recreation(resource(ARGOCD % options), changed, changed, is_refused=False)
    wanted = f"{recreator} deletes it and creates it again, so that it runs again" if recreator else ""
    assert (found.reason if found else "") == wanted


@pytest.mark.parametrize(
    ("owner", "kind", "annotation", "effect"),
    [
        ("", "Job", "argocd.argoproj.io/hook: PreSync", Effect.NONE),
        (ARGOCD % "", "Job", "helm.sh/hook: post-install", Effect.NONE),
        (ARGOCD % "", "PersistentVolumeClaim", f"{HOOK}: PreSync", Effect.REPLACED),
        (FLUX % "", "Job", "argocd.argoproj.io/hook: PreSync", None),
        (ARGOCD % "", "Job", "argocd.argoproj.io/hook: Skip", None),
    ],
)
def test_hooks_of_argo_cd_are_created_at_each_sync(
    owner: str, kind: str, annotation: str, effect: Effect | None
) -> None:
    hook = resource(OBJECT % (kind, annotation))
    found = recreation(resource(owner) if owner else None, hook, hook, is_refused=True)
    assert (found.effect if found else None) == effect


@pytest.mark.parametrize(
    ("kind", "effect"),
    [
        ("Namespace", Effect.REPLACED),
        ("PersistentVolume", Effect.REPLACED),
        ("Secret", Effect.RECREATED),
        ("Service", Effect.RECREATED),
        ("Job", Effect.NONE),
    ],
)
def test_an_object_that_becomes_a_hook_is_recreated(kind: str, effect: Effect) -> None:
    before, after = (resource(OBJECT % (kind, f"{each}: PreSync")) for each in ("note", HOOK))
    found = recreation(None, before, after, is_refused=False)
    assert found is not None
    assert found.effect is effect
    again = recreation(None, after, after, is_refused=False)
    assert again is not None
    assert again.effect is (effect if effect is Effect.REPLACED else Effect.NONE)


@pytest.mark.parametrize(
    ("annotation", "is_pruned"),
    [
        (f"{HOOK}: ''", True),
        (f"{HOOK}: skip", True),
        (f"{HOOK}: PostDelete", True),
        (f"{HOOK}: '', helm.sh/hook: test", True),
        (f"{HOOK}: '', helm.sh/hook: pre-install", False),
        (f"{HOOK}: 'x, Sync'", False),
        (f"{HOOK}: null", False),
        ("helm.sh/hook: ''", True),
        ("helm.sh/hook: test", True),
        ("helm.sh/hook: crd-install", False),
    ],
)
def test_hook_of_no_phase_is_pruned(annotation: str, *, is_pruned: bool) -> None:
    before, after = (resource(OBJECT % ("PersistentVolumeClaim", each)) for each in ("", annotation))
    found = [recreation(None, *sides, is_refused=False) for sides in ((before, after), (after, after))]
    assert (found[0] is not None and found[0].effect is Effect.DELETED) is is_pruned
    assert (found[1] is not None and found[1].effect is Effect.NONE) is is_pruned
    assert recreation(resource(FLUX % ""), before, after, is_refused=False) is None
    service = [resource(OBJECT % ("Service", each)) for each in ("", annotation)]
    found[0] = recreation(None, service[0], service[1], is_refused=False)
    assert found[0] is None or found[0].effect is Effect.RECREATED


@pytest.mark.parametrize(
    ("api_version", "kind", "spec", "effect"),
    [
        ("v1", "Service", "{}", Effect.RECREATED),
        ("batch/v1", "Job", "{}", Effect.RECREATED),
        ("apps/v1", "Deployment", "{}", Effect.RECREATED),
        ("apps/v1", "StatefulSet", "{}", Effect.RECREATED),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", "{}", Effect.RECREATED),
        ("storage.k8s.io/v1", "StorageClass", "{}", Effect.RECREATED),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", "{}", Effect.RECREATED),
        (
            "apps/v1",
            "StatefulSet",
            "{persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}",
            Effect.REPLACED,
        ),
        ("v1", "PersistentVolumeClaim", "{}", Effect.REPLACED),
        ("v1", "PersistentVolume", "{}", Effect.REPLACED),
        ("v1", "Namespace", "{}", Effect.REPLACED),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "{}", Effect.REPLACED),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshot", "{}", Effect.REPLACED),
        ("cdi.kubevirt.io/v1beta1", "DataVolume", "{}", Effect.REPLACED),
        ("kubevirt.io/v1", "VirtualMachine", "{}", Effect.REPLACED),
        ("postgresql.example.org/v1", "Cluster", "{}", Effect.REPLACED),
    ],
)
def test_only_what_holds_data_is_a_danger_for_it(
    api_version: str, kind: str, spec: str, effect: Effect
) -> None:
    changed = resource(f"{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: a}}, spec: {spec}}}")
    found = recreation(resource(FLUX % "force: true"), changed, changed, is_refused=True)
    assert found is not None
    assert found.effect is effect


MARKED = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine,"
    " metadata: {name: db, namespace: prod, annotations: {%s}}}"
)
TRACKED = "argocd.argoproj.io/tracking-id: 'other:kubevirt.io/VirtualMachine:prod/%s'"
REPLACE = "argocd.argoproj.io/sync-options: 'Replace=true'"


@pytest.mark.parametrize(
    ("owner", "mark", "effect"),
    [
        (None, TRACKED % "db", Effect.AT_RISK),
        ("kustomize.toolkit.fluxcd.io/v1, kind: Kustomization", TRACKED % "db", Effect.AT_RISK),
        ("argoproj.io/v1alpha1, kind: Application", TRACKED % "db", None),
        (None, TRACKED % "another", None),
        ("argoproj.io/v1alpha1, kind: Application", REPLACE, Effect.PENDING),
        ("kustomize.toolkit.fluxcd.io/v1, kind: Kustomization", REPLACE, None),
    ],
)
def test_new_marks_for_argocd(owner: str | None, mark: str, effect: Effect | None) -> None:
    before, after = (resource(MARKED % each) for each in ("", mark))
    deployer = resource(f"{{apiVersion: {owner}, metadata: {{name: a}}}}") if owner else None
    impact = marked_impact(deployer, before, after)
    assert is_marked_for_argocd(before, after)
    assert (impact and impact.effect) is effect


@pytest.mark.parametrize(
    ("owner", "policy", "effect"),
    [
        (FLUX % "prune: true", "{automated: {prune: true}}", Effect.AT_RISK),
        (FLUX % "prune: true", "{automated: {}}", None),
        ("{apiVersion: argoproj.io/v1alpha1, kind: Application}", "{automated: {prune: true}}", None),
    ],
)
def test_label_with_the_name_of_an_application(owner: str, policy: str, effect: Effect | None) -> None:
    before = resource("{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db}}")
    labels = {"app.kubernetes.io/instance": "apps"}
    after = before.with_content({**before.content, "metadata": {"name": "db", "labels": labels}})
    application = resource(
        f"{{apiVersion: argoproj.io/v1alpha1, kind: Application, spec: {{syncPolicy: {policy}}}}}"
    )
    assert new_instance(before, after) == "apps"
    assert not new_instance(after, after)
    impact = marked_impact(resource(owner), before, after, application)
    assert (impact and impact.effect) is effect
