"""Words of the API, which say nothing of a Secret that has one as a value.

They are kinds, and values that fields of KubeVirt and Kubernetes have by name, such as ``RerunOnFailure``. A
Secret may have any of them, as in ``kind: VirtualMachine``, and every output has them elsewhere. Words of
fewer than six letters are not noted anyway (``model.run.readings``). So are the passes of Windows Setup, as
every answer file has them: ``<settings pass="specialize">``.
"""

from __future__ import annotations

_KINDS = (
    "AlertmanagerConfig Application ApplicationSet CatalogSource Certificate ClusterRole"
    " ClusterRoleBinding ConfigMap ControllerRevision CronJob CustomResourceDefinition DaemonSet"
    " DataImportCron DataSource DataVolume Deployment Endpoints EndpointSlice GitRepository HelmRelease"
    " HelmRepository HorizontalPodAutoscaler HyperConverged Ingress KubeVirt Kustomization LimitRange"
    " MigrationPolicy Namespace NetworkAttachmentDefinition NetworkPolicy OCIRepository PersistentVolume"
    " PersistentVolumeClaim PodDisruptionBudget PriorityClass ReplicaSet ResourceQuota RoleBinding Secret"
    " Service ServiceAccount StatefulSet StorageClass StorageProfile VirtualMachine"
    " VirtualMachineClusterInstancetype VirtualMachineClusterPreference VirtualMachineInstance"
    " VirtualMachineInstanceMigration VirtualMachineInstancePreset VirtualMachineInstanceReplicaSet"
    " VirtualMachineInstancetype VirtualMachinePool VirtualMachinePreference VirtualMachineRestore"
    " VirtualMachineSnapshot VirtualMachineTemplate VirtualMachineTemplateRequest VolumeSnapshot"
    " VolumeSnapshotClass"
)
_VALUES = (
    "Always BlockUninstallIfWorkloadsExist ClusterFirst ClusterFirstWithHostNet ClusterIP"
    " CoresThreads Default Delete DiskOrCreate DoesNotExist DoNotSchedule Exists External Filesystem"
    " FromStorageProfile Halted IfNotPresent Ignore LiveMigrate LiveMigrateIfPossible LoadBalancer"
    " Manual Migration NoExecute NodePort NoSchedule Opaque Paused PreferNoSchedule ReadOnlyMany"
    " ReadWriteMany ReadWriteOnce ReadWriteOncePod Reject RemoveWorkloads Replacement RerunOnFailure"
    " Retain ScheduleAnyway SocketsCores SocketsCoresThreads WaitAsReceiver absent catchup cirrus"
    " closed default disable disabled discard e1000e enabled enospace forbid hyperv ignore native"
    " ne2k_pci optional poweroff preferAny preferCores preferSockets preferSpread preferThreads"
    " pvpanic report require rtl8139 shared shutdown sockets spread supplementalPool tablet threads"
    " virtio writeback writethrough"
)
_PASSES = "auditSystem auditUser generalize offlineServicing oobeSystem specialize windowsPE"
#: In lower case, as some outputs and names have them.
_WORDS = frozenset(f"{_KINDS} {_VALUES} {_PASSES}".lower().split())


def is_api_word(text: str) -> bool:
    """Return True for a kind, or a value that a field has by name, in any case."""
    return text.lower() in _WORDS
