"""``vmrender diff`` of what applied nothing for a while: all arrives with the change that ends it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import APPLICATION, KUSTOMIZATION, SOURCE, diff, project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PLACE = "clusters/prod/apps.yaml"
MACHINE = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
    "clusters/prod/source.yaml": SOURCE,
}
SUSPENDED = "  suspend: true\n"
SKIPPING = APPLICATION.replace(
    "name: apps,", "name: apps, annotations: {argocd.argoproj.io/skip-reconcile: 'true'},"
)
BY_HAND = APPLICATION.replace("  syncPolicy: {automated: {}}\n", "")
NOT_APPLIED = KUSTOMIZATION.replace(
    "name: apps", "name: apps\n  annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}"
)
SHARDED = KUSTOMIZATION.replace("name: apps", "name: apps\n  labels: {sharding.fluxcd.io/key: a}")
ON_SELF, ON_OTHER = (KUSTOMIZATION + f"  dependsOn: [{{name: {name}}}]\n" for name in ("apps", "other"))
IMPERSONATING = KUSTOMIZATION + "  serviceAccountName: a\n"
UPDATED = APPLICATION.replace(
    "name: apps,", "name: apps, annotations: {argocd-image-updater.argoproj.io/image-list: a},"
)
ROOT = KUSTOMIZATION.replace("name: apps", "name: root").replace("overlays/prod", "clusters/prod")
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vms, namespace: prod}
spec:
  chart: {spec: {chart: vms, sourceRef: {kind: HelmRepository, name: charts}}}
"""


@pytest.mark.parametrize(
    ("place", "before", "after", "reported"),
    [
        (PLACE, KUSTOMIZATION + SUSPENDED, KUSTOMIZATION, "Kustomization apps had spec.suspend: earlier"),
        (PLACE, NOT_APPLIED, KUSTOMIZATION, "Kustomization apps had kustomize.toolkit.fluxcd.io/reconcile: "),
        ("root.yaml", ROOT + SUSPENDED, ROOT, "Kustomization root had spec.suspend: earlier changes"),
        ("clusters/prod/source.yaml", SOURCE + SUSPENDED, SOURCE, "GitRepository fleet had spec.suspend: "),
        (PLACE, SKIPPING, APPLICATION, "Application apps had argocd.argoproj.io/skip-reconcile: earlier"),
        (PLACE, BY_HAND, APPLICATION, "Application apps had no automated syncs: earlier changes"),
        (PLACE, KUSTOMIZATION, SHARDED, "Kustomization apps has another label sharding.fluxcd.io/key"),
        (PLACE, ON_SELF, KUSTOMIZATION, "Kustomization apps no longer waits for itself: earlier changes"),
        (PLACE, APPLICATION, UPDATED, "Application apps has other annotations of Argo CD Image Updater"),
        (PLACE, KUSTOMIZATION, IMPERSONATING, "Kustomization apps has another spec.serviceAccountName"),
        (PLACE, APPLICATION, SKIPPING, "Application apps gets argocd.argoproj.io/skip-reconcile: nothing is"),
    ],
)
def test_an_overlay_is_not_compared(folder: Path, place: str, before: str, after: str, reported: str) -> None:
    commit(folder, project("") | MACHINE | {PLACE: KUSTOMIZATION, place: before})
    write(folder, {place: after})
    result = diff("--fail-on", "data")
    assert f"not compared: {reported}" in result.stdout
    assert result.exit_code == 1


DECRYPTING = KUSTOMIZATION + "  decryption: {provider: sops}\n"
ENCRYPTED = (
    "{apiVersion: v1, kind: Secret, metadata: {name: a}, sops: {mac: x},"
    ' data: {a: "ENC[AES256_GCM,data:x]"}}\n'
)
OTHER = KUSTOMIZATION.replace("name: apps", "name: other").replace("overlays/prod", "other")
BACK = OTHER + "  dependsOn: [{name: apps}]\n"
ELSEWHERE = OTHER.replace("name: other", "name: infra").replace("name: fleet", "name: infra")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ({}, {PLACE: ON_SELF}, "apps waits for itself"),
        ({"other.yaml": BACK}, {PLACE: ON_OTHER}, "apps waits for itself"),
        ({PLACE: ON_SELF}, {PLACE: ON_SELF + "  force: true\n"}, ""),
        ({}, {PLACE: ON_OTHER}, "apps waits for the Kustomization flux-system/other, which nothing deploys"),
        ({"other.yaml": OTHER}, {PLACE: ON_OTHER}, ""),
        ({"other.yaml": OTHER.replace(", namespace: flux-system", "")}, {PLACE: ON_OTHER}, ""),
        ({"infra.yaml": ELSEWHERE}, {PLACE: ON_OTHER}, ""),
        (
            {"infra.yaml": ELSEWHERE, PLACE: ON_OTHER, "other.yaml": OTHER},
            {"other.yaml": ""},
            "waits for the",
        ),
        ({PLACE: DECRYPTING}, {PLACE: KUSTOMIZATION}, "no spec.decryption, and Secret a is encrypted"),
        ({PLACE: DECRYPTING}, {PLACE: DECRYPTING + "  force: true\n"}, ""),
        ({}, {PLACE: KUSTOMIZATION + "  force: true\n"}, ""),
        (
            {PLACE: DECRYPTING, "root.yaml": ROOT + "  patches: [{patch: 'spec: {decryption: {}}'}]\n"},
            {PLACE: KUSTOMIZATION},
            "",
        ),
    ],
)
def test_flux_applies_nothing_any_more(
    folder: Path, before: dict[str, str], after: dict[str, str], reason: str
) -> None:
    overlay = {
        "overlays/prod/kustomization.yaml": "resources: [vm.yaml, secret.yaml]\n",
        "overlays/prod/secret.yaml": ENCRYPTED,
    }
    commit(folder, project("") | MACHINE | overlay | {"root.yaml": ROOT, PLACE: KUSTOMIZATION} | before)
    write(folder, after)
    found = diff().stdout
    assert reason in found
    assert ("nothing is applied from now on" in found) is bool(reason)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (APPLICATION, BY_HAND),
        (APPLICATION.replace("{automated", "{retry: {limit: 2}, automated"), APPLICATION),
    ],
)
def test_nothing_arrives_with_other_settings(folder: Path, before: str, after: str) -> None:
    commit(folder, project("") | MACHINE | {PLACE: before})
    write(folder, {PLACE: after})
    assert diff("--fail-on", "data").exit_code == 0


@pytest.mark.parametrize("prune", ["true", "false"])
def test_what_nothing_renders_may_be_deleted(folder: Path, prune: str) -> None:
    kustomization = ROOT.replace("clusters/prod", "infra") + f"  prune: {prune}\n"
    before = {PLACE: KUSTOMIZATION, "clusters/prod/infra.yaml": kustomization + SUSPENDED}
    files = {"infra/vms.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: vms}}"}
    commit(folder, project("") | MACHINE | before | files | {"clusters/prod/vms.yaml": RELEASE + SUSPENDED})
    write(folder, {"clusters/prod/infra.yaml": kustomization, "clusters/prod/vms.yaml": RELEASE})
    text = diff().stdout
    assert "not compared: Kustomization root had spec.suspend: earlier changes" in text
    assert "changed HelmRelease prod/vms in clusters/prod: may delete objects" in text
    assert ("changed Kustomization flux-system/root" in text) is (prune == "true")
