"""Where a HyperConverged object has a setting: flat in v1beta1, in sections in v1.

Read in ``api/v1beta1/hyperconverged_types.go`` and ``api/v1/hyperconverged_types.go`` of the operator.
"""

from __future__ import annotations

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum

V1, V1BETA1 = "v1", "v1beta1"


class Setting(TextEnum):
    """A setting: its place in ``v1beta1``, its place in ``v1``; empty where it does not exist.

    ``gate_before`` is the minor release that made a field of ``v1beta1`` of what was a feature gate.
    """

    __slots__ = ("gate_before", "v1")

    def __init__(self, v1beta1: str, v1: str, gate_before: int = 0) -> None:
        del v1beta1  # the text itself
        self.v1 = v1
        self.gate_before = gate_before

    def place(self, version: str) -> FieldPath:
        """Return the field in an API version."""
        return FieldPath.of("spec", *(self.v1 if version == V1 else str(self)).split("."))

    APPLICATION_AWARE_CONFIG = "applicationAwareConfig", "deployment.applicationAwareConfig"
    APPLICATION_AWARE_QUOTA = "enableApplicationAwareQuota", "deployment.applicationAwareConfig.enable", 15
    AUTO_CPU_LIMIT = (
        "resourceRequirements.autoCPULimitNamespaceLabelSelector",
        "virtualization.autoCPULimitNamespaceLabelSelector",
    )
    CERTIFICATES = "certConfig", "security.certConfig"
    CHANGED_BLOCK_TRACKING = (
        "changedBlockTrackingLabelSelectors",
        "virtualization.changedBlockTrackingLabelSelectors",
    )
    COMMON_BOOT_IMAGES = "enableCommonBootImageImport", "workloadSources.enableCommonBootImageImport", 15
    COMMON_BOOT_IMAGE_NAMESPACE = "commonBootImageNamespace", "workloadSources.commonBootImageNamespace"
    COMMON_INSTANCETYPES = "CommonInstancetypesDeployment", "workloadSources.commonInstancetypesDeployment"
    COMMON_TEMPLATES_NAMESPACE = "commonTemplatesNamespace", "workloadSources.commonTemplatesNamespace"
    CPU_ALLOCATION_RATIO = (
        "resourceRequirements.vmiCPUAllocationRatio",
        "virtualization.vmiCPUAllocationRatio",
    )
    DATA_IMPORT_CRON_TEMPLATES = "dataImportCronTemplates", "workloadSources.dataImportCronTemplates"
    DEFAULT_CPU_MODEL = "defaultCPUModel", "virtualization.virtualMachineOptions.defaultCPUModel"
    DEFAULT_RUNTIME_CLASS = "defaultRuntimeClass", "virtualization.virtualMachineOptions.defaultRuntimeClass"
    EVICTION_STRATEGY = "evictionStrategy", "virtualization.evictionStrategy"
    FILESYSTEM_OVERHEAD = "filesystemOverhead", "storage.filesystemOverhead"
    HIGHER_WORKLOAD_DENSITY = "higherWorkloadDensity", "virtualization.higherWorkloadDensity"
    HYPERVISORS = "hypervisors", "virtualization.hypervisors"
    INFRA_PLACEMENT = "infra.nodePlacement", "deployment.nodePlacements.infra"
    INSTANCETYPE_CONFIG = "instancetypeConfig", "workloadSources.instancetypeConfig"
    KSM = "ksmConfiguration", "virtualization.ksmConfiguration"
    KUBE_MAC_POOL = "kubeMacPoolConfiguration", "networking.kubeMacPoolConfiguration"
    LIVE_MIGRATION = "liveMigrationConfig", "virtualization.liveMigrationConfig"
    LIVE_UPDATE = "liveUpdateConfiguration", "virtualization.liveUpdateConfiguration"
    LOG_VERBOSITY = "logVerbosityConfig", "deployment.logVerbosityConfig"
    MEDIATED_DEVICES = "mediatedDevicesConfiguration", "virtualization.mediatedDevicesConfiguration"
    MINIMAL_CPU_MODEL = "obsoleteCPUs.minCPUModel", ""
    MULTI_ARCHITECTURE = "", "workloadSources.enableMultiArchBootImageImport"
    NAME_SERVER = "kubeSecondaryDNSNameServerIP", "networking.kubeSecondaryDNSNameServerIP"
    NETWORK_BINDINGS = "networkBinding", "networking.networkBinding"
    OBSOLETE_CPU_MODELS = "obsoleteCPUs.cpuModels", "virtualization.obsoleteCPUModels"
    PERMITTED_HOST_DEVICES = "permittedHostDevices", "virtualization.permittedHostDevices"
    PERSISTENT_RESERVATION = (
        "persistentReservationConfiguration",
        "storage.persistentReservationConfiguration",
    )
    ROLE_AGGREGATION = "roleAggregationStrategy", "virtualization.roleAggregationStrategy"
    SCRATCH_SPACE_STORAGE_CLASS = "scratchSpaceStorageClass", "storage.scratchSpaceStorageClass"
    STORAGE_IMPORT = "storageImport", "storage.storageImport"
    STORAGE_RESOURCES = "resourceRequirements.storageWorkloads", "storage.workloadResourceRequirements"
    TEKTON_PIPELINES_NAMESPACE = "tektonPipelinesNamespace", ""
    TEKTON_TASKS_NAMESPACE = "tektonTasksNamespace", ""
    TLS_SECURITY_PROFILE = "tlsSecurityProfile", "security.tlsSecurityProfile"
    TUNING_POLICY = "tuningPolicy", "virtualization.tuningPolicy"
    UNINSTALL_STRATEGY = "uninstallStrategy", "deployment.uninstallStrategy"
    VIRTUAL_MACHINE_OPTIONS = "virtualMachineOptions", "virtualization.virtualMachineOptions"
    VM_CONSOLE_PROXY = "deployVmConsoleProxy", "deployment.deployVmConsoleProxy", 15
    VM_STATE_STORAGE_CLASS = "vmStateStorageClass", "storage.vmStateStorageClass"
    WORKLOAD_PLACEMENT = "workloads.nodePlacement", "deployment.nodePlacements.workload"
    WORKLOAD_UPDATE = "workloadUpdateStrategy", "virtualization.workloadUpdateStrategy"


