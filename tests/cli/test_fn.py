"""``vmrender fn`` under the installed kustomize.

kubectl runs functions only in containers, so a fake docker runs them here; ``kustomize``, if installed, runs
vmrender as a program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONTAINER = "container: {image: vmrender}"
EXEC = "exec: {path: ./vmrender-fn}"
SERIES = """\
apiVersion: vmrender.io/v1alpha1
kind: InstancetypeSeries
metadata:
  name: db1
  annotations:
    config.kubernetes.io/function: |
      RUN
spec:
  sizes:
  - {name: large, vcpus: 2, memory: 12Gi}
"""
EXPANSION = """\
apiVersion: vmrender.io/v1alpha1
kind: KIND
metadata:
  name: KIND
  annotations:
    config.kubernetes.io/function: |
      RUN
spec:
  kubevirt: "1.8"
"""
VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  annotations: {example.com/version: "1.10"}
spec:
  runStrategy: Always
  instancetype: {name: db1.large}
  template: {spec: {domain: {devices: {}}}}
"""
KUSTOMIZATION = """\
resources: [vm.yaml]
generators: [series.yaml]
transformers: [expansion.yaml]
"""

needs_kubectl = pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not installed")
needs_kustomize = pytest.mark.skipif(not shutil.which("kustomize"), reason="kustomize is not installed")


def build(folder: Path, kustomization: str, machine: str, *, how: str) -> subprocess.CompletedProcess[str]:
    """Return what kustomize prints for the files, with functions run in the way ``how``."""
    (folder / "kustomization.yaml").write_text(kustomization, encoding="utf-8")
    (folder / "vm.yaml").write_text(machine, encoding="utf-8")
    (folder / "series.yaml").write_text(SERIES.replace("RUN", how), encoding="utf-8")
    for kind in ("Expansion", "Validation"):
        text = EXPANSION.replace("RUN", how).replace("KIND", kind)
        (folder / f"{kind.lower()}.yaml").write_text(text, encoding="utf-8")
    programs = folder / "bin"
    programs.mkdir()
    for program in (programs / "docker", folder / "vmrender-fn"):
        run = f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m renderer fn'
        program.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
        program.chmod(0o755)
    kubectl = ["kubectl", "kustomize", "--enable-alpha-plugins"]
    kustomize = ["kustomize", "build", "--enable-alpha-plugins", "--enable-exec"]
    return subprocess.run(
        [*(kubectl if how == CONTAINER else kustomize), "."],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


each_way = pytest.mark.parametrize(
    "how", [pytest.param(CONTAINER, marks=needs_kubectl), pytest.param(EXEC, marks=needs_kustomize)]
)


@each_way
def test_generator_and_transformer(tmp_path: Path, how: str) -> None:
    run = build(tmp_path, KUSTOMIZATION, VIRTUAL_MACHINE, how=how)

    assert run.returncode == 0, run.stderr
    size, machine = yaml.safe_load_all(run.stdout)
    assert size["metadata"]["name"] == "db1.large"
    assert size["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "12Gi"}}
    assert machine["metadata"] == {"name": "web", "annotations": {"example.com/version": "1.10"}}
    domain = machine["spec"]["template"]["spec"]["domain"]
    assert domain["cpu"] == {"cores": 1, "sockets": 2, "threads": 1}
    assert "instancetype" not in machine["spec"]


@each_way
def test_a_finding_stops_the_build(tmp_path: Path, how: str) -> None:
    machine = VIRTUAL_MACHINE.replace("devices: {}", "cpu: {cores: 3}, devices: {}")

    run = build(tmp_path, KUSTOMIZATION, machine, how=how)

    assert (run.returncode != 0, run.stdout) == (True, "")
    assert "VirtualMachine web: spec.template.spec.domain.cpu.cores is set by instance type" in run.stderr


@each_way
def test_a_validation_changes_nothing(tmp_path: Path, how: str) -> None:
    kustomization = KUSTOMIZATION.replace("expansion.yaml", "validation.yaml")

    run = build(tmp_path, kustomization, VIRTUAL_MACHINE, how=how)

    assert run.returncode == 0, run.stderr
    _, machine = yaml.safe_load_all(run.stdout)
    assert machine["spec"]["instancetype"] == {"name": "db1.large"}


@each_way
def test_a_validation_stops_the_build(tmp_path: Path, how: str) -> None:
    kustomization = KUSTOMIZATION.replace("expansion.yaml", "validation.yaml")
    machine = VIRTUAL_MACHINE.replace("db1.large", "db1.larg")

    run = build(tmp_path, kustomization, machine, how=how)

    assert (run.returncode != 0, run.stdout) == (True, "")
    assert "error[instancetype-not-found]: VirtualMachine web:" in run.stderr
