"""``vmrender diff`` of the Secrets that say to which cluster Flux and Argo CD deploy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM
from tests.cli.test_diff_deployers import APPLICATION, APPLICATION_SET, KUSTOMIZATION, SOURCE, diff, project

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MACHINE = {
    "overlays/prod/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/prod/vm.yaml": VM,
    "clusters/prod/source.yaml": SOURCE,
}
FLUX = f"{KUSTOMIZATION}  kubeConfig: {{secretRef: {{name: edge}}}}\n"
KUBECONFIG = (
    "{apiVersion: v1, kind: Secret, metadata: {name: edge, namespace: flux-system}, stringData: {value: a}}"
)
EXTERNAL = (
    "{apiVersion: external-secrets.io/v1, kind: ExternalSecret,"
    " metadata: {name: edge, namespace: flux-system}, spec: {dataFrom: [{extract: {key: a}}]}}"
)
CLUSTER = """\
apiVersion: v1
kind: Secret
metadata: {name: at-the-edge, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster, env: a}}
stringData: {server: https://edge, config: "{}"}
data: {name: ZWRnZQ==}
"""
SEALED = """\
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: at-the-edge, namespace: argocd}
spec:
  encryptedData: {server: AgBa}
  template: {metadata: {labels: {argocd.argoproj.io/secret-type: cluster}}}
"""
LOCAL = 'server: "https://kubernetes.default.svc"'
BY_SERVER = APPLICATION.replace(LOCAL, "server: https://edge/")
BY_NAME = APPLICATION.replace(LOCAL, "name: edge")
CHOSEN = APPLICATION_SET.replace(
    "[{list: {elements: [{site: prod}, {site: dev}]}}]", "[{clusters: {selector: {matchLabels: {env: a}}}}]"
)
CHOSEN = CHOSEN.replace("overlays/{{site}}", "overlays/prod").replace("{{site}}", "{{name}}")
CHOSEN = CHOSEN.replace(LOCAL, 'server: "{{server}}"')


@pytest.mark.parametrize(
    ("deployer", "before", "after", "reported"),
    [
        (
            FLUX,
            KUBECONFIG,
            KUBECONFIG.replace("value: a", "value: b"),
            "Secret edge changes, by which Kustomi",
        ),
        (
            FLUX,
            EXTERNAL,
            EXTERNAL.replace("key: a", "key: b"),
            "Secret edge changes, by which Kustomization ap",
        ),
        (FLUX, "", KUBECONFIG.replace("flux-system", "other"), ""),
        (
            BY_SERVER,
            CLUSTER,
            CLUSTER.replace("https://edge", "https://b"),
            "Secret at-the-edge changes, by which",
        ),
        (
            BY_NAME,
            CLUSTER,
            CLUSTER.replace("https://edge", "https://b"),
            "Secret at-the-edge changes, by which",
        ),
        (BY_NAME, CLUSTER, "", "Secret at-the-edge changes, by which Application apps finds its cluster"),
        (
            BY_NAME,
            SEALED,
            SEALED.replace("AgBa", "AgBb"),
            "SealedSecret at-the-edge changes, by which Applicati",
        ),
        (
            CHOSEN,
            CLUSTER,
            CLUSTER.replace("env: a", "env: b"),
            "Secret at-the-edge changes, by which Applicatio",
        ),
        (BY_NAME, CLUSTER, CLUSTER.replace("{}", "{a}"), ""),
        (CHOSEN, CLUSTER, CLUSTER.replace("{}", "{a}"), ""),
        (BY_NAME, SEALED, SEALED.replace("server:", "config: AgBb, server:"), ""),
        (BY_NAME, CLUSTER.replace("ZWRnZQ==", "Yg=="), "", ""),
        (APPLICATION, CLUSTER, "", ""),
    ],
)
def test_the_cluster_may_be_another(
    folder: Path, deployer: str, before: str, after: str, reported: str
) -> None:
    place = {"clusters/prod/apps.yaml": deployer}
    commit(folder, project("") | MACHINE | place | {"secrets/edge.yaml": before})
    write(folder, {"secrets/edge.yaml": after})
    text = diff().stdout
    assert f"not compared: {reported}" in text or not reported
    assert ("not compared: " in text) is bool(reported)
