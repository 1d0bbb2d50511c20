"""Custom resources of other operators that are removed: what may go with them."""

from __future__ import annotations

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from tests.unit.kubevirt.impact.fake_engine import FakeEngine

CLAIM: JsonObject = {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}


def impact_of_removal(kind: str, spec: JsonObject, kept: str = "") -> tuple[str, str]:
    api_version, _, kind = kind.rpartition("/")
    content: JsonObject = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, "spec": spec}
    release = Release(1, 9)
    before = OverlaySide(release, (Resource(content, Site("a.yaml")),), engine=FakeEngine(kept=kept))
    [change] = compare_overlay("", "", before, OverlaySide(release, engine=FakeEngine(kept=kept))).changes
    return (str(change.impact.effect), change.impact.reason) if change.impact else ("", "")


@pytest.mark.parametrize(
    ("kind", "spec", "field"),
    [
        ("postgresql.cnpg.io/v1/Cluster", {"storage": {"size": "1Gi"}}, "spec.storage.size"),
        ("acid.zalan.do/v1/postgresql", {"volume": {"size": "1Gi"}}, "spec.volume.size"),
        (
            "minio.min.io/v2/Tenant",
            {"pools": [{"volumeClaimTemplate": CLAIM}]},
            "spec.pools.volumeClaimTemplate",
        ),
        ("monitoring.example.org/v1/Store", {"data": CLAIM}, "spec.data.spec.resources.requests.storage"),
        ("k8ssandra.io/v1/Cluster", {"dc": {"dataVolumeClaimSpec": CLAIM}}, "spec.dc.dataVolumeClaimSpec"),
        ("objectbucket.io/v1alpha1/ObjectBucketClaim", {"storageClassName": "a"}, "spec.storageClassName"),
    ],
)
def test_object_that_asks_for_storage_may_take_it_along(kind: str, spec: JsonObject, field: str) -> None:
    reason = f"its operator may delete the storage that it asks for ({field})"
    assert impact_of_removal(kind, spec) == (str(Effect.MAY_DELETE), reason)


@pytest.mark.parametrize(
    ("kind", "spec", "reason"),
    [
        ("cluster.x-k8s.io/v1beta1/MachineDeployment", {}, "the machines that it makes are deleted with it"),
        (
            "infrastructure.cluster.x-k8s.io/v1alpha1/KubevirtMachine",
            {},
            "the machines that it makes are deleted with it",
        ),
        ("ceph.rook.io/v1/CephBlockPool", {}, "the storage that it describes may be deleted with it"),
        (
            "postgresql.cnpg.io/v1/Database",
            {"databaseReclaimPolicy": "delete"},
            "what it has made is deleted with it (spec.databaseReclaimPolicy: delete)",
        ),
    ],
)
def test_object_that_makes_machines_or_says_that_it_deletes(kind: str, spec: JsonObject, reason: str) -> None:
    assert impact_of_removal(kind, spec) == (str(Effect.MAY_DELETE), reason)


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("postgresql.cnpg.io/v1/Database", {"databaseReclaimPolicy": "retain"}),
        ("postgresql.cnpg.io/v1/ScheduledBackup", {"schedule": "0 0 * * *"}),
        ("example.org/v1/Database", {"storage": {"size": "1Gi"}, "reclaimPolicy": "Retain"}),
        ("example.org/v1/Server", {"volumes": [{"persistentVolumeClaim": {"claimName": "a"}}]}),
        ("example.org/v1/Runner", {"volumes": [{"ephemeral": {"volumeClaimTemplate": CLAIM}}]}),
        ("example.org/v1/Backup", {"mover": {"cache": {"storageClassName": "a"}}}),
        ("example.org/v1/Policy", {"object": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **CLAIM}}),
        ("example.org/v1/Store", {"storageClassName": ""}),
        ("example.org/v1/Role", {"deletionPolicy": "Delete"}),
        ("example.org/v1/Backup", {"sources": [{"pvc": {"name": "a"}}]}),
        ("kyverno.io/v1/Policy", {"rules": [{"volumeClaimTemplates": [CLAIM]}]}),
        ("volsync.backube/v1alpha1/ReplicationSource", {"restic": {"storageClassName": "a"}}),
        ("cluster.x-k8s.io/v1beta1/MachineHealthCheck", {}),
        ("infrastructure.cluster.x-k8s.io/v1alpha1/KubevirtMachineTemplate", {"template": {}}),
        ("external-secrets.io/v1/ExternalSecret", {"target": {"deletionPolicy": "Delete"}}),
        ("snapshot.storage.k8s.io/v1/VolumeSnapshotContent", {"deletionPolicy": "Delete"}),
        ("storage.k8s.io/v1/VolumeAttachment", {"deletionPolicy": "Delete"}),
        ("apps/v1/StatefulSet", {"volumeClaimTemplates": [CLAIM]}),
    ],
)
def test_of_other_objects_nothing_is_assumed(kind: str, spec: JsonObject) -> None:
    assert impact_of_removal(kind, spec) == ("", "")


@pytest.mark.parametrize(
    ("kind", "replicas", "reason"),
    [
        ("cluster.x-k8s.io/v1beta1/MachineDeployment", (3, 1), "machines are deleted: 3 -> 1"),
        ("hypershift.openshift.io/v1beta1/NodePool", (3, 2), "machines are deleted: 3 -> 2"),
        ("cluster.x-k8s.io/v1beta1/MachineDeployment", (1, 3), ""),
        ("cluster.x-k8s.io/v1beta1/MachineDeployment", (3, None), ""),
        ("example.org/v1/Deployment", (3, 1), ""),
    ],
)
def test_fewer_replicas_delete_machines(
    kind: str, replicas: tuple[int | None, int | None], reason: str
) -> None:
    api_version, _, kind = kind.rpartition("/")
    before, after = (
        OverlaySide(
            Release(1, 9),
            (
                Resource(
                    {
                        "apiVersion": api_version,
                        "kind": kind,
                        "metadata": {"name": "a"},
                        "spec": {} if number is None else {"replicas": number},
                    },
                    Site("a.yaml"),
                ),
            ),
        )
        for number in replicas
    )
    [change] = compare_overlay("", "", before, after).changes
    assert (change.impact.reason if change.impact else "") == reason


def test_object_that_stays_takes_nothing_along() -> None:
    kept = "Kustomization a has no prune: true"
    expected = str(Effect.NONE), f"it stays in the cluster: {kept}"
    assert impact_of_removal("postgresql.cnpg.io/v1/Cluster", {"storage": {"size": "1Gi"}}, kept) == expected
