"""Updates that the API server, CDI and KubeVirt refuse, and similar ones that they admit."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import OverlaySide, compare_overlay
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.impact.immutable.refusals import ROWS, with_refusals
from renderer.kubevirt.impact.immutable.row import ImmutableRow, ObjectUpdate
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
ATTRIBUTES = "{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, %s}"
DRIVER = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {%s}}"
VOLUME = "{apiVersion: v1, kind: PersistentVolume, spec: {%s}}"
PROFILED = (
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {labels: {cdi.kubevirt.io/applyStorageProfile: "
    "'true'}}, spec: {%s}}"
)
TAKEN = "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshot, spec: {%s}}"
CONTENT = "{apiVersion: snapshot.storage.k8s.io/v1, kind: VolumeSnapshotContent, spec: {%s}}"
GROUP = "{apiVersion: groupsnapshot.storage.k8s.io/v1, kind: VolumeGroupSnapshot, spec: {%s}}"
GROUP_CLASS = "{apiVersion: groupsnapshot.storage.k8s.io/v1, kind: VolumeGroupSnapshotClass, %s}"
IMPORT = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: VolumeImportSource, spec: {%s}}"
UPLOAD = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: VolumeUploadSource, spec: {%s}}"
TRANSFER = "{apiVersion: cdi.kubevirt.io/v1beta1, kind: ObjectTransfer, spec: {%s}}"
REQUEST = "{apiVersion: template.kubevirt.io/v1alpha1, kind: VirtualMachineTemplateRequest, spec: {%s}}"
INSTANCETYPE = "{apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineInstancetype, spec: {%s}}"
POLICY = "{apiVersion: migrations.kubevirt.io/v1alpha1, kind: MigrationPolicy, spec: {%s}}"
POD = "{apiVersion: v1, kind: Pod, spec: {%s}}"
QUOTA = "{apiVersion: v1, kind: ResourceQuota, spec: {%s}}"
PRIORITY = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, %s}"
INGRESS = "{apiVersion: networking.k8s.io/v1, kind: IngressClass, spec: {%s}}"
RUNTIME = "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, %s}"
SLICE = "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, %s}"
DEVICES = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, spec: {%s}}"
DEFINITION = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {%s}}"
NETWORK = "{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, spec: {%s}}"
CLUSTER_NETWORK = "{apiVersion: k8s.ovn.org/v1, kind: ClusterUserDefinedNetwork, spec: {%s}}"
MACHINE = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, spec: {%s}}"
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
    # kubernetes pkg/apis/batch/validation/validation_test.go TestValidateJobUpdate
    (
        JOB,
        "template: {spec: {nodeSelector: {a: b}}}",
        "template: {spec: {}}",
        "spec.template.spec.nodeSelector",
    ),
    (
        JOB,
        "suspend: true, template: {spec: {nodeName: a}}",
        "suspend: true, template: {spec: {nodeName: b}}",
        "spec.template.spec.nodeName",
    ),
    (JOB, "suspend: true", "suspend: true, template: {spec: {nodeName: a}}", "spec.template"),
    (JOB, "completionMode: Indexed", "completionMode: NonIndexed", "spec.completionMode"),
    (JOB, "", "completionMode: Indexed", "spec.completionMode"),
    (JOB, "backoffLimitPerIndex: 1", "backoffLimitPerIndex: 2", "spec.backoffLimitPerIndex"),
    (JOB, "", "managedBy: kueue.x-k8s.io/multikueue", "spec.managedBy"),
    # kubernetes pkg/apis/core/validation/validation_test.go TestValidatePodUpdate
    (POD, "hostNetwork: true", "hostNetwork: false", "spec.hostNetwork"),
    (POD, "", "nodeSelector: {a: b}", "spec.nodeSelector"),
    (
        POD,
        "containers: [{name: a, args: [b]}]",
        "containers: [{name: a, args: [c]}]",
        "spec.containers[name=a].args[0]",
    ),
    # TestValidatePersistentVolumeClaimUpdate and its neighbours
    (CLAIM, "volumeAttributesClassName: gold", "", "spec.volumeAttributesClassName"),
    (CLAIM, "dataSource: {kind: PersistentVolumeClaim, name: a}", "", "spec.dataSource"),
    (CLAIM, "", "dataSourceRef: {kind: VolumeSnapshot, name: a}", "spec.dataSourceRef"),
    (PROFILED, "accessModes: [ReadWriteMany]", "accessModes: [ReadWriteOnce]", "spec.accessModes[0]"),
    (PROFILED, "volumeMode: Block", "volumeMode: Filesystem", "spec.volumeMode"),
    (
        CLAIM,
        "storageClassName: '', resources: {requests: {storage: 20Gi}}",
        "storageClassName: '', resources: {requests: {storage: 30Gi}}",
        "spec.resources.requests.storage",
    ),
    (
        VOLUME,
        "csi: {driver: a, volumeHandle: b}",
        "csi: {driver: a, volumeHandle: c}",
        "spec.csi.volumeHandle",
    ),
    (VOLUME, "nfs: {path: /a}", "nfs: {path: /b}", "spec.nfs.path"),
    (VOLUME, "", "volumeMode: Block", "spec.volumeMode"),
    # kubernetes pkg/apis/storage/validation/validation_test.go
    (CLASS, "provisioner: a", "provisioner: b", "provisioner"),
    (CLASS, "parameters: {a: b}", "parameters: {a: c}", "parameters.a"),
    (ATTRIBUTES, "driverName: a", "driverName: b", "driverName"),
    (DRIVER, "", "attachRequired: false", "spec.attachRequired"),
    (DRIVER, "", "volumeLifecycleModes: [Ephemeral]", "spec.volumeLifecycleModes"),
    # the CRDs' own rules, external-snapshotter client/config/crd
    (
        TAKEN,
        "source: {persistentVolumeClaimName: a}",
        "source: {persistentVolumeClaimName: b}",
        "spec.source.persistentVolumeClaimName",
    ),
    (CONTENT, "source: {snapshotHandle: a}", "source: {snapshotHandle: b}", "spec.source.snapshotHandle"),
    (CONTENT, "sourceVolumeMode: Block", "sourceVolumeMode: Filesystem", "spec.sourceVolumeMode"),
    (
        GROUP,
        "source: {selector: {matchLabels: {a: b}}}",
        "source: {selector: {matchLabels: {a: c}}}",
        "spec.source.selector.matchLabels.a",
    ),
    (GROUP_CLASS, "deletionPolicy: Delete", "deletionPolicy: Retain", "deletionPolicy"),
    # containerized-data-importer populators-validate_test.go, transfer-validate_test.go
    (IMPORT, "source: {http: {url: a}}", "source: {http: {url: b}}", "spec.source.http.url"),
    (UPLOAD, "contentType: kubevirt", "contentType: archive", "spec.contentType"),
    (TRANSFER, "source: {name: a}", "source: {name: b}", "spec.source.name"),
    (REQUEST, "virtualMachineRef: {name: a}", "virtualMachineRef: {name: b}", "spec.virtualMachineRef.name"),
    # TestValidateServiceUpdate, TestValidateResourceQuotaUpdate
    (SERVICE, "ipFamilies: [IPv4]", "ipFamilies: [IPv6]", "spec.ipFamilies[0]"),
    (SERVICE, "ipFamilies: [IPv4, IPv6]", "ipFamilies: [IPv6, IPv4]", "spec.ipFamilies[0]"),
    (
        SERVICE,
        "type: LoadBalancer, loadBalancerClass: a",
        "type: LoadBalancer, loadBalancerClass: b",
        "spec.loadBalancerClass",
    ),
    (
        SERVICE,
        "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30001",
        "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30002",
        "spec.healthCheckNodePort",
    ),
    (QUOTA, "scopes: [BestEffort]", "scopes: [NotBestEffort]", "spec.scopes[0]"),
    # the tests of the update functions of their kinds
    (PRIORITY, "value: 1", "value: 2", "value"),
    (INGRESS, "controller: a/b", "controller: a/c", "spec.controller"),
    (RUNTIME, "handler: runc", "handler: kata", "handler"),
    (SLICE, "addressType: IPv4", "addressType: IPv6", "addressType"),
    (
        DEVICES,
        "spec: {devices: {}}",
        "spec: {devices: {requests: [{name: a}]}}",
        "spec.spec.devices.requests[name=a]",
    ),
    (DEFINITION, "scope: Namespaced", "scope: Cluster", "spec.scope"),
    (DEFINITION, "names: {kind: A}", "names: {kind: B}", "spec.names.kind"),
    (NETWORK, "topology: Layer2", "topology: Layer3", "spec.topology"),
    (CLUSTER_NETWORK, "network: {topology: Layer2}", "network: {topology: Layer3}", "spec.network.topology"),
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
    (
        JOB,
        "suspend: true, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {a: b}}}",
        "suspend: true, template: {metadata: {labels: {a: c}}, spec: {tolerations: [{key: a}]}}",
    ),
    (JOB, "parallelism: 1, suspend: true", "parallelism: 2, suspend: false"),
    (JOB, "template: {spec: {}}", "template: {spec: {dnsPolicy: ClusterFirst}}"),
    (
        JOB,
        "completionMode: Indexed, completions: 1, parallelism: 1",
        "completionMode: Indexed, completions: 2, parallelism: 2",
    ),
    (BINDING, "roleRef: {name: a}, subjects: []", "roleRef: {name: a}, subjects: [{kind: User}]"),
    (CLASS, "reclaimPolicy: Delete", "allowVolumeExpansion: true"),
    (JOB, "completionMode: NonIndexed", ""),
    (STATEFUL, "serviceName: ''", "revisionHistoryLimit: 3"),
    (POD, "containers: [{name: a, image: b}]", "containers: [{name: a, image: c}], tolerations: [{key: d}]"),
    (POD, "schedulingGates: [{name: a}]", "nodeSelector: {a: b}"),
    (PROFILED, "", "volumeMode: Block, accessModes: [ReadWriteMany]"),
    (
        CLAIM,
        "dataSource: {kind: PersistentVolumeClaim, name: a}",
        "dataSourceRef: {kind: PersistentVolumeClaim, name: a}",
    ),
    (CLAIM, "volumeAttributesClassName: silver", "volumeAttributesClassName: gold"),
    (CLAIM, "storageClassName: unknown", "storageClassName: unknown, resources: {requests: {storage: 1Gi}}"),
    (VOLUME, "persistentVolumeReclaimPolicy: Delete", "persistentVolumeReclaimPolicy: Retain"),
    (VOLUME, "csi: {driver: a}", "csi: {driver: a, controllerExpandSecretRef: {name: b}}"),
    (VOLUME, "", "volumeMode: Filesystem"),
    (DRIVER, "", "attachRequired: true, volumeLifecycleModes: [Persistent], podInfoOnMount: true"),
    (CONTENT, "deletionPolicy: Delete", "deletionPolicy: Retain, sourceVolumeMode: Block"),
    (IMPORT, STAGES % ("{current: a}", "false"), STAGES % ("{current: a}, {current: b}", "true")),
    (SERVICE, "ipFamilies: [IPv4]", "ipFamilies: [IPv4, IPv6]"),
    (SERVICE, "clusterIP: None, ipFamilies: [IPv4]", "clusterIP: None, ipFamilies: [IPv6]"),
    (SERVICE, "type: LoadBalancer, loadBalancerClass: a", "type: ClusterIP"),
    (SERVICE, "type: LoadBalancer, healthCheckNodePort: 30001", "type: LoadBalancer"),
    (QUOTA, "scopes: [BestEffort, NotTerminating]", "scopes: [NotTerminating, BestEffort]"),
    (DEFINITION, "versions: [{name: v1}, {name: v2}]", "versions: [{name: v2}]"),
    (INSTANCETYPE, "cpu: {guest: 1}", "cpu: {guest: 2}"),
    (POLICY, "allowAutoConverge: true", "allowAutoConverge: false"),
    (MACHINE, "runStrategy: Always", "runStrategy: Halted"),
]
#: Objects in a cluster with a status, and the object after a sync: the field, and what the reason has.
REFUSED_LIVE = [
    (
        CLAIM,
        "resources: {requests: {storage: 40Gi}}",
        "resources: {requests: {storage: 10Gi}}",
        "{phase: Bound, capacity: {storage: 40Gi}}",
        "a claim cannot become smaller; the cluster has 40Gi: write that in Git",
    ),
    (
        CLAIM,
        "resources: {requests: {storage: 10Gi}}",
        "resources: {requests: {storage: 40Gi}}",
        "{phase: Pending}",
        "a claim grows only once it is bound, and this one is Pending",
    ),
    (
        CLAIM,
        "storageClassName: fast",
        "storageClassName: slow",
        "{}",
        "the cluster has fast: write that in Git",
    ),
    (
        DISK,
        "source: {http: {url: a}}",
        "source: {http: {url: b}}",
        "{phase: Succeeded}",
        "the cluster has in Git",
    ),
    (
        DEFINITION,
        "versions: [{name: v1}, {name: v2}]",
        "versions: [{name: v2}]",
        "{storedVersions: [v1, v2]}",
        "the cluster may store objects as v1",
    ),
    (
        MACHINE,
        "runStrategy: Always, template: {spec: {volumes: [{name: a}]}}",
        "runStrategy: Always, template: {spec: {volumes: []}}",
        "{snapshotInProgress: nightly}",
        "the VirtualMachineSnapshot nightly is in progress",
    ),
    (
        MACHINE,
        "runStrategy: Always",
        "runStrategy: Halted",
        "{snapshotInProgress: nightly}",
        "the VirtualMachineSnapshot nightly is in progress",
    ),
    (
        MACHINE,
        "runStrategy: Halted",
        "runStrategy: Always",
        "{restoreInProgress: undo}",
        "the VirtualMachineRestore undo is in progress",
    ),
]
ADMITTED_LIVE = [
    (
        CLAIM,  # an expansion to 40Gi has failed
        "resources: {requests: {storage: 40Gi}}",
        "resources: {requests: {storage: 20Gi}}",
        "{phase: Bound, capacity: {storage: 10Gi}}",
    ),
    (
        CLAIM,
        "resources: {requests: {storage: 10Gi}}",
        "resources: {requests: {storage: 20Gi}}",
        "{phase: Bound, capacity: {storage: 10Gi}}",
    ),
    (
        MACHINE,
        "runStrategy: Always",
        "runStrategy: Always, template: {metadata: {labels: {a: b}}}",
        "{snapshotInProgress: nightly, restoreInProgress: undo}",
    ),
    (DEFINITION, "versions: [{name: v1}, {name: v2}]", "versions: [{name: v2}]", "{storedVersions: [v2]}"),
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
        OverlaySide(LATEST, (each,), recreator_of=lambda _, __: "Flux (spec.force)")
        for each in (before, after)
    )
    (change,) = compare_overlay("a", "a", old, new).changes
    assert change.impact is not None
    assert change.impact.effect is Effect.REPLACED
    assert change.impact.reason.startswith("Flux (spec.force) deletes it and creates it again")


def refusal_in_cluster(kind: str, before: str, after: str, status: str, release: Release = LATEST) -> str:
    """Return the reason why the update of an object in a cluster is refused; empty if it is admitted."""
    old, new = (resource(kind % text) for text in (before, after))
    update = ObjectUpdate(old, new, (), yaml.safe_load(status))
    changes = with_refusals(update, field_changes(old.content, new.content), release) or ()
    return next((each.impact.reason for each in changes if each.impact), "")


@pytest.mark.parametrize(("kind", "before", "after", "status", "reason"), REFUSED_LIVE)
def test_status_of_the_cluster_refuses(kind: str, before: str, after: str, status: str, reason: str) -> None:
    assert reason in refusal_in_cluster(kind, before, after, status)


@pytest.mark.parametrize(("kind", "before", "after", "status"), ADMITTED_LIVE)
def test_status_of_the_cluster_admits(kind: str, before: str, after: str, status: str) -> None:
    assert not refusal_in_cluster(kind, before, after, status)


@pytest.mark.parametrize(
    ("release", "before", "after", "status", "is_refused"),
    [
        ("1.3", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "snapshot", True),
        ("1.4", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "snapshot", False),
        ("1.5.1", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "restore", True),
        ("1.5.2", "runStrategy: Always", "runStrategy: Always, dataVolumeTemplates: [{}]", "restore", False),
        ("1.5.1", "runStrategy: Always", "runStrategy: Halted", "restore", False),
        ("1.5.2", "runStrategy: Always", "runStrategy: Halted", "restore", True),
    ],
)
def test_machine_in_a_snapshot_or_restore(
    release: str, before: str, after: str, status: str, *, is_refused: bool
) -> None:
    """KubeVirt ``vm-storage-status.go`` and before it ``vms-admitter.go``: validateSnapshotStatus."""
    reason = refusal_in_cluster(MACHINE, before, after, f"{{{status}InProgress: a}}", Release.parse(release))
    assert bool(reason) is is_refused


def test_field_that_a_sync_keeps_is_not_refused() -> None:
    old, new = (resource(DEPLOYMENT % f"selector: {{matchLabels: {{a: {each}}}}}") for each in "bc")
    changes = [each._replace(kept=True) for each in field_changes(old.content, new.content)]
    assert with_refusals(ObjectUpdate(old, new), changes, LATEST) is None


def _row_of(kind: str, field: str) -> ImmutableRow:
    gvk = resource(kind % "").gvk
    path = [part.partition("[")[0] for part in field.split(".")]
    return next(
        row
        for row in ROWS
        if row.group == gvk.group and gvk.kind in row.kinds
        for each in row.fields
        if all(one == other for one, other in zip(each.split("."), path, strict=False))
    )


def test_each_row_has_a_pair_that_it_refuses() -> None:
    refusing = {_row_of(kind, field).fields for kind, _, _, field in REFUSED}
    of_status = {row.fields for row in ROWS if "status." in row.admitted}
    assert [row.fields for row in ROWS if row.fields not in refusing | of_status] == []


def test_each_row_names_who_refuses_and_where() -> None:
    for row in ROWS:
        assert row.refuser
        assert "/" in row.source
        assert bool(row.condition) is bool(row.admitted)
