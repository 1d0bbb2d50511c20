"""Objects that leave Git: whether their engine deletes them."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.gitops.pruning import retention_of
from renderer.gitops.tracking import retention_in_cluster
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

FLUX = "kustomize.toolkit.fluxcd.io"
OPTIONS = "argocd.argoproj.io/sync-options"
FINALIZER = "resources-finalizer.argocd.argoproj.io"


def kustomization(**spec: Any) -> Resource:  # noqa: ANN401 - any field
    return owner("kustomize.toolkit.fluxcd.io/v1", "Kustomization", spec)


def application(*finalizers: str, **automated: Any) -> Resource:  # noqa: ANN401 - any field
    spec = {"syncPolicy": {"automated": automated}}
    return owner("argoproj.io/v1alpha1", "Application", spec, list(finalizers))


def syncing(*options: str, **sync: Any) -> Resource:  # noqa: ANN401 - any field
    """Return an Application that starts a sync, and otherwise prunes nothing."""
    automatic = by_hand("Prune=false")
    return automatic.with_content(
        {**automatic.content, "operation": {"sync": {"syncOptions": list(options), **sync}}}
    )


def owner(api_version: str, kind: str, spec: dict[str, Any], finalizers: list[str] | None = None) -> Resource:
    metadata: dict[str, Any] = {"name": "apps", "finalizers": finalizers or []}
    content: dict[str, Any] = {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
    return Resource(content, Site("apps.yaml"))


def vm(**annotations: str) -> Resource:
    metadata: dict[str, Any] = {"name": "db", "annotations": dict(annotations)}
    content: dict[str, Any] = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata}
    return Resource(content, Site("db.yaml"))


def by_hand(*options: str) -> Resource:
    return owner("argoproj.io/v1alpha1", "Application", {"syncPolicy": {"syncOptions": [*options]}})


DEFINITION = Resource(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "a.b.c"},
    },
    Site("crd.yaml"),
)


@pytest.mark.parametrize(
    ("deployer", "removed", "is_gone", "expected"),
    [
        (None, vm(), False, ""),
        (None, vm(**{f"{FLUX}/prune": "disabled"}), False, ""),
        (None, vm(**{OPTIONS: "Prune=false"}), True, ""),
        (
            None,
            vm(**{f"{FLUX}/prune": "disabled", OPTIONS: "Prune=false"}),
            True,
            f"its {FLUX}/prune: disabled and its annotation {OPTIONS}: Prune=false",
        ),
        (kustomization(prune=True), vm(), False, ""),
        (kustomization(prune=True), vm(), True, ""),
        (kustomization(prune=False), vm(), False, "Kustomization apps has no prune: true"),
        (kustomization(), vm(), True, "Kustomization apps has no prune: true"),
        (kustomization(prune=False, deletionPolicy="Delete"), vm(), True, ""),
        (
            kustomization(prune=False, deletionPolicy="Delete"),
            vm(),
            False,
            "Kustomization apps has no prune: true",
        ),
        (
            kustomization(prune=True, deletionPolicy="Orphan"),
            vm(),
            True,
            "Kustomization apps has deletionPolicy: Orphan",
        ),
        (kustomization(prune=True, deletionPolicy="Orphan"), vm(), False, ""),
        (kustomization(prune=True, suspend=True), vm(), True, "Kustomization apps is suspended"),
        (
            kustomization(prune=True),
            vm(**{f"{FLUX}/reconcile": "Disabled"}),
            False,
            f"its {FLUX}/reconcile: disabled",
        ),
        (application(), vm(), False, "Application apps has no automated.prune: true"),
        (application(enabled=False), vm(), False, ""),
        (application(prune=True), vm(), False, ""),
        (by_hand(), vm(), False, ""),
        (by_hand("Prune=false"), vm(), False, "Application apps has the sync option Prune=false"),
        (by_hand("Prune=false"), vm(**{OPTIONS: "Prune=true"}), False, ""),
        (
            application(prune=True),
            vm(**{OPTIONS: "Prune=false, Validate=false"}),
            False,
            f"its annotation {OPTIONS}: Prune=false",
        ),
        (application(prune=True), vm(**{OPTIONS: "Delete=false"}), False, ""),
        (application(), vm(), True, f"Application apps has no finalizer {FINALIZER}"),
        (application(FINALIZER), vm(), True, ""),
        (application(f"{FINALIZER}/background"), vm(), True, ""),
        (
            application(FINALIZER),
            vm(**{OPTIONS: "Delete=false"}),
            True,
            f"its annotation {OPTIONS}: Delete=false",
        ),
        (
            application(FINALIZER),
            vm(**{"helm.sh/resource-policy": "keep"}),
            True,
            "its annotation helm.sh/resource-policy: keep",
        ),
        (application(FINALIZER, prune=True), vm(**{"helm.sh/resource-policy": "keep"}), False, ""),
        (application(FINALIZER), DEFINITION, True, "Application apps deletes no definition with itself"),
        (application(FINALIZER, prune=True), DEFINITION, False, ""),
        (application(FINALIZER), vm(**{OPTIONS: "Delete=confirm"}), True, ""),
        (syncing(prune=True), vm(), False, ""),
        (
            syncing(prune=True),
            vm(**{OPTIONS: "Prune=false"}),
            False,
            f"its annotation {OPTIONS}: Prune=false",
        ),
        (
            syncing("Prune=false", prune=True),
            vm(),
            False,
            "Application apps has the sync option Prune=false",
        ),
        (syncing(), vm(), False, "Application apps has the sync option Prune=false"),
    ],
)
def test_object_stays_if_its_engine_does_not_delete_it(
    deployer: Resource | None,
    removed: Resource,
    is_gone: bool,  # noqa: FBT001 - a parameter of the test
    expected: str,
) -> None:
    assert retention_of(deployer, removed, is_gone=is_gone) == expected


TRACKED = {
    "labels": {f"{FLUX}/name": "apps", f"{FLUX}/namespace": "flux-system"},
    "annotations": {"argocd.argoproj.io/tracking-id": "apps:kubevirt.io/VirtualMachine:shop/db"},
}


def live(*engines: str, **annotations: str) -> Resource:
    """Return an object of a cluster that these ``engines`` track."""
    tracking = TRACKED["annotations"] if "argocd" in engines else {}
    metadata: dict[str, Any] = {
        "name": "db",
        "namespace": "shop",
        "labels": TRACKED["labels"] if "flux" in engines else {},
        "annotations": {**tracking, **annotations},
    }
    return vm().with_content({**vm().content, "metadata": metadata})


@pytest.mark.parametrize(
    ("deployers", "object_", "reason"),
    [
        ([kustomization(prune=True), application(prune=True), by_hand()], live(), ""),
        ([kustomization(prune=False)], live(), "Kustomization apps has no prune: true"),
        ([application(selfHeal=True)], live(), "Application apps has no automated.prune: true"),
        (
            [
                owner(
                    "argoproj.io/v1alpha1",
                    "ApplicationSet",
                    {"template": {"spec": {"syncPolicy": {"automated": {}}}}},
                )
            ],
            live(),
            "Application apps has no automated.prune: true",
        ),
        ([kustomization(prune=True)], live("flux", **{OPTIONS: "Prune=false"}), ""),
        (
            [kustomization(prune=True)],
            live("flux", **{f"{FLUX}/prune": "disabled"}),
            f"its {FLUX}/prune: disabled",
        ),
        ([application(prune=True)], live("argocd", **{f"{FLUX}/prune": "disabled"}), ""),
        (
            [application(prune=True)],
            live("argocd", **{"argocd.argoproj.io/compare-options": "IgnoreExtraneous"}),
            "",
        ),
        (
            [application(prune=True)],
            live("argocd", **{OPTIONS: "Prune=false"}),
            f"its annotation {OPTIONS}: Prune=false",
        ),
        ([kustomization(prune=False), application(prune=True)], live("argocd"), ""),
        (
            [kustomization(prune=False), application(prune=True)],
            live("flux"),
            "Kustomization apps has no prune: true",
        ),
        (
            [kustomization(prune=False), application(prune=True)],
            live("flux", "argocd", **{OPTIONS: "Prune=false"}),
            f"Kustomization apps has no prune: true and its annotation {OPTIONS}: Prune=false",
        ),
        ([], live(**{OPTIONS: "Prune=false"}), ""),
        ([], live(**{f"{FLUX}/prune": "disabled"}), ""),
    ],
)
def test_engine_that_tracks_an_object_of_the_cluster_decides_whether_it_stays(
    deployers: list[Resource], object_: Resource, reason: str
) -> None:
    assert retention_in_cluster(deployers, object_) == reason
