"""``vmrender diff`` of owners: garbage collection deletes an object whose owners do not exist."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import VM, kustomization, run
from tests.cli.test_diff_handovers import APPS, PLAIN, TREE, application
from tests.cli.test_diff_unlisted import APPLICATIONS, KUBEVIRT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

UID = "11111111-1111-1111-1111-111111111111"
GET = "it gets the owner ConfigMap gone: it is deleted as soon as that does not exist with this uid"
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: prod}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
SET = APPLICATIONS.replace("https://git.example.org/vms.git", "https://git.example.org/acme/fleet.git")


def owned(manifest: str, flag: str) -> str:
    reference = f"{{apiVersion: v1, kind: ConfigMap, name: gone, uid: {UID}{flag}}}"
    return manifest.replace("metadata: {", f"metadata: {{ownerReferences: [{reference}], ", 1)


FLAGS = [
    "",
    ", controller: true",
    ", blockOwnerDeletion: true",
    ", controller: true, blockOwnerDeletion: true",
]


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize(
    ("entry", "deployer"),
    [
        ("", PLAIN),
        ("", application(path="overlays/prod")),
        ("", SET.replace("inf*", "overlays/*")),
        ("overlays: [{flux: clusters}]\n", PLAIN),
        ("overlays: [{argocd: clusters}]\n", application(path="overlays/prod")),
    ],
)
def test_owner_of_a_machine_whose_sources_are_applied(
    folder: Path, flag: str, entry: str, deployer: str
) -> None:
    commit(folder, TREE | {"vmrender.yaml": TREE["vmrender.yaml"] + entry, "clusters/apps.yaml": deployer})
    write(folder, {"overlays/prod/vm.yaml": owned(VM, flag)})
    assert "DATA: prod/db may be deleted" in run().stdout


def test_owner_that_render_leaves_out_is_not_applied_of_a_tree(folder: Path) -> None:
    commit(folder, TREE | {"clusters/apps.yaml": PLAIN.replace("overlays", "rendered")})
    write(folder, {"overlays/prod/vm.yaml": owned(VM, FLAGS[1])})
    assert run().stdout == ""


@pytest.mark.parametrize("manifest", [CLAIM, KUBEVIRT, kustomization("other")])
def test_owner_of_what_the_project_does_not_list(folder: Path, manifest: str) -> None:
    files = {"clusters/apps.yaml": APPS.replace("./apps", "./infra"), "infra/object.yaml": manifest}
    commit(folder, TREE | files)
    write(folder, {"infra/object.yaml": owned(manifest, FLAGS[1])})
    assert GET in run().stdout


READING = f"{VM}      volumes: [{{name: init, cloudInitNoCloud: {{secretRef: {{name: init}}}}}}]\n".replace(
    "devices:\n", "devices:\n          disks: [{name: init, disk: {}}]\n"
)
INIT = "{apiVersion: v1, kind: Secret, metadata: {name: init, namespace: prod}, stringData: {userdata: a}}\n"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (owned(INIT, ""), "gets the owner ConfigMap gone, and is deleted as soon as that does not exist"),
        (
            INIT.replace("userdata: a", "userdata: b"),
            "changes: virt-launcher reads it when the instance starts",
        ),
        (
            INIT.replace("namespace: prod", "namespace: prod, annotations: {argocd.argoproj.io/hook: ''}"),
            "is deleted, as Argo CD takes it for a hook of no phase",
        ),
    ],
)
def test_machine_that_reads_an_object_of_what_the_project_does_not_list(
    folder: Path, changed: str, reason: str
) -> None:
    apps, infra = application(path="overlays/prod"), application("infra", "infra")
    files = {"clusters/apps.yaml": apps, "clusters/infra.yaml": infra, "infra/object.yaml": INIT}
    commit(folder, TREE | files | {"overlays/prod/vm.yaml": READING})
    write(folder, {"infra/object.yaml": changed})
    found = run().stdout
    assert f"Secret init in clusters:infra {reason}" in found
    assert "no known harm" not in found


def test_owner_of_what_deploys_an_overlay(folder: Path) -> None:
    commit(folder, TREE | {"clusters/apps.yaml": PLAIN})
    write(folder, {"clusters/apps.yaml": owned(PLAIN, FLAGS[1])})
    assert GET in run().stdout
