"""Machines that read an object of another overlay, which changes or is removed there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run

KUSTOMIZATION = """\
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  path: ./NAME
  targetNamespace: shop
  sourceRef: {kind: GitRepository, name: flux-system}
"""
SOURCE = """\
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1h, url: "https://git.example.org/acme/fleet.git"}
"""
FLUX = "".join(KUSTOMIZATION.replace("NAME", name) for name in ("machines", "secrets")) + SOURCE
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {memory: {guest: 1Gi}, devices: {disks: [{name: init, disk: {bus: virtio}}]}}
      volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: db-init}}}]
"""
DISK = """\
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: data, namespace: shop}
spec:
  source: {http: {url: "https://example.org/a.img", certConfigMap: certs}}
  storage: {resources: {requests: {storage: 1Gi}}}
"""
CREDENTIALS = """\
apiVersion: v1
kind: Secret
metadata: {name: db-init, namespace: shop}
stringData:
  userdata: "#cloud-config\\nruncmd: [VALUE]"
"""
CERTS = "{apiVersion: v1, kind: ConfigMap, metadata: {name: certs, namespace: shop}, data: {ca: VALUE}}"
EXTERNAL = """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db, namespace: shop}
spec: {target: {name: db-init}}
"""
ENTRIES = PROJECT + "repositories: ['https://git.example.org/acme/fleet.git']\noverlays: [{flux: clusters}]\n"
READ = "changes: virt-launcher reads it when the instance starts"


def test_a_machine_reads_a_secret_of_another_kustomization(folder: Path) -> None:
    files = {
        "vmrender.yaml": ENTRIES,
        "clusters/apps.yaml": FLUX,
        "machines/db.yaml": VM,
        "machines/disk.yaml": DISK,
        "secrets/db.yaml": CREDENTIALS,
        "secrets/certs.yaml": CERTS,
    }
    commit(folder, files)
    write(
        folder,
        {
            "secrets/db.yaml": CREDENTIALS.replace("VALUE", "reboot"),
            "secrets/certs.yaml": CERTS.replace("VALUE", "b"),
        },
    )
    found = run().stdout
    assert "virtual machines: 1 counts after a restart, which KubeVirt does not ask for" in found
    assert "VirtualMachine shop/db in clusters:machines: counts after a restart" in found
    assert " for\n    by secrets/db.yaml:5\n" in found
    assert f"Secret db-init in clusters:secrets {READ}" in found
    assert "the importer of DataVolume shop/data reads it while a disk is filled, not later" in found
    assert "reboot" not in found


def test_a_machine_reads_what_an_operator_makes_for_another_kustomization(folder: Path) -> None:
    files = {"vmrender.yaml": ENTRIES, "clusters/apps.yaml": FLUX, "machines/db.yaml": VM}
    commit(folder, {**files, "secrets/db.yaml": EXTERNAL})
    write(folder, {"secrets/db.yaml": EXTERNAL.replace("}}", "}, dataFrom: [{extract: {key: b}}]}")})
    made = "ExternalSecret db in clusters:secrets, of which an operator makes Secret db-init,"
    assert f"{made} {READ}" in run("--fail-on", "restart").stdout


@pytest.mark.parametrize("prunes", ["true", "false"])
def test_a_machine_misses_a_secret_of_an_overlay_that_is_removed(folder: Path, prunes: str) -> None:
    machines, secrets, source = FLUX.split("---\n")[1:]
    secrets = secrets.replace("prune: true", f"prune: {prunes}")
    files = {"vmrender.yaml": ENTRIES, "machines/db.yaml": VM, "secrets/db.yaml": CREDENTIALS}
    sources = {"clusters/machines.yaml": f"{machines}---\n{source}", "clusters/secrets.yaml": secrets}
    commit(folder, {**files, **sources})
    (folder / "clusters/secrets.yaml").unlink()
    found = run().stdout
    assert ("Secret db-init in clusters:secrets is removed" in found) is (prunes == "true")


@pytest.mark.parametrize(("left", "is_missed"), [(CERTS, True), (EXTERNAL, False)])
def test_a_machine_misses_a_secret_that_leaves_another_kustomization(
    folder: Path, left: str, *, is_missed: bool
) -> None:
    files = {"vmrender.yaml": ENTRIES, "clusters/apps.yaml": FLUX, "machines/db.yaml": VM}
    commit(folder, {**files, "secrets/db.yaml": CREDENTIALS})
    write(folder, {"secrets/db.yaml": left})
    found = run().stdout
    assert ("Secret db-init in clusters:secrets is removed: the pod of its next start" in found) is is_missed
    assert found.startswith("NO START: shop/db will not start again\n") is is_missed


@pytest.mark.parametrize(
    ("sites", "is_read"),
    [
        (["secrets"], True),  # the only overlay with the object
        (["secrets", "secrets-of-another-site"], False),  # of which cluster is not known
    ],
)
def test_overlays_by_path_may_be_of_several_clusters(
    folder: Path, sites: list[str], *, is_read: bool
) -> None:
    files = {
        "vmrender.yaml": PROJECT,
        "overlays/machines/kustomization.yaml": "resources: [db.yaml]\n",
        "overlays/machines/db.yaml": VM,
    }
    for site in sites:
        files[f"overlays/{site}/kustomization.yaml"] = "resources: [db.yaml]\n"
        files[f"overlays/{site}/db.yaml"] = CREDENTIALS
    commit(folder, files)
    write(folder, {"overlays/secrets/db.yaml": CREDENTIALS.replace("VALUE", "reboot")})
    assert (f"Secret db-init in overlays/secrets {READ}" in run().stdout) is is_read


def test_a_secret_of_another_cluster_is_not_read(folder: Path) -> None:
    project = PROJECT + (
        "clusters: [{name: north}, {name: south}]\n"
        "overlays:\n- {path: machines, cluster: north}\n- {path: secrets, cluster: south}\n"
    )
    files = {
        "vmrender.yaml": project,
        "machines/kustomization.yaml": "resources: [db.yaml]\n",
        "machines/db.yaml": VM,
        "secrets/kustomization.yaml": "resources: [db.yaml]\n",
        "secrets/db.yaml": CREDENTIALS,
    }
    commit(folder, files)
    write(folder, {"secrets/db.yaml": CREDENTIALS.replace("VALUE", "reboot")})
    assert READ not in run().stdout
    commit(
        folder,
        {
            "secrets/db.yaml": CREDENTIALS,
            "vmrender.yaml": project.replace("cluster: south", "cluster: north"),
        },
    )
    write(folder, {"secrets/db.yaml": CREDENTIALS.replace("VALUE", "reboot")})
    assert READ in run().stdout
