"""``vmrender diff`` of objects of engines that deploy something else from now on, which is not rendered."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.cli.diff_repositories import PROJECT, SETTINGS
from tests.cli.git_work_tree import commit, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: op, namespace: prod}
spec: {interval: 5m, chart: {spec: {chart: op, version: "1", sourceRef: {kind: HelmRepository, name: x}}}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: op, namespace: flux-system}
spec: {interval: 10m, path: ./op, prune: true, sourceRef: {kind: OCIRepository, name: op}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: op, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://charts.example.org, chart: op, targetRevision: 1.0.0}
  destination: {server: https://kubernetes.default.svc, namespace: op}
  syncPolicy: {automated: {prune: true}}
"""
APPLICATION_SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  goTemplate: true
  generators: [{list: {elements: [{site: a}, {site: b}]}}]
  template:
    metadata: {name: "{{.site}}"}
    spec:
      project: default
      source: {repoURL: https://charts.example.org, chart: op, targetRevision: 1.0.0}
      destination: {server: https://kubernetes.default.svc, namespace: op}
      syncPolicy: {automated: {prune: true}}
"""
RESOURCE_SET = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: all, namespace: flux-system}
spec:
  inputs: [{site: a}, {site: b}]
  resources:
  - apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: << inputs.site >>, namespace: prod}
    spec: {interval: 1h, chartRef: {kind: OCIRepository, name: x}}
"""


def in_no_overlay(deployer: str) -> dict[str, str]:
    return {
        "vmrender.yaml": PROJECT,
        "overlays/prod/kustomization.yaml": "resources: [settings.yaml]\n",
        "overlays/prod/settings.yaml": SETTINGS,
        "clusters/op.yaml": deployer,
    }


def in_an_overlay(deployer: str) -> dict[str, str]:
    return {
        "vmrender.yaml": PROJECT,
        "overlays/prod/kustomization.yaml": "resources: [settings.yaml, op.yaml]\n",
        "overlays/prod/settings.yaml": SETTINGS,
        "overlays/prod/op.yaml": deployer,
    }


def of_an_entry(deployer: str) -> dict[str, str]:
    """Return a root without other objects than those of engines."""
    vms = KUSTOMIZATION.replace("name: op, namespace", "name: vms, namespace").replace(
        "kind: OCIRepository, name: op", "kind: GitRepository, name: flux-system"
    )
    return {
        "vmrender.yaml": f"{PROJECT}overlays: [{{flux: clusters}}]\n",
        "clusters/vms.yaml": vms.replace("./op", "./vms"),
        "vms/settings.yaml": SETTINGS,
        "clusters/op.yaml": deployer,
    }


#: Puts an object of an engine into a repository: its files, by path.
Place: TypeAlias = Callable[[str], dict[str, str]]
PLACES: list[Place] = [in_no_overlay, in_an_overlay, of_an_entry]


def shown(*options: str) -> str:
    return CliRunner(catch_exceptions=False).invoke(main, ["diff", *options]).stdout


def shown_of(folder: Path, place: Place, deployer: str, old: str, new: str) -> str:
    """Return what ``diff`` shows of a change of an object in one of ``PLACES``."""
    assert old in deployer
    commit(folder, place(deployer))
    write(folder, place(deployer.replace(old, new)))
    return shown()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("deployer", "old", "new"),
    [
        (RELEASE, "interval", "releaseName: new, interval"),
        (RELEASE, "interval", "targetNamespace: new, interval"),
        (RELEASE, "interval", "storageNamespace: new, interval"),
        (RELEASE, "interval", "kubeConfig: {secretRef: {name: new}}, interval"),
        (RELEASE, "chart: op", "chart: new"),
        (KUSTOMIZATION, "./op", "./new"),
        (KUSTOMIZATION, "name: op}}", "name: new}}"),
        (KUSTOMIZATION, "interval", "kubeConfig: {secretRef: {name: new}}, interval"),
        (KUSTOMIZATION, "interval", "targetNamespace: new, interval"),
        (KUSTOMIZATION, "interval", "force: true, interval"),
        (APPLICATION, "chart: op", "chart: new"),
        (APPLICATION, "chart: op", "path: new"),
        (APPLICATION, "server: https://kubernetes.default.svc", "name: west"),
        (APPLICATION, "charts.example", "other.example"),
        (APPLICATION_SET, ", {site: b}", ""),
        (APPLICATION_SET, '"{{.site}}"', '"x-{{.site}}"'),
        (APPLICATION_SET, "[{site: a}, {site: b}]", "[]"),
        (APPLICATION_SET, "chart: op", "chart: new"),
        (RESOURCE_SET, ", {site: b}", ""),
        (RESOURCE_SET, "interval", "releaseName: new, interval"),
    ],
)
def test_what_replaces_what_it_has_deployed_may_delete_it(
    folder: Path, place: Place, deployer: str, old: str, new: str
) -> None:
    found = shown_of(folder, place, deployer, old, new)
    assert found.startswith("DATA: "), found
    assert "may delete objects" in found


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("deployer", "old", "new"),
    [
        (RELEASE, 'version: "1"', 'version: "2"'),
        (RELEASE, "interval", "releaseName: op, targetNamespace: prod, interval"),
        (KUSTOMIZATION, "./op", "op/"),
        (KUSTOMIZATION, "10m", "20m"),
        (KUSTOMIZATION, "sourceRef: {", "sourceRef: {namespace: flux-system, "),
        (APPLICATION, "1.0.0", "2.0.0"),
        (APPLICATION, "server: https://kubernetes.default.svc", "name: in-cluster"),
        (APPLICATION_SET, "1.0.0", "2.0.0"),
        (APPLICATION_SET, "{site: b}", "{site: b}, {site: c}"),
        (RESOURCE_SET, "{site: b}", "{site: b}, {site: c}"),
    ],
)
def test_what_stays_as_it_is_deletes_nothing(
    folder: Path, place: Place, deployer: str, old: str, new: str
) -> None:
    assert "may delete objects" not in shown_of(folder, place, deployer, old, new)


@pytest.mark.parametrize("place", [in_no_overlay, of_an_entry])
@pytest.mark.parametrize("deployer", [RELEASE, KUSTOMIZATION, APPLICATION, APPLICATION_SET, RESOURCE_SET])
def test_moved_file_deletes_nothing(folder: Path, place: Place, deployer: str) -> None:
    commit(folder, place(deployer))
    write(folder, {"clusters/below/op.yaml": deployer})
    (folder / "clusters/op.yaml").unlink()
    assert "may delete objects" not in shown()


def test_path_of_an_image_is_not_in_this_repository(folder: Path) -> None:
    commit(folder, in_no_overlay(KUSTOMIZATION) | {"op/settings.yaml": SETTINGS, "new/other.yaml": SETTINGS})
    write(folder, {"op/settings.yaml": SETTINGS.replace("settings", "others")})
    assert "clusters:op" not in shown()
    write(folder, {"clusters/op.yaml": KUSTOMIZATION.replace("./op", "./new")})
    assert "changed Kustomization flux-system/op in clusters" in shown()
