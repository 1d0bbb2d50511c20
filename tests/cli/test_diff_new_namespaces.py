"""Machines that a change puts into a namespace of which no file has the Namespace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.diff_repositories import APPLICATION_OF_PATH, PROJECT
from tests.cli.git_work_tree import commit, write
from tests.cli.test_diff import run

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db}
spec:
  runStrategy: Halted
  template: {spec: {domain: {memory: {guest: 1Gi}}}}
"""
OTHER = "{apiVersion: v1, kind: Namespace, metadata: {name: other}}\n"
FILES = {
    "vmrender.yaml": PROJECT,
    "overlays/prod/kustomization.yaml": "namespace: prod\nresources: [db.yaml]\n",
    "overlays/prod/db.yaml": VM,
}
MOVED = {"overlays/prod/kustomization.yaml": "namespace: new\nresources: [db.yaml]\n"}
NOTE = "  no Namespace new is in Git: unless the cluster has it, nothing can be created there\n"
APPLICATION = APPLICATION_OF_PATH.replace(
    '"https://kubernetes.default.svc"}', '"https://kubernetes.default.svc", namespace: new}'
).replace("PATH", "overlays/prod")


def test_overlay_says_that_the_namespace_is_not_in_git(folder: Path) -> None:
    commit(folder, {**FILES, "elsewhere/a.yaml": OTHER})
    write(folder, MOVED)
    assert NOTE in run().stdout


def test_machine_without_a_namespace_needs_none_in_git(folder: Path) -> None:
    commit(folder, {**FILES, "elsewhere/a.yaml": OTHER})
    write(folder, {"overlays/more/kustomization.yaml": "resources: [a.yaml]\n"})
    write(folder, {"overlays/more/a.yaml": VM})
    assert "1 added" in (shown := run().stdout)
    assert "is in Git" not in shown


def test_added_machine_is_in_an_unknown_namespace(folder: Path) -> None:
    commit(folder, {**FILES, "elsewhere/a.yaml": OTHER})
    added = VM.replace("name: db", "name: added")
    write(folder, {"overlays/more/kustomization.yaml": "namespace: new\nresources: [a.yaml]\n"})
    write(folder, {"overlays/more/a.yaml": added})
    assert NOTE in run().stdout


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"elsewhere/a.yaml": OTHER, "elsewhere/b.yaml": OTHER.replace("other", "new")},
        {
            "elsewhere/a.yaml": OTHER,
            "elsewhere/b.yaml": "kind: Secret\nmetadata: {name: a, namespace: new}\n",
        },
        {
            "elsewhere/a.yaml": OTHER,
            "apps/a.yaml": f"{APPLICATION}  syncPolicy: {{syncOptions: [CreateNamespace=true]}}\n",
        },
        {
            "elsewhere/a.yaml": OTHER,
            "elsewhere/new/kustomization.yaml": "namespace: new\nresources: [a.yaml]\n",
            "elsewhere/new/a.yaml": OTHER,
        },
    ],
    ids=["no Namespace in Git", "in a file", "known before", "made by Argo CD", "built"],
)
def test_namespace_that_the_cluster_most_probably_has(folder: Path, files: dict[str, str]) -> None:
    commit(folder, {**FILES, **files})
    write(folder, MOVED)
    assert "no Namespace" not in run().stdout
