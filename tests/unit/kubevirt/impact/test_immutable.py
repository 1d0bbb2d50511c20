"""Updates that the API server, CDI and KubeVirt refuse, and similar ones that they admit."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import OverlaySide, compare_overlay
from renderer.kubevirt.impact.immutable import ROWS
from renderer.model.difference import Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST, Release

CLAIM = "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {%s}}"
CLAIM_OF = "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {storageClassName: fast, %s}}"
DISK = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, spec: {%s}}"
CRON = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataImportCron, spec: {%s}}"
SNAPSHOT = "{apiVersion: snapshot.kubevirt.io/v1beta1, kind: VirtualMachineSnapshot, spec: {%s}}"
RESTORE = "{apiVersion: snapshot.kubevirt.io/v1beta1, kind: VirtualMachineRestore, spec: {%s}}"
EXPORT = "{apiVersion: export.kubevirt.io/v1beta1, kind: VirtualMachineExport, spec: {%s}}"
CLONE = "{apiVersion: clone.kubevirt.io/v1beta1, kind: VirtualMachineClone, spec: {%s}}"
BACKUP = "{apiVersion: backup.kubevirt.io/v1alpha1, kind: VirtualMachineBackup, spec: {%s}}"
REQUEST = "{apiVersion: template.kubevirt.io/v1alpha1, kind: VirtualMachineTemplateRequest, spec: {%s}}"
MIGRATION = "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstanceMigration, spec: {%s}}"
REPLICAS = "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstanceReplicaSet, spec: {%s}}"
POOL = "{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, spec: {%s}}"
SOURCE = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataSource, spec: {%s}}"
CREDENTIALS = "{apiVersion: v1, kind: Secret, %s}"
SETTINGS = "{apiVersion: v1, kind: ConfigMap, %s}"
SERVICE = "{apiVersion: v1, kind: Service, spec: {%s}}"
STATEFUL = "{apiVersion: apps/v1, kind: StatefulSet, spec: {%s}}"
DEPLOYMENT = "{apiVersion: apps/v1, kind: Deployment, spec: {%s}}"
REVISION = "{apiVersion: apps/v1, kind: ControllerRevision, %s}"
JOB = "{apiVersion: batch/v1, kind: Job, spec: {%s}}"
BINDING = "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, %s}"
CLASS = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, %s}"
STAGES = "source: {vddk: {url: u}}, checkpoints: [%s], finalCheckpoint: %s"

REFUSED = [
    (DISK, "source: {http: {url: a}}", "source: {http: {url: b}}", "spec.source.http.url"),
    (DISK, "storage: {}", "storage: {storageClassName: fast}", "spec.storage.storageClassName"),
    (DISK, STAGES % ("{current: a}", "false"), "source: {vddk: {url: v}}", "spec.checkpoints"),
    (DISK, "source: {blank: {}}", "source: {blank: {}}, checkpoints: [{current: a}]", "spec.checkpoints"),
    (CRON, "schedule: 0 1 * * *", "schedule: 0 2 * * *", "spec.schedule"),
    (SNAPSHOT, "source: {name: a}", "source: {name: b}", "spec.source.name"),
    (RESTORE, "target: {name: a}", "target: {name: b}", "spec.target.name"),
    (EXPORT, "ttlDuration: 1h", "ttlDuration: 2h", "spec.ttlDuration"),
    (BACKUP, "pvcName: a", "pvcName: b", "spec.pvcName"),
    (REQUEST, "templateName: a", "templateName: b", "spec.templateName"),
    (MIGRATION, "vmiName: a", "vmiName: b", "spec.vmiName"),
    (
        POOL,
        "selector: {matchLabels: {a: b}}",
        "selector: {matchLabels: {a: c}}",
        "spec.selector.matchLabels.a",
    ),
    (CLAIM, "accessModes: [ReadWriteOnce]", "accessModes: [ReadWriteMany]", "spec.accessModes[0]"),
    (CLAIM, "storageClassName: a", "storageClassName: b", "spec.storageClassName"),
    (CLAIM, "storageClassName: a", "", "spec.storageClassName"),
    (CLAIM, "volumeName: a", "volumeName: b", "spec.volumeName"),
    (CLAIM, "", "volumeMode: Block", "spec.volumeMode"),
    (CLAIM, "", "selector: {matchLabels: {a: b}}", "spec.selector"),
    (CLAIM, "dataSource: {name: a}", "dataSource: {name: b}", "spec.dataSource.name"),
    (
        CLAIM,
        "resources: {requests: {storage: 20Gi}}",
        "resources: {requests: {storage: 10Gi}}",
        "spec.resources.requests.storage",
    ),
    (
        "{apiVersion: v1, kind: PersistentVolumeClaim, spec: {storageClassName: slow, %s}}",
        "resources: {requests: {storage: 20Gi}}",
        "resources: {requests: {storage: 30Gi}}",
        "spec.resources.requests.storage",
    ),
    (CREDENTIALS, "immutable: true, data: {a: YQ==}", "immutable: true, data: {a: Yg==}", "data.a"),
    (
        CREDENTIALS,
        "immutable: true, stringData: {a: b}",
        "immutable: true, stringData: {a: c}",
        "stringData.a",
    ),
    (CREDENTIALS, "immutable: true", "immutable: false", "immutable"),
    (CREDENTIALS, "", "type: kubernetes.io/tls", "type"),
    (SETTINGS, "immutable: true, data: {a: b}", "immutable: true, data: {a: c}", "data.a"),
    (SERVICE, "clusterIP: 10.0.0.1", "clusterIP: 10.0.0.2", "spec.clusterIP"),
    (SERVICE, "type: ClusterIP", "clusterIP: None", "spec.clusterIP"),
    (STATEFUL, "serviceName: a", "serviceName: b", "spec.serviceName"),
    (STATEFUL, "replicas: 1", "replicas: 1, volumeClaimTemplates: [{}]", "spec.volumeClaimTemplates"),
    (
        DEPLOYMENT,
        "selector: {matchLabels: {a: b}}",
        "selector: {matchLabels: {a: c}}",
        "spec.selector.matchLabels.a",
    ),
    (REVISION, "data: {a: b}", "data: {a: c}", "data.a"),
    (
        JOB,
        "template: {spec: {nodeName: a}}",
        "template: {spec: {nodeName: b}}",
        "spec.template.spec.nodeName",
    ),
    (JOB, "completions: 1", "completions: 2", "spec.completions"),
    (BINDING, "roleRef: {name: a}", "roleRef: {name: b}", "roleRef.name"),
    (CLASS, "provisioner: a", "provisioner: b", "provisioner"),
]
ADMITTED = [
    (DISK, "source: {blank: {}}", "source: {blank: {}}, priorityClassName: ''"),
    (
        DISK,
        "storage: {resources: {requests: {storage: 1Gi}}}",
        "storage: {resources: {requests: {storage: 1024Mi}}}",
    ),
    (DISK, STAGES % ("{current: a}", "false"), STAGES % ("{current: a}, {current: b}", "true")),
    (SOURCE, "source: {pvc: {name: a}}", "source: {pvc: {name: b}}"),
    (CLONE, "target: {name: a}", "target: {name: b}"),
    (POOL, "replicas: 1", "replicas: 2"),
    (REPLICAS, "selector: {matchLabels: {a: b}}", "selector: {matchLabels: {a: c}}"),
    (CLAIM, "", "storageClassName: a"),  # it may be the class that the cluster chose
    (CLAIM, "", "volumeName: a"),
    (CLAIM, "", "volumeMode: Filesystem"),
    (CLAIM, "", "volumeAttributesClassName: gold"),
    (CLAIM, "resources: {requests: {storage: 20Gi}}", "resources: {requests: {storage: 30Gi}}"),
    (CLAIM_OF, "resources: {requests: {storage: 20Gi}}", "resources: {requests: {storage: 30Gi}}"),
    (CREDENTIALS, "data: {a: YQ==}", "data: {a: Yg==}"),
    (CREDENTIALS, "immutable: true, stringData: {a: b}", "immutable: true, data: {a: Yg==}"),
    (CREDENTIALS, "", "type: Opaque"),
    (CREDENTIALS, "", "immutable: true"),
    (SETTINGS, "data: {a: b}", "immutable: true, data: {a: c}"),
    (SERVICE, "clusterIP: 10.0.0.1", ""),
    (SERVICE, "", "clusterIP: 10.0.0.1"),
    (SERVICE, "clusterIP: 10.0.0.1", "type: ExternalName, externalName: a"),
    (STATEFUL, "replicas: 1", "replicas: 2, minReadySeconds: 3"),
    (STATEFUL, "", "podManagementPolicy: OrderedReady"),
    (DEPLOYMENT, "replicas: 1", "replicas: 2"),
    (REVISION, "revision: 1", "revision: 2"),
    (JOB, "suspend: true, template: {spec: {nodeName: a}}", "suspend: true, template: {spec: {nodeName: b}}"),
    (JOB, "template: {spec: {}}", "template: {spec: {dnsPolicy: ClusterFirst}}"),
    (
        JOB,
        "completionMode: Indexed, completions: 1, parallelism: 1",
        "completionMode: Indexed, completions: 2, parallelism: 2",
    ),
    (BINDING, "roleRef: {name: a}, subjects: []", "roleRef: {name: a}, subjects: [{kind: User}]"),
    (CLASS, "reclaimPolicy: Delete", "allowVolumeExpansion: true"),
]
OTHERS = (
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, allowVolumeExpansion: true}",
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: slow}}",
)


def resource(text: str) -> Resource:
    content: dict[str, Any] = yaml.safe_load(text)
    metadata = {"name": "a", "namespace": "shop", **content.get("metadata", {})}
    return Resource({**content, "metadata": metadata}, Site("a.yaml"))


def change_of(kind: str, before: str, after: str, release: Release = LATEST) -> ResourceChange | None:
    others = tuple(map(resource, OTHERS))
    old, new = (OverlaySide(release, (resource(kind % text), *others)) for text in (before, after))
    changes = compare_overlay("a", "a", old, new).changes
    return changes[0] if changes else None


@pytest.mark.parametrize(("kind", "before", "after", "field"), REFUSED)
def test_change_is_refused_at_its_field(kind: str, before: str, after: str, field: str) -> None:
    change = change_of(kind, before, after)
    assert change is not None
    assert change.impact is not None
    assert change.impact.effect is Effect.REFUSED
    assert "does not let it change: " in change.impact.reason
    assert field in [str(each.field) for each in change.fields if each.impact]


@pytest.mark.parametrize(("kind", "before", "after"), ADMITTED)
def test_change_is_not_called_refused(kind: str, before: str, after: str) -> None:
    change = change_of(kind, before, after)
    assert change is None or Effect.REFUSED not in change.effects
    assert change is None or not any(
        each.impact and each.impact.effect is Effect.REFUSED for each in change.fields
    )


def test_backups_are_immutable_since_they_exist() -> None:
    change = change_of(BACKUP, "pvcName: a", "pvcName: b", Release.parse("1.7"))
    assert change is not None
    assert change.impact is None


def test_other_fields_of_a_refused_update_have_no_effect_of_their_own() -> None:
    change = change_of(
        POOL,
        "selector: {matchLabels: {a: b}}, virtualMachineTemplate: {metadata: {labels: {a: b}}}",
        "selector: {matchLabels: {a: c}}, virtualMachineTemplate: {metadata: {labels: {a: c}}}",
    )
    assert change is not None
    assert [(str(each.field), each.impact is not None) for each in change.fields] == [
        ("spec.selector.matchLabels.a", True),
        ("spec.virtualMachineTemplate.metadata.labels.a", False),
    ]


def test_forced_objects_are_replaced() -> None:
    before, after = (resource(DISK % f"source: {{http: {{url: {url}}}}}") for url in "ab")
    old, new = (
        OverlaySide(LATEST, (each,), recreator_of=lambda _: "Flux (spec.force)") for each in (before, after)
    )
    (change,) = compare_overlay("a", "a", old, new).changes
    assert change.impact is not None
    assert change.impact.effect is Effect.REPLACED
    assert change.impact.reason.startswith("Flux (spec.force) deletes it and creates it again")


def test_each_row_names_who_refuses_and_where() -> None:
    for row in ROWS:
        assert row.refuser
        assert "/" in row.source
