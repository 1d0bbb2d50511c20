"""Machines that a change makes name an object which the repository does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from renderer.cli.console import ExitCode
from tests.cli.diff_repositories import PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {memory: {guest: 1Gi}, devices: {disks: [{name: root}], interfaces: [{name: lan, bridge: {}}]}}
      networks: [{name: lan, multus: {networkName: lan}}]
      volumes:
        - {name: root, persistentVolumeClaim: {claimName: root}}
        - {name: init, cloudInitNoCloud: {secretRef: {name: init}}}
"""
OBJECTS = """\
{apiVersion: v1, kind: Secret, metadata: {name: init, namespace: shop}, stringData: {userdata: "#a"}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: root, namespace: shop}, spec: {}}
---
{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition, metadata: {name: lan, namespace: shop}}
"""
FILES = {
    "vmrender.yaml": PROJECT,
    "overlays/prod/kustomization.yaml": "resources: [db.yaml, objects.yaml]\n",
    "overlays/prod/db.yaml": VM,
    "overlays/prod/objects.yaml": OBJECTS,
}
NEW = VM.replace("secretRef: {name: init}", "secretRef: {name: new}")
LOST = "accepted, but the next start fails: "
MISSING = "Secret new is not in Git: unless the cluster has it, the pod of its next start waits for it"


@pytest.mark.parametrize(
    ("old", "new", "object_", "failure"),
    [
        (
            "secretRef: {name: init}",
            "secretRef: {name: new}",
            "Secret new",
            "the pod of its next start waits for it",
        ),
        (
            "claimName: root",
            "claimName: new",
            "PersistentVolumeClaim or DataVolume new",
            "KubeVirt waits for the claim before its next start",
        ),
        (
            "networkName: lan",
            "networkName: new",
            "NetworkAttachmentDefinition new",
            "KubeVirt makes no pod for its next start",
        ),
    ],
)
def test_machine_loses_what_it_named(folder: Path, old: str, new: str, object_: str, failure: str) -> None:
    commit(folder, FILES)
    write(folder, {"overlays/prod/db.yaml": VM.replace(old, new)})
    result = run("--fail-on", "no-start")
    assert "NO START: shop/db will not start again\n" in result.stdout
    assert f"{LOST}{object_} is not in Git: unless the cluster has it, {failure}\n" in result.stdout
    assert result.exit == ExitCode.FINDINGS


def test_patch_of_the_machine_is_no_source_of_the_object(folder: Path) -> None:
    commit(folder, FILES)
    place = "/spec/template/spec/volumes/1/cloudInitNoCloud/secretRef/name"
    write(
        folder,
        {
            "overlays/prod/kustomization.yaml": "resources: [db.yaml, objects.yaml]\n"
            "patches: [{path: patch.yaml, target: {kind: VirtualMachine}}]\n",
            "overlays/prod/patch.yaml": f"- {{op: replace, path: {place}, value: new}}\n",
        },
    )
    assert MISSING in run().stdout


@pytest.mark.parametrize(
    "provider",
    [
        "{apiVersion: v1, kind: Secret, metadata: {name: new}}\n",
        "{apiVersion: external-secrets.io/v1, kind: ExternalSecret, spec: {target: {name: new}}}\n",
        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: new}}]}\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: new}\n{{- if .Values.a }}\ndata: {}\n{{- end }}\n",
    ],
    ids=["object", "operator", "list", "template"],
)
def test_object_may_come_from_any_file(folder: Path, provider: str) -> None:
    commit(folder, FILES)
    write(folder, {"overlays/prod/db.yaml": NEW, "elsewhere/a.yaml": provider})
    assert "is not in Git" not in run().stdout


def test_object_may_come_from_a_generator(folder: Path) -> None:
    commit(folder, FILES)
    kustomization = "secretGenerator: [{name: new, literals: [a=b]}]\n"
    write(folder, {"overlays/prod/db.yaml": NEW, "elsewhere/kustomization.yaml": kustomization})
    assert "is not in Git" not in run().stdout


def test_name_that_others_use_is_most_probably_of_the_cluster(folder: Path) -> None:
    """The field says what is not known, and no more."""
    commit(folder, {**FILES, "elsewhere/b.yaml": NEW.replace("name: db", "name: b")})
    write(folder, {"overlays/prod/db.yaml": NEW})
    result = run()
    assert result.stdout.startswith("shop/db needs a restart\n")
    assert f"; {MISSING}\n" in result.stdout


def test_added_field_says_what_is_not_known(folder: Path) -> None:
    commit(folder, FILES)
    network = "secretRef: {name: init}, networkDataSecretRef: {name: new}"
    write(folder, {"overlays/prod/db.yaml": VM.replace("secretRef: {name: init}", network)})
    result = run()
    assert result.stdout.startswith("shop/db needs a restart\n")
    assert f"; {MISSING}\n" in result.stdout


def test_nothing_is_said_if_no_such_objects_are_in_git(folder: Path) -> None:
    commit(folder, {**FILES, "overlays/prod/kustomization.yaml": "resources: [db.yaml]\n"})
    (folder / "overlays/prod/objects.yaml").unlink()
    commit(folder, {})
    write(folder, {"overlays/prod/db.yaml": NEW})
    assert "is not in Git" not in run().stdout