class ObjectFields(Record):
    """The fields of one API version. ``infra`` and ``workloads`` are node placements."""

    certificates: FieldPath
    tls_profile: FieldPath
    workload_update: FieldPath
    live_migration: FieldPath
    live_update: FieldPath
    log_verbosity: FieldPath
    eviction_strategy: FieldPath
    ksm: FieldPath
    mediated_devices: FieldPath
    tuning_policy: FieldPath
    import_templates: FieldPath
    infra: FieldPath
    workloads: FieldPath


def version_of(content: JsonObject) -> str:
    """Return the API version of an object without its group: ``v1`` or ``v1beta1``."""
    return text_at(content, "apiVersion").rpartition("/")[2]


def fields_of(content: JsonObject) -> ObjectFields:
    """Return the fields of an object by its API version."""
    version = version_of(content)
    return ObjectFields(
        certificates=Setting.CERTIFICATES.place(version),
        tls_profile=Setting.TLS_SECURITY_PROFILE.place(version),
        workload_update=Setting.WORKLOAD_UPDATE.place(version),
        live_migration=Setting.LIVE_MIGRATION.place(version),
        live_update=Setting.LIVE_UPDATE.place(version),
        log_verbosity=Setting.LOG_VERBOSITY.place(version),
        eviction_strategy=Setting.EVICTION_STRATEGY.place(version),
        ksm=Setting.KSM.place(version),
        mediated_devices=Setting.MEDIATED_DEVICES.place(version),
        tuning_policy=Setting.TUNING_POLICY.place(version),
        import_templates=Setting.DATA_IMPORT_CRON_TEMPLATES.place(version),
        infra=Setting.INFRA_PLACEMENT.place(version),
        workloads=Setting.WORKLOAD_PLACEMENT.place(version),
    )
