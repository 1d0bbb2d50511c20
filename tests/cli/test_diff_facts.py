"""``vmrender diff`` of a cluster whose facts are known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.git_work_tree import commit, init, write
from tests.cli.test_diff import run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nfacts: facts.yaml\n"
FACTS = """\
apiVersion: vmrender.io/v1alpha1
kind: ClusterFacts
versions: {kubevirt: 1.6.2}
objects:
- apiVersion: storage.k8s.io/v1
  kind: StorageClass
  metadata: {name: local}
  allowVolumeExpansion: false
- apiVersion: cdi.kubevirt.io/v1beta1
  kind: StorageProfile
  metadata: {name: local}
  status: {claimPropertySets: [{accessModes: [ReadWriteOnce]}]}
- apiVersion: kubevirt.io/v1
  kind: KubeVirt
  metadata: {name: kubevirt, namespace: kubevirt}
  spec:
    configuration: {vmRolloutStrategy: LiveUpdate}
    workloadUpdateStrategy: {workloadUpdateMethods: [LiveMigrate]}
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: prod}
spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: prod}
spec:
  runStrategy: Always
  dataVolumeTemplates:
    - metadata: {name: db-root}
      spec:
        source: {blank: {}}
        storage: {storageClassName: local, resources: {requests: {storage: 1Gi}}}
  template:
    spec:
      domain:
        cpu: {sockets: 1, maxSockets: 4}
        memory: {guest: 1Gi}
        devices: {interfaces: [{name: pod, masquerade: {}}]}
      networks: [{name: pod, pod: {}}]
      volumes: [{name: root, dataVolume: {name: db-root}}]
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository = init(tmp_path / "repository")
    files = {
        "vmrender.yaml": PROJECT,
        "facts.yaml": FACTS,
        "overlays/prod/kustomization.yaml": "resources: [claim.yaml, vm.yaml]\n",
        "overlays/prod/claim.yaml": CLAIM,
        "overlays/prod/vm.yaml": VM,
    }
    commit(repository, files)
    monkeypatch.chdir(repository)
    return repository


def test_claim_of_a_class_that_does_not_expand_cannot_grow(repository: Path) -> None:
    larger = {"overlays/prod/claim.yaml": CLAIM.replace("1Gi", "2Gi")}
    write(repository, larger)
    refusal = "StorageClass local does not have allowVolumeExpansion: true"
    assert refusal in run().stdout
    facts = FACTS.replace("allowVolumeExpansion: false", "allowVolumeExpansion: true")
    write(repository, {"facts.yaml": facts})
    assert refusal in run().stdout
    commit(repository, {"facts.yaml": facts, "overlays/prod/claim.yaml": CLAIM})
    write(repository, larger)
    assert "allowVolumeExpansion" not in run().stdout


def test_settings_of_the_project_count_before_facts(repository: Path) -> None:
    settings = "storageClasses: [{name: local, allowVolumeExpansion: true}]\n"
    commit(repository, {"vmrender.yaml": PROJECT + settings})
    write(repository, {"overlays/prod/claim.yaml": CLAIM.replace("1Gi", "2Gi")})
    assert "allowVolumeExpansion" not in run().stdout


def test_access_modes_and_rollout_strategy_are_those_of_the_cluster(repository: Path) -> None:
    larger = {"overlays/prod/vm.yaml": VM.replace("sockets: 1", "sockets: 2")}
    write(repository, larger)
    assert "counts after a restart, as the VM cannot be live-migrated" in run().stdout
    shared_claims = FACTS.replace("ReadWriteOnce", "ReadWriteMany")
    commit(repository, {"facts.yaml": shared_claims, "overlays/prod/vm.yaml": VM})
    write(repository, larger)
    shared = run().stdout
    assert "VirtualMachine prod/db" in shared
    assert "restart" not in shared
