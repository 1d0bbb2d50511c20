"""Objects that leave Git and take others along, which Git may not have."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import FLUX_SOURCE, ORIGIN, VM, application, kustomization, run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

GATE = ("--fail-on", "refused,data,no-start")
OBJECTS = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: CDI
metadata: {name: cdi}
spec: {uninstallStrategy: BlockUninstallIfWorkloadsExist}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: applications.argoproj.io}
spec: {group: argoproj.io, names: {kind: Application, plural: applications}, scope: Namespaced, versions: []}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: prod}
spec: {interval: 1h, chartRef: {kind: OCIRepository, name: shop}}
---
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: shop, namespace: prod}
spec: {instances: 3, storage: {size: 10Gi}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: shop, namespace: prod}
spec: {selector: {}, endpoints: []}
"""
REPORT = """\
DATA: 2 objects may delete objects, 2 objects lose data
HEAD -> work tree

6 removed (1 overlay)
other objects: 2 may delete objects

changes in the sources
  overlays/prod/kustomization.yaml:1 changes 6 objects in 1 overlay: 2 may delete objects

data at risk
  removed Cluster prod/shop: may delete objects
    by overlays/prod/kustomization.yaml:1
    its operator may delete the storage that it asks for (spec.storage.size)
  removed HelmRelease prod/shop: may delete objects
    by overlays/prod/kustomization.yaml:1
    Flux uninstalls the release, with all that the chart has made
  removed CustomResourceDefinition applications.argoproj.io
    by overlays/prod/kustomization.yaml:1
    data lost: CustomResourceDefinition applications.argoproj.io: deleted with each Application in the cluster
  removed KubeVirt kubevirt/kubevirt
    by overlays/prod/kustomization.yaml:1
    data lost: KubeVirt kubevirt: deleted with all machines in the cluster, and the disks that they own\
 (uninstallStrategy: RemoveWorkloads, the default)

no effect on what runs
  removed CDI cdi
    by overlays/prod/kustomization.yaml:1
    disk stays: CDI cdi: its deletion is refused while there are any workloads\
 (uninstallStrategy: BlockUninstallIfWorkloadsExist)

other objects
  removed ServiceMonitor prod/shop
    by overlays/prod/kustomization.yaml:1

overlays/prod (KubeVirt 1.9)
  1 equal
"""


def test_removed_objects_say_what_goes_with_them(folder: Path) -> None:
    kustomization_file = folder / "overlays/prod/kustomization.yaml"
    commit(
        folder,
        {
            "vmrender.yaml": PROJECT,
            "overlays/prod/db.yaml": VM,
            "overlays/prod/others.yaml": OBJECTS,
            "overlays/prod/kustomization.yaml": "resources: [db.yaml, others.yaml]\n",
        },
    )
    kustomization_file.write_text("resources: [db.yaml]\n", encoding="utf-8")
    assert run().stdout == REPORT
    assert run(*GATE).exit == 1


def test_compared_objects_say_themselves_what_goes_with_their_deployer(folder: Path) -> None:
    root = "clusters/prod"
    elsewhere = kustomization("elsewhere").replace("Repository, name: flux-system", "Repository, name: other")
    commit(
        folder,
        {
            "vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{flux: {root}}}]\n",
            f"{root}/source.yaml": FLUX_SOURCE,
            f"{root}/root.yaml": kustomization("root").replace("path: ./root", f"path: ./{root}"),
            f"{root}/apps.yaml": kustomization("apps"),
            f"{root}/web.yaml": kustomization("web"),
            "apps/db.yaml": VM,
            "web/web.yaml": VM.replace("name: db,", "name: web,"),
            "web/elsewhere.yaml": elsewhere,
        },
    )
    (folder / root / "apps.yaml").unlink()
    (folder / "web/elsewhere.yaml").unlink()
    lines = [line.strip() for line in run().stdout.splitlines()]
    assert lines[0] == "DATA: prod/db is deleted, Kustomization flux-system/elsewhere may delete objects"
    assert "removed Kustomization flux-system/apps in clusters/prod:apps" in lines
    assert "removed Kustomization flux-system/elsewhere in clusters/prod:web: may delete objects" in lines


