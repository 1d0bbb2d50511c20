"""A confidential value is masked wherever it comes from: catalogs, Git's metadata, patches within objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.canaries.search import canaries
from tests.security.git_history import committed
from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
KUSTOMIZATION = "resources: [o.yaml]\n"
CONFIG_MAP = (
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: a}, data: {x: public-text}}\n"
)
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: a}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {devices: {}}
"""
SIZE = f"""\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: ours, annotations: {{url: 'https://user:{CANARY}@example.org/x'}}}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}, annotations: {{db-password: {CANARY}}}}}
"""
COMMANDS = ("diff", "diff --format json", "render --check", "validate")


def written(root: Path, files: dict[str, str], old: str = "", new: str = "") -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.replace(old, new) if old else text, encoding="utf-8")


def shown(*commands: str) -> list[str]:
    """Return the lines of the outputs that have a canary."""
    leaks: list[str] = []
    for command in commands:
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), stderr
        leaks += [f"{command}: {line}" for line in canaries(stdout + stderr)]
    return leaks


def test_catalogs_are_masked_without_any_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = f"{PROJECT}catalogs: [{{path: sizes}}]\n"
    kustomization = {"sizes/kustomization.yaml": KUSTOMIZATION, "sizes/o.yaml": SIZE}
    files = {"vmrender.yaml": listed, "prod/kustomization.yaml": "resources: []\n", **kustomization}
    written(tmp_path, files)
    written(tmp_path, {"old/kustomization.yaml": KUSTOMIZATION, "old/o.yaml": SIZE}, "canary", "oldcanary")
    committed(tmp_path)
    written(tmp_path, files, "canary", "newcanary")

    pairs = ("catalog diff old sizes", "catalog diff HEAD")
    leaks = shown(*pairs, *(f"{each} --format json" for each in pairs), "catalog show ours", "catalog list")
    assert leaks == []
    for each in pairs:  # a change is seen nevertheless
        assert "db-password: (withheld) -> (withheld)" in invoked(each)[1]
    assert "newcanary" in invoked("catalog export")[1]


def test_subject_of_a_commit_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secret = f"---\napiVersion: v1\nkind: Secret\nmetadata: {{name: k}}\nstringData: {{p: {CANARY}}}\n"
    files = {
        "vmrender.yaml": PROJECT,
        "prod/kustomization.yaml": KUSTOMIZATION,
        "prod/o.yaml": MACHINE + secret,
    }
    written(tmp_path, files, "Always", "Halted")
    committed(tmp_path)
    written(tmp_path, files)
    committed(tmp_path, f"rotate to {CANARY} of https://user:canary@example.org/x")

    formats = ("text", "json", "markdown", "html", "jsonl")
    assert shown(*(f"diff --since HEAD~1 --format {each}" for each in formats)) == []
    assert "rotate to ***" in invoked("diff --since HEAD~1")[1]
