"""A link named on the command line is not followed: nothing outside is read, shown or written."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink"), reason="links as on Unix")

CANARY = "canary-from-outside"
MACHINE = f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: shop}}
spec:
  running: true
  instancetype: {{name: u1.medium}}
  template:
    spec:
      domain: {{devices: {{}}}}
      hostname: {CANARY}_!!
"""
DEFINITION = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {CANARY}.example.org}}
spec:
  group: example.org
  names: {{kind: Canary, plural: canaries}}
  scope: Cluster
  versions: [{{name: v1, schema: {{openAPIV3Schema: {{type: object}}}}}}]
"""
BROKEN = f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\ntoken: {CANARY}: x\n"


@pytest.fixture(params=["no marker", "a checkout", "a project"])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    outside = tmp_path / "outside"
    (outside / "k").mkdir(parents=True)
    if request.param == "a checkout":
        (outside / ".git").mkdir()
    elif request.param == "a project":
        (outside / "k/vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    for name, content in (("vm", MACHINE), ("crd", DEFINITION), ("broken", BROKEN)):
        (outside / f"{name}.yaml").write_text(content)
        (outside / f"k/{name}.yaml").write_text(content)
    (outside / "k/kustomization.yaml").write_text("resources: [vm.yaml]\n")
    root = tmp_path / "pr"
    prod = root / "overlays/prod"
    prod.mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n")
    (prod / "kustomization.yaml").write_text("resources: []\n")
    (prod / "k").symlink_to("../../../outside/k")
    for name in ("vm", "crd", "broken"):
        (prod / f"{name}.yaml").symlink_to(f"../../../outside/{name}.yaml")
    monkeypatch.chdir(root)
    return root


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        "validate overlays/prod/vm.yaml",
        "validate overlays/prod/k",
        "validate overlays/prod/k/broken.yaml",
        "validate overlays/prod/broken.yaml",
        "validate overlays/prod/vm.yaml overlays/prod/kustomization.yaml",
        "build overlays/prod/k",
        "build ./overlays/../overlays/prod/k",
        "expand overlays/prod/vm.yaml",
        "expand overlays/prod/k/vm.yaml",
        "expand overlays/prod/broken.yaml",
        "render overlays/prod/k",
        "migrate overlays/prod/vm.yaml",
        "migrate overlays/prod/k",
        "migrate --diff overlays/prod/k/vm.yaml",
        "migrate --check overlays/prod/vm.yaml",
        "pin overlays/prod/k --all",
        "unpin overlays/prod/k --all",
        "explain --overlay overlays/prod/k vm/web",
        "catalog export overlays/prod/k",
        "catalog diff overlays/prod/k builtin:common-instancetypes",
        "catalog import --release v1.5.1 --name other overlays/prod/k",
        "schema import --release 1.10 overlays/prod/crd.yaml",
        "schema import --release 1.10 overlays/prod/k/crd.yaml",
        "schema import --release 1.10 overlays/prod/k",
        "customize u1.medium --name u1.big --vcpus 9 --write overlays/prod/k",
    ],
)
def test_named_link_is_not_followed(project: Path, command: str) -> None:
    outside = project.parent / "outside"
    before = content(outside)
    for path in (command, command.replace("overlays/", f"{project}/overlays/")):
        result = CliRunner().invoke(main, shlex.split(path))
        assert result.exit_code not in (0, None), result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert CANARY not in result.output
        assert content(outside) == before
    own = [file for file in project.rglob("*") if file.is_file() and not file.is_symlink()]
    assert not any(CANARY.encode() in file.read_bytes() for file in own if "prod/k/" not in str(file))