_DELETING = partial(application, finalizers="resources-finalizer.argocd.argoproj.io")
#: Two engines whose folder deploys an operator from a remote base, and in another file the machines.
LAST_OF = pytest.mark.parametrize(("engine", "deployer"), [("flux", kustomization), ("argocd", _DELETING)])


def fleet(engine: str, deployer: Callable[[str], str]) -> dict[str, str]:
    """Return a project whose only machines are deployed by ``clusters/prod/vms.yaml``."""
    return {
        "vmrender.yaml": f"{PROJECT}repositories: ['{ORIGIN}']\noverlays: [{{{engine}: clusters/prod}}]\n",
        "clusters/prod/source.yaml": FLUX_SOURCE if engine == "flux" else "",
        "clusters/prod/operator.yaml": deployer("operator"),
        "clusters/prod/vms.yaml": deployer("vms"),
        "operator/kustomization.yaml": "resources: [https://example.org/operator.yaml]\n",
        "vms/db.yaml": VM,
    }


@LAST_OF
def test_last_machines_of_an_entry_are_removed(
    folder: Path, engine: str, deployer: Callable[[str], str]
) -> None:
    commit(folder, fleet(engine, deployer))
    (folder / "clusters/prod/vms.yaml").unlink()
    found = run("--fail-on", "data")
    assert found.stdout.splitlines()[0].startswith("DATA: prod/db is deleted")
    assert found.exit == 1
    assert "but no object of this repository to render" in found.stderr
    assert "not compared" not in found.stdout
    commit(folder, {})
    assert run("HEAD~1..HEAD").stdout == found.stdout.replace("work tree", "HEAD").replace(
        "HEAD ->", "HEAD~1 ->"
    )
    assert "added VirtualMachine prod/db" in run("HEAD..HEAD~1").stdout


@LAST_OF
def test_two_sides_without_overlays_are_an_error(
    folder: Path, engine: str, deployer: Callable[[str], str]
) -> None:
    files = fleet(engine, deployer)
    commit(folder, {path: text for path, text in files.items() if path != "clusters/prod/vms.yaml"})
    found = run()
    assert (found.exit, found.stdout) == (1, "")
    assert found.stderr.startswith("vmrender.yaml:5:")
    assert "error[entry-point]: clusters/prod deploys" in found.stderr
    live = run("--live", "-")
    assert live.stdout == ""
    assert "error[entry-point]: clusters/prod deploys" in live.stderr


def test_machines_of_an_entry_that_cannot_be_read_are_not_compared(folder: Path) -> None:
    commit(folder, fleet("flux", kustomization))
    write(folder, {"clusters/prod/vms.yaml": "a: [\n"})
    found = run()
    assert "deleted" not in found.stdout
    assert found.stdout.startswith("NOT COMPARED: 2 overlays\n")
    assert "clusters/prod/vms.yaml:1:4: error[yaml-syntax]" in found.stderr


@pytest.mark.parametrize(
    "listing", ["resources:\n", "", "kind: Kustomization\n", "bases: []\n", "resources: []\n"]
)
@LAST_OF
def test_empty_kustomization_is_an_error_for_kustomize_and_not_for_flux(
    folder: Path, engine: str, deployer: Callable[[str], str], listing: str
) -> None:
    """Flux adds a field to it, so that it builds to nothing and all its objects are pruned."""
    listed = {"vms/kustomization.yaml": "resources: [db.yaml]\n", "web/web.yaml": VM.replace(": db", ": web")}
    commit(folder, fleet(engine, deployer) | listed | {"clusters/prod/web.yaml": deployer("web")})
    write(folder, {"vms/kustomization.yaml": listing})
    found = run()
    builds = engine == "flux" or listing == "resources: []\n"
    assert ("DATA: prod/db is deleted" in found.stdout) is builds
    assert ("not compared: it cannot be rendered in work tree" in found.stdout) is not builds
    assert ("the kustomization is empty" in found.stderr) is not builds
